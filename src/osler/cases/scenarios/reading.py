"""Scenarios in our own file format: YAML, one to a file or several, read as data only; also JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from osler.cases.importers.osler_yaml import made_from, records, yaml_text
from osler.cases.importers.report import Rejected
from osler.cases.scenarios.model import Scenario
from osler.errors import BadCase, BadInput
from osler.files import write_once


def read(path: Path) -> Iterator[Scenario | Rejected]:
    """The scenarios of a YAML or JSON file in order. Raises BadInput where the file itself cannot be read."""
    for item in records(path, "scenario"):
        if isinstance(item, Rejected):
            yield item
            continue
        try:
            yield scenario_from(item.value)
        except BadCase as error:
            yield Rejected(item.number, error.what)


def scenario_from(data: Mapping[str, object]) -> Scenario:
    """Build a scenario from plain data. Raises BadCase, naming each field that is wrong."""
    return made_from(Scenario, data)


def scenario_text(scenario: Scenario) -> str:
    """A scenario as canonical YAML: every non-default field, in the model's order."""
    return yaml_text(_said(scenario), scenario.id)


def write_scenario(scenario: Scenario, folder: Path) -> Path:
    """Write `<folder>/<case>_<scenario>.yaml`, or `.json` for a packet of prose, and return the path.

    A file that already holds the same scenario is left as it is; any other is not overwritten (BadInput).
    """
    name = f"{scenario.case_id}_{scenario.scenario}"
    # Long prose parses ten times faster as JSON, and no one edits it here.
    if scenario.packet:
        path, text = folder / f"{name}.json", json.dumps(_said(scenario), ensure_ascii=False, indent=1) + "\n"
    else:
        path, text = folder / f"{name}.yaml", scenario_text(scenario)
    return write_once(path, text, lambda there: _holds(there, scenario))


def _said(scenario: Scenario) -> dict[str, object]:
    said = scenario.model_dump(mode="json", exclude_defaults=True)
    return {"schema_version": scenario.schema_version} | said


def _holds(path: Path, scenario: Scenario) -> bool:
    try:
        found = list(read(path))
    except BadInput:
        return False
    return (
        len(found) == 1 and isinstance(found[0], Scenario) and found[0].content_hash == scenario.content_hash
    )
