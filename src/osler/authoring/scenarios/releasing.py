"""The released products: audited packets, frozen rubrics, reviewers' sheets, or a record of why not.

packets/<case_id>/triage.json
packets/<case_id>/<scenarioN>/<role>/*.md      rubrics/<case_id>_<scenarioN>.json and a side file
review/<case_id>_<scenarioN>-reviewer-1.csv    not_applicable.json
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from osler.authoring.scenarios.layout import ROLES, Material
from osler.authoring.scenarios.reviewing import REVIEWERS, sheet_text, sheet_version
from osler.authoring.scenarios.steps import digest
from osler.cases.rubrics.inference import infer
from osler.cases.rubrics.model import Rubric
from osler.cases.rubrics.reading import load, published_text, read
from osler.cases.rubrics.side_file import side_of, side_text
from osler.cases.scenarios.triage import TRIAGE
from osler.errors import BadInput
from osler.files import write_whole

NOT_APPLICABLE: Final = "not_applicable.json"


class Places(NamedTuple):
    """The paths of one scenario's products."""

    out: Path
    case_id: str
    scenario: str

    @property
    def packet(self) -> Path:
        """The folder of the four roles."""
        return self.out / "packets" / self.case_id / self.scenario

    @property
    def rubric(self) -> Path:
        """The frozen rubric."""
        return self.out / "rubrics" / f"{self.case_id}_{self.scenario}.json"

    @property
    def sheets(self) -> list[Path]:
        """The reviewers' sheets."""
        name = f"{self.case_id}_{self.scenario}-reviewer"
        return [self.out / "review" / f"{name}-{number}.csv" for number in range(1, REVIEWERS + 1)]


def release(
    places: Places, material: Material, rubric: Rubric, side: str, before: str = ""
) -> tuple[str, ...]:
    """Write the products of a scenario; `side` is the text of the side file, `before` as in `withdraw`.

    Files that people corrected or filled in for an earlier rubric stay; remarks on them are returned. Raises
    BadInput for a disk error.
    """
    withdraw(places, before)
    for role in ROLES:
        for name, text in material[role].items():
            write_whole(places.packet / role / name, text)
    told: list[str] = []
    write_whole(places.rubric, published_text(rubric))
    at = side_of(places.rubric)
    if not at.exists():
        write_whole(at, side)
    try:
        load(places.rubric)
    except BadInput as error:
        told.append(f"{at.name} is of an earlier rubric ({error.what}): move it away and run again")
    for path in places.sheets:
        if not path.exists():
            write_whole(path, sheet_text(rubric))
        elif sheet_version(path) != rubric.digest:
            told.append(f"{path.name} is of an earlier rubric: move it away to have one of this rubric")
    return tuple(told)


def withdraw(places: Places, before: str = "") -> None:
    """Withdraw what was released, except files that people have corrected or filled in since. `before` is the
    digest of the side file written then."""
    _clear(places.packet)
    try:
        earlier = read(places.rubric)
    except BadInput:
        return
    side = side_of(places.rubric)
    if side.is_file() and digest(side.read_text(encoding="utf-8", errors="replace")) == before:
        side.unlink()
    ours = {side: side_text(infer(earlier))}
    ours |= dict.fromkeys(places.sheets, sheet_text(earlier))
    for path, text in ours.items():
        # Compare bytes: a sheet's lines end as in spreadsheet programs.
        if path.is_file() and path.read_bytes() == text.encode():
            path.unlink()
    places.rubric.unlink()


def release_triage(out: Path, case_id: str, text: str) -> None:
    """Write the triage beside a case's released packets; without any it is removed."""
    folder = out / "packets" / case_id
    if released(out, case_id):
        write_whole(folder / TRIAGE, text)
    elif folder.is_dir():
        (folder / TRIAGE).unlink(missing_ok=True)
        if not any(folder.iterdir()):
            folder.rmdir()


def not_applicable(out: Path, record: dict[str, Any]) -> None:
    """Write the record saying why there is no scenario."""
    write_whole(out / NOT_APPLICABLE, json.dumps(record, ensure_ascii=False, indent=2) + "\n")


def applicable(out: Path) -> None:
    """Remove an earlier record saying that there is no scenario."""
    (out / NOT_APPLICABLE).unlink(missing_ok=True)


def released(out: Path, case_id: str) -> Sequence[str]:
    """The scenarios of a case that are currently released."""
    folder = out / "packets" / case_id
    return sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else ()


def _clear(folder: Path) -> None:
    """Remove a previously released packet. A link is left alone: it may lead anywhere."""
    if folder.is_symlink():
        raise BadInput("is a link", where=str(folder), hint="remove it, or give another folder with --out")
    if folder.is_dir():
        shutil.rmtree(folder)
    if folder.parent.is_dir() and not any(folder.parent.iterdir()):
        folder.parent.rmdir()
