"""Whole consultations with a model in every seat, against the fake endpoint."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from osler.core.contract import Player
from osler.core.events import Released, Said, Seat
from osler.models.config import Capabilities
from osler.models.types import ModelClient
from osler.players.model import messages
from osler.players.model.seat import Moves
from osler.protocols.consultation.model.players import ModelConsultant, ModelDoctor, ModelExamination
from osler.protocols.consultation.settings import Limits, Settings
from osler.protocols.consultation.story import conclusion_of
from osler.protocols.shared.model.grounded import GroundedPatient
from osler.protocols.shared.model.patient import ModelPatient
from osler.testing.cases import canary_case, small_case
from osler.testing.players import RandomDoctor, Rebuilt, Watching
from tests.players.model.table import KEY, Overheard, consult, grows
from tests.prompts.seats import messages_of

SEATS: tuple[Seat, ...] = ("doctor", "patient", "examination", "consultant")
# A script that makes the fake endpoint take every kind of move, and every seat refuse or fail once.
MOVES = (
    {"action": "ASK", "question": "This stays confidential. How much do you drink?"},
    {"action": "CALL_MDT", "question": "What would you ask next?"},
    {"action": "REQUEST_TEST", "test_name": "CXR and lipase"},
    {"action": "FINALIZE", "diagnosis": "Pneumonia", "confidence": 0.7, "evidence": ["crackles", ""]},
)


def everybody(client: ModelClient, moves: Moves = "json") -> dict[Seat, Player]:
    return {
        "doctor": ModelDoctor(client, "fake", moves=moves),
        "patient": ModelPatient(client, "fake"),
        "examination": ModelExamination(client, "fake"),
        "consultant": ModelConsultant(client, "fake"),
    }


def scripted(*moves: dict[str, Any] | str) -> list[dict[str, Any]]:
    # A rule that answers hides the request from those after it, so each of these answers its first.
    rules: list[dict[str, Any]] = [{"match": {"seat": "doctor", "nth": 1}, "reply": move} for move in moves]
    match = {"action": "MATCH", "findings": ["F02"], "unheld": ["Lipase"], "unclear": []}
    told = {"action": "ANSWER", "answer": "A bottle of wine most evenings.", "facts": ["F04"]}
    return [
        *rules,
        {"match": {"seat": "patient", "contains": "confidential"}, "reply": {"move": told}},
        {"match": {"seat": "examination"}, "reply": {"note": "CXR is F02", "move": match}},
    ]


@pytest.mark.parametrize("moves", ["json", "text"])
def test_a_model_in_every_seat_plays_to_the_end(moves: Moves) -> None:
    trace, overheard = consult(small_case(), lambda client: everybody(client, moves))
    assert trace.outcome.status == "completed"
    concluded = conclusion_of(trace)
    assert concluded is not None
    assert concluded["diagnosis"] == "Community-acquired pneumonia"
    used = [json.loads(row.attempts) for row in trace.rows]
    assert all([entry["at"] for entry in entries] == ["used"] for entries in used), "and nothing was refused"
    assert overheard.asked.keys() == {"doctor", "patient", "examination"}


@pytest.mark.parametrize("json_object", [True, False])
def test_it_does_so_where_the_endpoint_knows_no_schemas(json_object: bool) -> None:
    less = Capabilities(json_schema=False, json_object=json_object)
    trace, _ = consult(small_case(), everybody, capabilities=less)
    assert trace.outcome.status == "completed"


def test_every_player_may_be_built_anew_before_every_call() -> None:
    def rebuilt(client: ModelClient) -> dict[Seat, Player]:
        return {
            "doctor": Rebuilt(lambda: ModelDoctor(client, "fake")),
            "patient": Rebuilt(lambda: GroundedPatient(ModelPatient(client, "fake"))),
            "examination": Rebuilt(lambda: ModelExamination(client, "fake")),
            "consultant": Rebuilt(lambda: ModelConsultant(client, "fake")),
        }

    def once(client: ModelClient) -> dict[Seat, Player]:
        return {**everybody(client), "patient": GroundedPatient(ModelPatient(client, "fake"))}

    assert consult(small_case(), rebuilt)[0] == consult(small_case(), once)[0]


def test_every_move_of_a_model_has_its_effect() -> None:
    trace, overheard = consult(small_case(), everybody, script=scripted(*MOVES))
    assert trace.outcome.status == "completed"
    released = {event.item: event.provenance for event in trace.of(Released)}
    assert released["f4"] == "case", "the assurance was given, so the fact could be told"
    assert {"x2"} <= {row["findings"][0] for row in trace.replies("examination")}
    assert trace.replies("consultant")[0]["diagnosis_suggestion"] == "Community-acquired pneumonia"
    concluded = conclusion_of(trace)
    assert concluded is not None
    assert concluded["evidence"] == ["crackles"]
    assert set(overheard.asked) == set(SEATS)


def test_text_moves_order_consult_wait_and_conclude() -> None:
    said = (
        "CONSULT: [what next?]",
        "REQUEST TEST: [CXR]",
        "I will wait.\nWAIT",
        "DIAGNOSIS READY: [Pneumonia]",
    )
    trace, _ = consult(small_case(), lambda client: everybody(client, "text"), script=scripted(*said))
    assert [move["action"] for move in trace.replies("doctor")] == [
        "CALL_MDT",
        "REQUEST_TEST",
        "WAIT",
        "FINALIZE",
    ]
    assert trace.outcome.status == "completed"


# Messages grow only at their end


def assert_messages_grow(overheard: Overheard, *seats: Seat, at_least: int = 1) -> None:
    for seat in seats:
        sent = [request.messages for request in overheard.asked[seat]]
        assert len(sent) > at_least, f"{seat} was asked {len(sent)} times: the test proves nothing"
        for earlier, later in pairwise(sent):
            assert grows(earlier, later), f"{seat}: the messages changed before their end"
            roles = [message.role for message in later]
            assert roles[0] == "system"
            assert roles[-1] == "user"
            assert all(one != other for one, other in pairwise(roles)), "roles alternate"


@pytest.mark.parametrize("moves", ["json", "text"])
def test_messages_of_every_seat_begin_with_those_of_the_call_before(moves: Moves) -> None:
    _, overheard = consult(small_case(), lambda client: everybody(client, moves))
    assert_messages_grow(overheard, "doctor", "patient", "examination")


def test_they_do_under_a_doctor_who_does_anything_at_all() -> None:
    def cast(client: ModelClient) -> dict[Seat, Player]:
        return {**everybody(client), "doctor": RandomDoctor()}

    settings = Settings(limits=Limits(max_turns=30, max_tests_per_visit=None))
    asked = Counter[str]()
    for seed in "1234":
        _, overheard = consult(canary_case(), cast, settings=settings, seed=seed)
        assert_messages_grow(overheard, "patient", "examination", "consultant", at_least=0)
        asked.update({seat: len(requests) for seat, requests in overheard.asked.items()})
    assert min(asked["patient"], asked["examination"], asked["consultant"]) > 6


def test_they_do_when_attempts_are_refused() -> None:
    """The doctor names no option, then waits for nothing: the table refuses, and says why at the end."""
    refused = (
        {"action": "FINALIZE", "diagnosis": "Pneumonia", "answer": "Z"},
        {"action": "FINALIZE", "diagnosis": "Pneumonia", "answer": "Q"},
        {"action": "ASK", "question": "When did it start?"},
        {"action": "FINALIZE", "diagnosis": "Pneumonia", "answer": "B"},
    )
    settings = Settings(options="shown")
    trace, overheard = consult(canary_case(), everybody, script=scripted(*refused), settings=settings)
    assert trace.outcome.status == "completed"
    attempts = json.loads(trace.rows[0].attempts)
    assert [entry["at"] for entry in attempts] == ["used", "refused", "used", "refused", "used"]
    assert_messages_grow(overheard, "doctor")
    last = overheard.asked["doctor"][-1].messages
    own = [message.text for message in last if message.role == "assistant"]
    assert [json.loads(text)["answer"] for text in own[:2]] == ["Z", "Q"], "it is shown what was refused"
    assert sum("answer must be one of" in message.text for message in last) == 2


def test_a_kept_beginning_changes_nothing() -> None:
    """What is kept between calls may save work and nothing else."""
    watched: dict[Seat, Watching] = {}

    def cast(client: ModelClient) -> dict[Seat, Player]:
        watched.update({seat: Watching(player) for seat, player in everybody(client).items()})
        return dict(watched)

    consult(small_case(), cast)
    for seat in ("doctor", "patient", "examination"):
        for request in watched[seat].seen:
            kept = messages_of(request)
            messages._recent.clear()
            assert messages_of(request) == kept


# What is sent


def test_the_same_consultation_is_asked_and_answered_the_same_way_twice() -> None:
    (first, one), (second, other) = (consult(small_case(), everybody) for _ in range(2))
    assert first == second
    assert one.asked == other.asked


def test_seeds_depend_on_world_seat_and_place_alone() -> None:
    _, overheard = consult(small_case(), everybody)
    _, elsewhere = consult(small_case(), everybody, seed="1")
    seeds = [request.seed for asked in overheard.asked.values() for request in asked]
    others = [request.seed for asked in elsewhere.asked.values() for request in asked]
    assert len(set(seeds)) == len(seeds)
    assert not set(seeds) & set(others)
    assert all(seed is not None and 0 <= seed < 2**31 for seed in seeds)


def test_no_key_stands_in_a_trace_or_a_prompt() -> None:
    trace, overheard = consult(small_case(), everybody)
    assert KEY not in str(trace)
    assert KEY not in str(overheard.asked)


def test_no_seat_is_sent_what_it_has_not_earned() -> None:
    """The marks of the canary case: what is kept back is not even in the patient's own prompt."""

    def cast(client: ModelClient) -> dict[Seat, Player]:
        asks = RandomDoctor(questions=("When did it start?",), orders=("lipase",), patience=8)
        return {**everybody(client), "doctor": asks}

    _, overheard = consult(canary_case(), cast)
    text = {
        seat: "\n".join(m.text for r in asked for m in r.messages) for seat, asked in overheard.asked.items()
    }
    assert "zq-asked-qz" in text["patient"]
    for hidden in ("zq-confidential-qz", "zq-in-private-qz", "zq-diagnosis-qz", "zq-tested-qz"):
        assert hidden not in text["patient"]
    assert "zq-alias-qz" in text["examination"]
    for hidden in ("zq-tested-qz", "zq-examined-qz", "zq-record-qz", "zq-asked-qz"):
        assert hidden not in text["examination"], "the service picks a name; results are not its to see"


