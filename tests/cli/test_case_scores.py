"""`osler cases scores`: which scores a set of cases allows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cli.main import app
from osler.core.registry import protocol_named

FIXTURES = Path(__file__).parents[1] / "fixtures"


def allowed(*words: str) -> dict[str, Any]:
    done = CliRunner().invoke(app, ["cases", "scores", *words, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_imported_cases_allow_no_score_of_evidence_and_say_what_they_lack() -> None:
    found = allowed(str(FIXTURES / "agentclinic_small.jsonl"))
    rows = {row["score"]: row for row in found["scores"]}
    assert found["cases"] > 0
    assert rows["supporting_evidence"]["cases"] == 0
    assert "marked key" in rows["supporting_evidence"]["needs"]
    assert rows["fact_coverage"]["cases"] > 0
    assert "correct" in found["any_case"]


@pytest.mark.parametrize("protocol", ["consultation", "ward_round", "scenario"])
def test_the_library_allows_every_score(protocol: str) -> None:
    found = allowed("library", "--protocol", protocol)
    assert found["scores"]
    for row in found["scores"]:
        assert 0 < row["cases"] <= found["cases"], row


@pytest.mark.parametrize("protocol", ["consultation", "ward_round", "scenario"])
def test_every_measure_is_listed_with_its_need_or_as_possible_for_any_case(protocol: str) -> None:
    found = allowed("library", "--protocol", protocol)
    needs = {row["score"]: row["needs"] for row in found["scores"]} | dict.fromkeys(found["any_case"])
    measures = protocol_named(protocol).measures
    assert needs == {one.name: one.needs and one.needs.words for one in measures}


def test_the_table_names_each_need() -> None:
    done = CliRunner().invoke(app, ["cases", "scores"], catch_exceptions=False)
    assert done.exit_code == 0
    assert "30 of 30" in done.output
    assert "Any case allows: correct" in done.output
