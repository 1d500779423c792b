"""Distribution figures of scenarios and packets, as data and on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from osler.cases.modality import modality_of
from osler.cases.scenarios.figures import FIGURES, distribution
from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.sources import open_scenarios
from osler.cli.main import app
from tests.protocols.scenario.packets import CASES
from tests.protocols.scenario.stage import PACKET


def with_(**fields: Any) -> Scenario:
    return Scenario.model_validate({**PACKET, **fields})


def test_values_are_counted_the_commonest_first_and_what_is_not_stated_last() -> None:
    found = distribution(
        [
            with_(specialty="Surgery", sex="female"),
            with_(specialty="emergency  medicine", sex="female", body_part="left ankle"),
            with_(specialty="Emergency medicine", sex="male"),
            with_(),
        ]
    )
    assert tuple(found) == FIGURES
    assert list(found["specialty"].items()) == [("emergency medicine", 2), ("Surgery", 1), ("not stated", 1)]
    assert found["sex"] == {"female": 2, "male": 1, "not stated": 1}
    assert list(found["body_part"].items()) == [("left ankle", 1), ("not stated", 3)]


@pytest.mark.parametrize(
    ("age", "band"),
    [
        (0, "under 1"),
        (0.9, "under 1"),
        (1, "1-4"),
        (17.5, "5-17"),
        (18, "18-39"),
        (79, "65-79"),
        (80, "80 and over"),
    ],
)
def test_ages_stand_in_bands(age: float, band: str) -> None:
    assert distribution([with_(age_years=age)])["age"] == {band: 1}


def test_bands_stand_in_order_of_age() -> None:
    ages = (90, 3, 50, 51, 0.1)
    found = distribution([with_(age_years=age) for age in ages] + [with_()])
    assert list(found["age"]) == ["under 1", "1-4", "40-64", "80 and over", "not stated"]


def test_modalities_are_those_of_the_files_also_of_those_left_out() -> None:
    found = distribution(open_scenarios(str(CASES)))
    assert found["modality"] == {"text": 3, "image": 1, "spreadsheet": 1}
    assert distribution([with_()])["modality"] == {"text": 1}
    library = distribution(open_scenarios("library"))
    assert library["modality"]["text"] == 10
    assert library["sex"]["female"] + library["sex"]["male"] == 10


@pytest.mark.parametrize(
    ("name", "modality"),
    [("a/b.PNG", "image"), ("b.mp3", "audio"), ("c", "text"), ("d.csv", "spreadsheet"), ("e.xyz", "other")],
)
def test_a_files_modality_is_told_by_its_suffix(name: str, modality: str) -> None:
    assert modality_of(name) == modality


def test_the_command_counts_a_folder_of_packets_as_a_table_and_as_data() -> None:
    done = CliRunner().invoke(app, ["scenario", "figures", str(CASES), "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["scenarios"], found["rejected"]) == (3, 3)
    assert found["figures"]["sex"] == {"male": 1, "not stated": 2}
    assert sum(found["figures"]["urgency"].values()) == 3
    shown = CliRunner().invoke(app, ["scenario", "figures", str(CASES)])
    told = " ".join(shown.stdout.split())
    assert "3 scenarios, 3 rejected" in told
    assert "33.3 %" in told


def test_where_nothing_can_be_counted_the_command_fails_in_words(tmp_path: Path) -> None:
    (tmp_path / "case" / "scenario1" / "examinee").mkdir(parents=True)
    done = CliRunner().invoke(app, ["scenario", "figures", str(tmp_path)])
    assert done.exit_code == 1
    assert "has no folder" in done.output