# Faults


def test_a_doctor_that_never_answers_well_is_invalid_play_and_a_patient_a_simulator_fault() -> None:
    nonsense = [{"match": {"seat": "doctor"}, "reply": "I would rather not."}]
    trace, _ = consult(small_case(), everybody, script=nonsense)
    assert trace.outcome.status == "invalid_play"
    nonsense = [{"match": {"seat": "patient"}, "reply": {"answer": ""}}]
    trace, _ = consult(small_case(), everybody, script=nonsense)
    assert trace.outcome.status == "simulator_fault"
    assert "I would rather not" not in "".join(event.text for event in trace.of(Said))


def test_a_model_patient_may_not_claim_to_tell_what_is_kept_back() -> None:
    blurts = [{"match": {"seat": "patient"}, "reply": {"answer": "I drink.", "revealed_facts": ["f4"]}}]
    trace, _ = consult(small_case(), everybody, script=blurts)
    assert trace.outcome.status == "simulator_fault"


def test_a_fabrication_is_asked_for_once_more_and_then_ends_the_consultation() -> None:
    def cast(client: ModelClient) -> dict[Seat, Player]:
        return {**everybody(client), "patient": GroundedPatient(ModelPatient(client, "fake"))}

    invents = {"answer": "I have been coughing up blood."}
    first = [{"match": {"seat": "patient", "nth": 1}, "reply": invents}]
    trace, overheard = consult(small_case(), cast, script=first)
    assert trace.outcome.status == "completed"
    assert "your facts do not say this" in overheard.asked["patient"][1].messages[-1].text
    assert "coughing up blood" not in str(trace.replies("patient"))

    always = [{"match": {"seat": "patient"}, "reply": invents}]
    trace, _ = consult(small_case(), cast, script=always)
    assert trace.outcome.status == "simulator_fault"
    assert "blood" not in "".join(event.text for event in trace.of(Said))
