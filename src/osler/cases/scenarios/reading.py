"""Scenario files in our own format, and lists of scenarios.

A file is YAML, with one scenario or several, read as data only; or JSON. A list is a named subset, a plain
list, or a manifest of paths.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

from osler.cases.importers.osler_yaml import read_kept, write_pictures, yaml_text
from osler.cases.importers.report import Rejected
from osler.cases.scenarios.model import Scenario
from osler.errors import BadInput
from osler.files import write_once


def read(path: Path) -> Iterator[Scenario | Rejected]:
    """The scenarios of a YAML or JSON file in order. Raises BadInput where the file itself cannot be read."""
    return read_kept(Scenario, path, "scenario")


def scenario_text(scenario: Scenario) -> str:
    """A scenario as canonical YAML: every non-default field, in the model's order."""
    return yaml_text(_said(scenario), scenario.id)


def write_scenario(scenario: Scenario, folder: Path) -> Path:
    """Write `<folder>/<case>_<scenario>.yaml`, or `.json` for a packet of prose, and return the path.

    Its image files are written to `<folder>/pictures`. A file that already holds the same scenario is left
    as it is; any other is not overwritten (BadInput).
    """
    name = f"{scenario.case_id}_{scenario.scenario}"
    # Long prose parses ten times faster as JSON, and no one edits it here.
    if scenario.packet:
        path, text = folder / f"{name}.json", json.dumps(_said(scenario), ensure_ascii=False, indent=1) + "\n"
    else:
        path, text = folder / f"{name}.yaml", scenario_text(scenario)
    write_pictures(scenario, folder)
    return write_once(path, text, lambda there: _holds(there, scenario))


def _said(scenario: Scenario) -> dict[str, object]:
    said = scenario.model_dump(mode="json", exclude_defaults=True)
    return {"schema_version": scenario.schema_version} | said


def _holds(path: Path, scenario: Scenario) -> bool:
    try:
        result = list(read(path))
    except BadInput:
        return False
    return (
        len(result) == 1
        and isinstance(result[0], Scenario)
        and result[0].content_hash == scenario.content_hash
    )


MAX_BYTES: Final = 20_000_000


class Subset(NamedTuple):
    """Scenarios by `case/scenario`, each once, in their order."""

    name: str
    description: str
    scenarios: tuple[str, ...]


def read_subset(path: Path) -> Subset:
    """Read a list in any of its published forms. Raises BadInput, saying what is wrong with it."""
    try:
        raw = path.read_bytes()
        if len(raw) > MAX_BYTES:
            raise BadInput(f"is longer than {MAX_BYTES // 1_000_000} MB", where=path.name)
        value = json.loads(raw.decode("utf-8-sig"))
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror or error}", where=str(path)) from None
    except (ValueError, RecursionError):
        raise BadInput("is no JSON file in UTF-8", where=path.name) from None
    try:
        return subset_from(value, path.stem)
    except BadInput as error:
        raise BadInput(error.what, where=path.name, hint=error.hint) from None


def subset_from(value: Any, name: str) -> Subset:  # Any: JSON
    """Build a list from plain data. Raises BadInput, also where a stated count is wrong."""
    head = value if isinstance(value, dict) else {}
    listed = head.get("scenarios") if head else value
    if not isinstance(listed, list) or not listed:
        raise BadInput("lists no scenarios", hint='write ["case_id/scenario1", ...]')
    keys = [_key(entry, number) for number, entry in enumerate(listed, start=1)]
    if doubled := [key for key, times in Counter(keys).items() if times > 1]:
        raise BadInput(f"names {', '.join(doubled[:3])} twice")
    told = head.get("n_scenarios", len(keys))
    if told != len(keys):
        raise BadInput(f"says that it lists {told!r} scenarios, and lists {len(keys)}")
    texts = [held if isinstance(held := head.get(field), str) else "" for field in ("name", "description")]
    return Subset(texts[0] or name, texts[1], tuple(keys))


def subset_value(subset: Subset) -> dict[str, Any]:
    """A subset in its published form."""
    return {
        "name": subset.name,
        "description": subset.description,
        "n_scenarios": len(subset.scenarios),
        "scenarios": list(subset.scenarios),
    }


def _key(entry: Any, number: int) -> str:
    if isinstance(entry, dict):
        case, scenario = entry.get("case_id"), entry.get("scenario_id", entry.get("scenario"))
        if isinstance(case, str) and isinstance(scenario, str) and case and scenario:
            return f"{case}/{scenario}"
        raise BadInput(f"entry {number} needs a case_id and a scenario_id")
    # The path in a manifest may start anywhere: its last two folders are the case and the scenario.
    parts = PurePosixPath(entry.replace("\\", "/")).parts if isinstance(entry, str) else ()
    named = [part for part in parts if part not in ("/", ".", "..")]
    if len(named) < 2:
        raise BadInput(f"entry {number} is no case_id/scenario")
    return "/".join(named[-2:])
