"""Studies as data: what may be a condition, and which figure decides where cases lack its questions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from osler.errors import BadInput
from osler.protocols.ward_round.config import RoundConfig
from osler.runs import run as runs
from osler.stats.intervals import Estimate
from osler.store.records import RunInfo
from osler.store.store import open_store
from osler.studies.study.design import Study, packaged
from osler.studies.study.running import RunOptions, StudyResult, conditions, run_study

FIXTURE = Path(__file__).parents[2] / "fixtures" / "medtutor_small.json"


def study(**more: Any) -> Study:
    """Two tutors, the silent one to be compared with."""
    return Study.model_validate(
        {
            "name": "small",
            "title": "A small study",
            "question": "Does asking help?",
            "base": {"students": 2, "settings": {"max_rounds": 1}},
            "conditions": {"asks": {"tutor": "socratic"}, "silent": {"tutor": "silent"}},
            "primary": {
                "figure": "learning_gain",
                "otherwise": "step_gain",
                "condition": "asks",
                "against": "silent",
            },
            **more,
        }
    )


def learnt(found: StudyResult, condition: str) -> Estimate:
    """The learning gain of a condition of a study of ward rounds."""
    return found.conditions[condition].figures()["learning_gain"]


def played(wanted: Study, cases: str, store: Path) -> StudyResult:
    with open_store(store) as opened:

        def sit(name: str, config: RoundConfig, find: Callable[[RoundConfig, Any], RunInfo]) -> runs.Session:
            return runs.play(find(config, None), opened)

        return run_study(wanted, RunOptions(cases=cases, limit=2), opened, sit)


def test_every_shipped_study_is_one_that_can_be_played() -> None:
    for each in packaged():
        seats = (
            {"examinee": "model:x"} if each.name == "test-time-compute" else {}
        )  # no built-in one can choose
        assert len(conditions(each, RunOptions(seats=seats))) >= 2


def test_the_primary_figure_is_the_declared_one_where_cases_have_its_questions(tmp_path: Path) -> None:
    found = played(study(), "library", tmp_path / "osler.db")
    assert found.primary.figure == "learning_gain"
    assert "learning_gain" not in {one.figure for one in found.contrasts}
    assert "step_gain" in {one.figure for one in found.contrasts}


def test_cases_that_nobody_prepared_have_its_questions_as_well(tmp_path: Path) -> None:
    lectured = study(
        base={"students": 3, "theory": "telling", "settings": {"max_rounds": 1}},
        conditions={"asks": {"tutor": "lecturer"}, "silent": {"tutor": "silent"}},
    )
    found = played(lectured, "generated:2:1", tmp_path / "osler.db")
    told, silent = (learnt(found, name) for name in ("asks", "silent"))
    assert (found.primary.figure, told.n, told.unscored) == ("learning_gain", 2, 0)
    assert told.value is not None
    assert silent.value is not None
    assert told.value > 0.5 > abs(silent.value)


def test_its_stand_in_decides_where_imported_cases_have_none(tmp_path: Path) -> None:
    found = played(study(), str(FIXTURE), tmp_path / "osler.db")
    assert (found.primary.figure, found.primary.n_pairs) == ("step_gain", 2)
    assert learnt(found, "asks").unscored == 2
    assert "step_gain" not in {one.figure for one in found.contrasts}, "nothing is tested twice"


def test_without_a_stand_in_it_stays_unscored_and_is_said(tmp_path: Path) -> None:
    primary = {"figure": "learning_gain", "condition": "asks", "against": "silent"}
    found = played(study(primary=primary), str(FIXTURE), tmp_path / "osler.db")
    assert (found.primary.figure, found.primary.value, found.primary.unscored) == ("learning_gain", None, 2)


def test_the_same_study_again_asks_nobody(tmp_path: Path) -> None:
    first = played(study(), "library", tmp_path / "osler.db")
    assert played(study(), "library", tmp_path / "osler.db") == first


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"cases": "elsewhere.json"}, "condition odd: cases is no condition"),
        ({"seed": 9}, "condition odd: seed is no condition"),
        ({"settings": 3}, "condition odd: settings: Input should be a valid dictionary"),
        ({"settings": {"max_rounds": 0}}, "condition odd: settings.max_rounds"),
        ({"students": 99}, "condition odd: students"),
        ({"tutor": "nobody"}, "condition odd: .*no tutor is called 'nobody'"),
        ({"tutor": "person"}, "condition odd: .*no tutor is called 'person'"),
        ({"wat": 1}, "condition odd: wat: Extra inputs"),
    ],
)
def test_what_is_no_condition_is_refused_before_anything_is_played(
    changes: dict[str, Any], says: str
) -> None:
    odd = study(conditions={"asks": {}, "silent": {"tutor": "silent"}, "odd": changes})
    with pytest.raises(BadInput, match=says):
        conditions(odd, RunOptions())


def test_who_is_named_for_the_seat_under_test_plays_where_a_condition_leaves_it_open() -> None:
    open_ended = study(conditions={"asks": {}, "silent": {"tutor": "silent"}})
    found = conditions(open_ended, RunOptions(seats={"tutor": "lecturer"}))
    assert [config.players()["tutor"] for config in found.values()] == ["lecturer", "silent"]


def test_a_wrapper_stands_around_whoever_is_named_in_any_protocol() -> None:
    wrapped = Study.model_validate(
        {
            "name": "votes",
            "title": "Votes",
            "question": "Do votes help?",
            "protocol": "scenario",
            "conditions": {"alone": {"examinee": "as named"}, "votes": {"examinee": "+self-consistency:3"}},
            "primary": {"figure": "net", "condition": "votes", "against": "alone"},
        }
    )
    for named in ({}, {"examinee": "model:x"}):
        found = conditions(wrapped, RunOptions(seats=named))
        who = named.get("examinee", "baseline")
        assert [one.players()["examinee"] for one in found.values()] == [who, f"{who}+self-consistency:3"]


@pytest.mark.parametrize(
    ("seats", "says"),
    [
        ({"tutor": "lecturer"}, "every condition names the tutor itself"),
        ({"doctor": "baseline"}, "there is no seat 'doctor'"),
        ({"student_1": "novice"}, "deals out no seats called student_1"),
    ],
)
def test_a_seat_that_nobody_can_be_named_for_is_refused(seats: dict[str, str], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        conditions(study(), RunOptions(seats=seats))


def test_a_protocol_that_is_not_there_is_named() -> None:
    with pytest.raises(ValidationError, match="there is no protocol 'seance'"):
        study(protocol="seance")
