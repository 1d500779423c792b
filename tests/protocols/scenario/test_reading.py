"""Sources of scenarios: files, folders and packets, always in the same order, nothing lost."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.importers.osler_yaml import made_from
from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.reading import read, read_subset, scenario_text, subset_from, write_scenario
from osler.cases.scenarios.sources import open_scenarios
from osler.errors import BadInput
from tests.protocols.scenario.packets import CASES, SMALL


def small(**changes: object) -> dict[str, object]:
    return {**written(), **changes}


@cache
def written() -> dict[str, object]:
    read: dict[str, object] = yaml.load(SMALL.read_text(), Loader=yaml.CSafeLoader)
    return read


def put(path: Path, *scenarios: dict[str, object]) -> None:
    path.write_text(yaml.safe_dump_all(scenarios, sort_keys=False))


def test_a_scenario_reads_back_as_it_was_written(tmp_path: Path) -> None:
    scenario = open_scenarios(str(SMALL)).get(0)
    path = write_scenario(scenario, tmp_path)
    assert path.name == "small-one_scenario1.yaml"
    assert list(read(path)) == [scenario]
    assert write_scenario(scenario, tmp_path) == path  # the same again is no clash
    with pytest.raises(BadInput, match="a different file is already there"):
        write_scenario(scenario.model_copy(update={"setting": "Elsewhere"}), tmp_path)


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_any_text_of_a_scenario_survives_being_written(words: str) -> None:
    packet = dict.fromkeys(("examinee", "sp_actor", "environment_controller", "evaluator"), words)
    given = {"case_id": "a", "instructions": words, "packet": packet, "provenance": {"origin": words}}
    scenario = made_from(Scenario, given)
    again = yaml.load(scenario_text(scenario), Loader=yaml.CSafeLoader)
    assert made_from(Scenario, {**again, "schema_version": 1}) == scenario


def test_a_folder_is_read_in_natural_order_and_a_bad_file_costs_only_itself(tmp_path: Path) -> None:
    for name in ("s10", "s9", "s1"):
        put(tmp_path / f"{name}.yaml", small(case_id=name))
    (tmp_path / "s2.yaml").write_text("case_id: [unclosed")
    put(tmp_path / "s3.yaml", small(case_id="s3", sates=[]))
    put(tmp_path / "s4.yaml", small(case_id="s9"))
    put(tmp_path / "s5.yaml", small(case_id="s5"), small(case_id="s6"))
    (tmp_path / ".hidden.yaml").write_text("nothing")
    source = open_scenarios(str(tmp_path))
    assert [scenario.case_id for scenario in source] == ["s1", "s9", "s5", "s6", "s10"]
    assert source.report is not None
    assert (source.report.read, source.report.imported, source.report.rejected) == (8, 5, 3)
    reasons = [one.reason for one in source.report.reasons]
    assert reasons[0].startswith("s2.yaml: not valid YAML")
    assert "sates: there is no such field; did you mean states?" in reasons[1]
    assert reasons[2] == "s9.yaml: the id s9/scenario1 is already used in s4.yaml"
    assert [source.get(n).case_id for n in (3, 0, 4)] == ["s6", "s1", "s10"]
    with pytest.raises(BadInput, match="there is no scenario 6"):
        source.get(5)


def test_the_fingerprint_changes_with_what_is_read_and_with_nothing_else(tmp_path: Path) -> None:
    shutil.copytree(CASES.parent, tmp_path / "packets")
    cases = tmp_path / "packets" / "cases"
    first = open_scenarios(str(cases)).fingerprint
    assert first == open_scenarios(str(CASES)).fingerprint
    (cases / "mededportal_90001" / "scenario10" / "examinee" / ".hidden.md").write_text("changed")
    assert open_scenarios(str(cases)).fingerprint == first
    rubric = tmp_path / "packets" / "rubrics" / "mep-99-90001-s001_scenario1.json"
    rubric.write_text(rubric.read_text().replace("mother", "father"))
    changed = open_scenarios(str(cases)).fingerprint
    assert changed != first
    (cases / "mep-99-90001-s001" / "scenario1" / "examinee" / "brief.md").write_text("changed")
    assert open_scenarios(str(cases)).fingerprint not in (first, changed)


@pytest.mark.parametrize(
    ("spec", "format", "why"),
    [
        ("", "auto", "there is no such source"),
        ("no/such/place", "auto", "accepted are"),
        ("library", "fhir", "there is no format 'fhir'"),
        ("a\0b", "auto", "accepted are"),
    ],
)
def test_what_is_no_source_is_refused_with_what_is(spec: str, format: str, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        list(open_scenarios(spec, format))


def test_an_empty_folder_is_no_source(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds no scenarios"):
        open_scenarios(str(tmp_path))


def test_only_what_is_listed_is_read_and_what_is_not_there_is_named() -> None:
    wanted = ("mededportal_90001/scenario10", "mededportal_90001/scenario77")
    source = open_scenarios(str(CASES), only=wanted)
    assert [scenario.id for scenario in source] == ["mededportal_90001/scenario10"]
    assert source.report is not None
    assert [one.reason for one in source.report.reasons] == [
        "mededportal_90001/scenario77: is named in the list, and there is no such scenario"
    ]


@pytest.mark.parametrize(
    "value",
    [
        {"name": "two", "description": "", "n_scenarios": 2, "scenarios": ["a_1/scenario2", "b/scenario10"]},
        {"scenarios": ["a_1/scenario2", "b/scenario10"]},
        ["a_1/scenario2", "b/scenario10"],
        [
            {"case_id": "a_1", "scenario_id": "scenario2"},
            {"case_id": "b", "scenario_id": "scenario10"},
        ],
        ["/data/cases/a_1/scenario2/", "cases\\b\\scenario10"],
    ],
)
def test_every_published_form_of_a_list_is_read(value: object, tmp_path: Path) -> None:
    path = tmp_path / "two.json"
    path.write_text("﻿" + json.dumps(value))
    subset = read_subset(path)
    assert (subset.name, subset.scenarios) == ("two", ("a_1/scenario2", "b/scenario10"))


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ([], "lists no scenarios"),
        ({"name": "x"}, "lists no scenarios"),
        ("a/b", "lists no scenarios"),
        (["scenario1"], "entry 1 is no case_id/scenario"),
        (["a/b", 3], "entry 2"),
        ([{"case_id": "a"}], "needs a case_id and a scenario_id"),
        (["a/b", "a/b"], "names a/b twice"),
        ({"n_scenarios": 3, "scenarios": ["a/b"]}, "says that it lists 3"),
    ],
)
def test_a_list_that_cannot_be_meant_is_refused(value: object, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        subset_from(value, "x")
