"""A model that refuses or leaves its role is asked again, told why, and then ends its episode so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from osler.core.config import Config as RunOf
from osler.protocols.consultation.config import RunConfig
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.ward_round.config import RoundConfig
from osler.runs.totals import totals
from tests.runs.test_model_faults import KEY, VARIABLE, lines_of
from tests.runs.test_single_faults import FEW, KINDS, SEATS, opened, play

REFUSAL: Final = "I'm sorry, but I can't help with that."
SAID: Final = {
    REFUSAL: "refused",
    "As an AI, I don't have symptoms.": "out_of_role",
    "###STOP###": "out_of_role",
    '{"answer": "It hurts here"}': "out_of_role",
    "I should stay in character: it hurts here.": "out_of_role",
    "Doctor: Where does it hurt? Patient: Here.": "out_of_role",
    "I'm going to examine your chest now.": "out_of_role",
}
PATIENTS: Final[dict[str, RunOf]] = {
    "consultation": RunConfig(patient="model:fake", limit=1, settings=FEW),
    "ward_round": RoundConfig(patient="model:fake", limit=1),
    "scenario": ScenarioConfig(patient="model:fake", limit=1),
}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


def answer(kind: str, seat: str, said: str) -> dict[str, Any]:
    """The form of a seat's reply that says something."""
    spoken: dict[str, dict[str, Any]] = {
        "doctor": {"action": "ASK", "question": said},
        "tutor": {
            **dict.fromkeys(("history", "question", "group"), "Nothing yet."),
            "students": [],
            "image": None,
            "guidance": said,
            "covered_steps": [],
        },
        "examinee": {"speak": said, "actions": [], "eos": False},
        "patient": {"answer": said, "revealed_facts": [], "unanswered_reason": "none"},
    }
    if (kind, seat) == ("scenario", "patient"):
        return {"speak": [{"who": "patient", "words": said}], "revealed_facts": []}
    return spoken[seat]


@pytest.mark.parametrize("kind", PATIENTS)
@pytest.mark.parametrize("said", SAID)
def test_a_patient_that_is_none_is_the_simulators_fault(said: str, kind: str, tmp_path: Path) -> None:
    script = [{"match": {"seat": "patient"}, "reply": answer(kind, "patient", said)}]
    with opened(tmp_path, script, PATIENTS[kind]) as (run, store, found):
        assert play(run, store, found).status == "done"
        figures = totals(run, store).as_json()
        assert figures["ended"] == {"simulator_fault": 1}
        assert figures["causes"] == {SAID[said]: 1}
        assert figures["refused_attempts"][SAID[said]] >= 2
        assert said not in [
            row["reply"] for line in lines_of(store, run) for row in json.loads(line)["exchanges"]
        ]


@pytest.mark.parametrize("kind", KINDS)
def test_the_seat_under_test_ends_its_own_way_and_counts_as_wrong(kind: str, tmp_path: Path) -> None:
    seat = SEATS[kind]
    config = KINDS[kind].model_copy(update={"limit": 1})
    for said, cause in ((REFUSAL, "refused"), ("As an AI, I don't have a clinic.", "out_of_role")):
        with opened(tmp_path, [{"match": {"seat": seat}, "reply": answer(kind, seat, said)}], config) as at:
            run, store, found = at
            assert play(run, store, found).status == "done"
            figures = totals(run, store).as_json()
            assert figures["ended"] == {"invalid_play": 1}
            assert figures["causes"] == {cause: 1}
            assert figures["ended_because"] == {"invalid_play": {cause: 1}}


def test_it_is_asked_again_and_told_why_and_may_go_on(tmp_path: Path) -> None:
    script = [
        {"match": {"seat": "patient", "nth": 1}, "reply": answer("consultation", "patient", "###STOP###")},
        {"match": {"seat": "patient"}, "reply": answer("consultation", "patient", "I don't know.")},
    ]
    with opened(tmp_path, script, PATIENTS["consultation"]) as (run, store, found):
        assert play(run, store, found).status == "done"
        figures = totals(run, store).as_json()
        assert "simulator_fault" not in figures["ended"]
        assert figures["causes"] == {}
        assert figures["refused_attempts"] == {"out_of_role": 1}
        [line] = map(json.loads, lines_of(store, run))
        [refused] = [one for row in line["exchanges"] for one in row["attempts"] if one["at"] == "refused"]
        assert refused["by"] == "model"
        assert "control word" in refused["error"]
        assert "You play the patient" in refused["error"]


@pytest.mark.parametrize(
    "asked", ["Do you mean whether I am allergic to any medicines?", "Sorry, did you ask if I have diabetes?"]
)
def test_a_patients_question_contradicts_nothing(asked: str, tmp_path: Path) -> None:
    script = [{"match": {"seat": "patient"}, "reply": answer("consultation", "patient", asked)}]
    config = RunConfig(patient="model:fake", limit=3, settings=FEW)
    with opened(tmp_path, script, config) as (run, store, found):
        assert play(run, store, found).status == "done"
        assert not any('"contradicted"' in line for line in lines_of(store, run))
        assert totals(run, store).as_json()["causes"] == {}
