"""Players that a command names for a study: which conditions they make, who sits where, what is compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from osler.core.config import Config
from osler.errors import BadInput, NotAllowed
from osler.studies.study.design import Study, packaged, study_named
from osler.studies.study.running import RunOptions, conditions
from osler.studies.study.under_study import with_players

TWO = ("model:a", "model:b")
SEAT = {"ward_round": "tutor", "consultation": "doctor", "scenario": "examinee", "vqa": "candidate"}
OPEN = [study for study in packaged() if not {*study.factors} & {*study.given}]


def named(study: Study | str, players: Mapping[str, tuple[str, ...]]) -> tuple[Study, dict[str, Config]]:
    """The study with these players by seat, and the configurations of its conditions."""
    whole = study_named(study) if isinstance(study, str) else study
    found, seats = with_players(whole, players)
    return found, conditions(found, RunOptions(seats=seats))


@pytest.mark.parametrize("study", packaged(), ids=lambda study: study.name)
def test_every_shipped_study_is_played_by_two_that_the_command_names(study: Study) -> None:
    seat = SEAT[study.protocol]
    found, configs = named(study, {seat: TWO})
    under_test = {name: config.insides()[seat] for name, config in configs.items()}
    halves = [{name for name, who in under_test.items() if who == player} for player in TWO]
    assert len(halves[0]) == len(halves[1]) > 0
    for name in halves[1]:
        other = name.replace(TWO[1], TWO[0], 1)
        assert other in halves[0]
        assert other in found.references_of(name), "the second is compared with the first, all else equal"
    assert {found.primary.condition, found.primary.against} <= configs.keys()


@pytest.mark.parametrize("study", OPEN, ids=lambda study: study.name)
def test_one_player_more_makes_no_more_conditions_where_the_seat_is_open(study: Study) -> None:
    seat = SEAT[study.protocol]
    found, configs = named(study, {seat: ("model:a",)})
    assert list(configs) == list(study.all_conditions())
    assert found.primary == study.primary
    who = {config.insides()[seat] for config in configs.values()}
    assert "model:a" in who


def test_tutors_and_students_take_the_places_of_the_studys_own() -> None:
    found, configs = named("students", {"tutor": TWO, "student": ("novice", "model:s")})
    students = ("novice", "model:s", "novice+model:s")
    assert list(configs) == [f"{tutor}/{student}" for tutor in TWO for student in students]
    players = configs["model:b/novice+model:s"].players()
    assert [players[seat] for seat in ("tutor", "student_1", "student_2", "student_3")] == [
        "model:b",
        *("novice", "model:s", "novice"),
    ]
    assert (found.primary.condition, found.primary.against) == (
        "model:b/novice+model:s",
        "model:a/novice+model:s",
    )
    assert found.references_of("model:b/model:s") == ("model:a/model:s", "model:b/novice")


def test_a_mixed_group_is_as_large_as_the_studys_own() -> None:
    _, configs = named("students", {"tutor": TWO, "student": ("model:s", "model:t", "model:u", "model:v")})
    assert [name.partition("/")[2] for name in configs][:5] == [
        *("model:s", "model:t", "model:u", "model:v"),
        "model:s+model:t+model:u",
    ]


def test_students_by_cohorts_sit_in_every_seat() -> None:
    found, configs = named("cohort-size", {"tutor": TWO, "student": ("model:s",)})
    assert list(configs) == [f"{tutor}/{size}" for tutor in TWO for size in (1, 2, 4, 6, 8, 10)]
    players = configs["model:b/4"].players()
    assert [players[f"student_{n}"] for n in range(1, 5)] == ["model:s"] * 4
    assert (found.primary.condition, found.primary.against) == ("model:a/10", "model:a/1")
    _, each = named("cohort-size", {"student": ("model:s", "model:t")})
    assert len(each) == 2 * 18
    assert each["model:t/socratic/2"].players()["student_2"] == "model:t"


def test_wrappers_stand_around_each_and_a_memory_is_of_the_same_doctor() -> None:
    found, configs = named("ladder", {"doctor": TWO})
    last = configs["model:b/+ ensemble"]
    assert last.players()["doctor"] == "model:b+memory+cot+ensemble:3"
    changes = found.all_conditions()["model:b/+ memory"]
    assert changes["memory"]["from"] == "model:b/+ measurement"
    assert found.references_of("model:b/+ memory") == ("model:b/+ measurement", "model:a/+ memory")
    assert found.references_of("model:a/baseline") == ()


def test_biases_stay_a_factor_beside_the_doctors() -> None:
    found, configs = named("bias", {"doctor": TWO})
    name = "model:b/+cot/doctor/recency/strong"
    assert (configs[name].players()["doctor"], configs[name].bias) == ("model:b+cot", "doctor/recency/strong")  # type: ignore[attr-defined]
    assert set(found.references_of(name)) == {
        "model:b/+cot/none",
        "model:b/as named/doctor/recency/strong",
        "model:a/+cot/doctor/recency/strong",
    }


def test_what_names_its_own_player_is_played_once() -> None:
    found, configs = named("examinees", {"examinee": TWO, "patient": ("model:p",)})
    once = [name for name in configs if not name.startswith("model:")]
    assert once == [f"interactive, {who}" for who in ("opening only", "repeats everything", "does nothing")]
    assert len(configs) == 2 * 4 + 3
    assert found.references_of("interactive, does nothing") == ("model:a/interactive",)
    assert found.references_of("model:b/static") == ("model:b/interactive", "model:a/static")
    assert {config.players()["patient"] for config in configs.values()} == {"model:p"}


def test_two_seats_with_several_players_are_crossed() -> None:
    found, configs = named("conversation", {"doctor": TWO, "patient": ("model:p", "model:q")})
    assert len(configs) == 4 * 10
    seats = configs["model:q/model:b/vignette"].players()
    assert (seats["doctor"], seats["patient"]) == ("model:b", "model:q")
    assert set(found.references_of("model:q/model:b/vignette")) == {
        "model:q/model:b/multi turn",
        "model:q/model:a/vignette",
        "model:p/model:b/vignette",
    }


def test_a_condition_beside_the_design_is_played_by_each_patient() -> None:
    _, configs = named("tutors", {"patient": ("model:p", "model:q")})
    control = configs["model:q/another case's steps"]
    assert (control.players()["patient"], control.teach_by) == ("model:q", "another")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("study", "players", "says"),
    [
        ("ablations", {"patient": TWO}, "varies the patient already.* see no patient"),
        ("mdt", {"nobody": ("a",)}, "no seat 'nobody'"),
        ("main", {"tutor": ("silent",)}, "1 tutor is named"),
        ("students", {"tutor": ("silent",)}, "1 tutor is named"),
        ("patient-bias", {"doctor": ("nobody", "baseline")}, "no doctor is called 'nobody'"),
        ("test-time-compute", {"examinee": ("baseline",)}, "cannot judge a move"),
    ],
)
def test_who_cannot_be_seated_is_refused(study: str, players: dict[str, tuple[str, ...]], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        named(study, players)


def own(**more: Any) -> Study:
    return Study.model_validate(
        {
            "name": "own",
            "title": "Own",
            "question": "Which?",
            "protocol": "consultation",
            "conditions": {"one": {}, "other": {"persona": "anxious"}},
            "primary": {"figure": "accuracy", "condition": "other", "against": "one"},
            **more,
        }
    )


def test_a_seat_that_every_condition_fills_takes_nobody() -> None:
    fixed = own(conditions={"one": {"doctor": "baseline"}, "other": {"doctor": "null"}})
    for players in (TWO, ("model:a",)):
        with pytest.raises(BadInput, match="every condition names the doctor itself"):
            named(fixed, {"doctor": players})


@pytest.mark.parametrize("seats", [3, {"doctor": 3}, {"nobody": "baseline"}])
def test_seats_of_a_condition_are_players_by_seat(seats: Any) -> None:
    odd = own(conditions={"one": {}, "other": {"seats": seats}})
    with pytest.raises(BadInput, match=r"names no players by seat|no seat 'nobody'"):
        conditions(odd, RunOptions())


def test_a_file_names_no_code_as_a_conditions_seat(tmp_path: Any) -> None:
    file = tmp_path / "own.yaml"
    hostile = own(conditions={"one": {}, "other": {"seats": {"doctor": "python:os:system"}}})
    file.write_text(hostile.model_dump_json())
    with pytest.raises(NotAllowed, match="does not name 'python:os:system'"):
        study_named(str(file))


def test_calls_and_tokens_are_figures_of_any_protocol_that_a_study_names_them_for() -> None:
    study = study_named("test-time-compute")
    assert {"calls", "tokens"} <= {one.name for one in study.plays.measures}
    assert "calls" not in {one.name for one in study_named("examinees").plays.measures}
