"""Export of scenarios as packets, with frozen rubrics, a manifest and a subset, ready to be re-imported.

A scenario imported from a packet is written back with equal content; one with explicit states is written as
prose for each role. No existing file is overwritten.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from osler.cases.rubrics.model import COMPETENCIES, VERSION_FIELD, Rubric
from osler.cases.rubrics.reading import published_text
from osler.cases.rubrics.side_file import side_of, side_text
from osler.cases.scenarios.model import Packet, Scenario
from osler.cases.scenarios.packet_text import SUFFIXES, passed_over
from osler.cases.scenarios.packets import ROLES, RUBRICS
from osler.cases.scenarios.prose import packet_of
from osler.cases.scenarios.reading import Subset, subset_value
from osler.cases.scenarios.triage import TRIAGE, triage_text
from osler.errors import BadInput
from osler.files import write_once

MANIFEST: Final = "manifest.json"
SUBSET: Final = "subset.json"
_DESCRIPTION: Final = "Written by Osler. For education and research only."


class Exported(NamedTuple):
    """The outcome of an export: ids written, the number of rubrics, and reasons why others were not."""

    scenarios: tuple[str, ...]
    rubrics: int
    rejected: tuple[tuple[str, str], ...]


def export_packets(scenarios: Iterable[Scenario], out: Path, name: str) -> Exported:
    """Write scenarios under `out`, with a subset called `name`. Raises BadInput where none can be written."""
    written: list[str] = []
    rejected: list[tuple[str, str]] = []
    triages: dict[str, list[Scenario]] = defaultdict(list)
    rubrics = 0
    for scenario in scenarios:
        try:
            _write_packet(packet_of(scenario), out / scenario.case_id / scenario.scenario)
            rubrics += _write_rubric(scenario, out / RUBRICS[0])
        except BadInput as error:
            rejected.append((scenario.id, str(error)))
            continue
        written.append(scenario.id)
        triages[scenario.case_id].append(scenario)
    for case_id, held in triages.items():
        if any(map(_triaged, held)):
            _once(out / case_id / TRIAGE, _triage(held))
    if written:
        _once(out / MANIFEST, _json(written))
        _once(out / SUBSET, _json(subset_value(Subset(name, _DESCRIPTION, tuple(written)))))
    return Exported(tuple(written), rubrics, tuple(rejected))


def packet_files(packet: Packet) -> Iterator[tuple[str, str]]:
    """The files of a packet by their paths in it: the original ones if it was imported, else one per role."""
    for role in ROLES:
        prose: str = getattr(packet, role)
        parts = [(file.name, prose[file.start : file.end]) for file in packet.files if file.role == role]
        names = {name.casefold() for name, _ in parts}
        rows = len(names) == len(parts) and all(_can_be_read_back(name) for name, _ in parts)
        for name, text in parts if parts and rows else [(f"{role}.md", prose)]:
            yield f"{role}/{name}", text


def published_rubric(rubric: Rubric) -> Rubric:
    """A rubric with the fields and the order of a published one, unless it has its own layout."""
    if rubric.layout:
        return rubric
    items = tuple(item for name in COMPETENCIES for item in rubric.of(name))
    layout = ("case_id", "scenario", VERSION_FIELD, *COMPETENCIES)
    return rubric.model_copy(update={"items": items, "layout": layout})


def _can_be_read_back(name: str) -> bool:
    """Whether a file of this name would be found again, and is inside its role's folder."""
    path = PurePosixPath(name)
    return (
        not path.is_absolute()
        and path.suffix.lower() in SUFFIXES
        and not any(passed_over(part) or part == ".." or "\\" in part for part in path.parts)
        and name.isprintable()
        and path.as_posix() == name
        and all(len(part.encode()) < 256 for part in path.parts)
    )


def _write_packet(packet: Packet, folder: Path) -> None:
    files = dict(packet_files(packet))
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    if strange := sorted(there - files.keys()):
        hint = "move it or choose another folder"
        raise BadInput("another packet is already there", where=str(folder / strange[0]), hint=hint)
    for name, text in files.items():
        _once(folder / name, text)


def _write_rubric(scenario: Scenario, folder: Path) -> int:
    if scenario.items is None:
        return 0
    rubric = published_rubric(scenario.items)
    if rubric.key != scenario.id:
        raise BadInput(f"its rubric is of {rubric.key}", where=scenario.id)
    path = folder / f"{scenario.case_id}_{scenario.scenario}.json"
    _once(path, published_text(rubric))
    _once(side_of(path), side_text(rubric))
    return 1


def _triaged(one: Scenario) -> bool:
    return bool(one.title or one.specialty or one.urgency or one.sex or one.age_years or one.body_part)


def _triage(scenarios: list[Scenario]) -> str:
    entries = [
        {
            "scenario_id": scenario.scenario,
            "scenario_title": scenario.title or "",
            "department": scenario.specialty or "",
            "urgency_level": scenario.urgency or "",
            "patient_gender": scenario.sex or "",
            "patient_age": "" if scenario.age_years is None else f"{scenario.age_years:g} years",
            "injury_body_part": scenario.body_part or "",
        }
        for scenario in scenarios
    ]
    return triage_text(scenarios[0].case_shape or "", entries)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def _once(path: Path, text: str) -> None:
    write_once(path, text, lambda there: there.read_bytes() == text.encode())
