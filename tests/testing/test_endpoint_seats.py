"""The endpoint's templates: it plays every seat of a consultation, however the answer is asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from osler.protocols.consultation.seats import DOCTOR, Advice, Ask, ExaminationReply, Finalize, RequestTest
from osler.protocols.shared.patient import PatientReply
from osler.testing.endpoint_chat import Endpoint, Pace
from osler.testing.endpoint_http import HttpRequest
from tests.testing.schemas import CONTRACTS, body_of, chat, content_of, turns


def ask(request: Mapping[str, object], endpoint: Endpoint | None = None) -> str:
    endpoint = endpoint or Endpoint(Pace(), None, ())
    reply = endpoint.handle(HttpRequest("POST", "/v1/chat/completions", body_of(request)))
    assert reply.status == 200, reply.body
    return content_of(json.loads(reply.body))


def schema(seat: str) -> dict[str, Any]:
    return CONTRACTS[seat].reply.json_schema()


def test_a_doctor_asks_then_tests_then_concludes() -> None:
    moves = [DOCTOR.reply.validate_json(ask(chat(*turns(n), schema=schema("doctor")))) for n in range(8)]
    assert [type(move) for move in moves] == [Ask] * 4 + [RequestTest] * 2 + [Finalize] * 2
    assert len({move.question for move in moves if isinstance(move, Ask)}) == 4


def test_a_doctor_is_known_by_a_flat_schema_too() -> None:
    flat = {
        "type": "object",
        "properties": {
            "action": {"enum": ["ASK", "REQUEST_TEST", "FINALIZE"]},
            "question": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "test_name": {"type": ["string", "null"]},
            "diagnosis": {"type": ["string", "null"]},
        },
        "required": ["action", "question", "test_name", "diagnosis"],
        "additionalProperties": False,
    }
    moves = [json.loads(ask(chat(*turns(n), schema=flat)))["action"] for n in (0, 4, 6)]
    assert moves == ["ASK", "REQUEST_TEST", "FINALIZE"]


@pytest.mark.parametrize("shown", ["A: pneumonia\nB: asthma", '{"A": "pneumonia"}', "- A) pneumonia"])
def test_a_doctor_picks_an_option_where_options_are_shown(shown: str) -> None:
    system, _, *rest = turns(6)
    final = DOCTOR.reply.validate_json(ask(chat(system, shown, *rest, schema=schema("doctor"))))
    assert isinstance(final, Finalize)
    assert final.answer == "A"
    plain = DOCTOR.reply.validate_json(ask(chat(*turns(6), schema=schema("doctor"))))
    assert isinstance(plain, Finalize)
    assert plain.answer is None


def test_the_other_seats_answer_without_inventing_anything() -> None:
    said = {
        seat: CONTRACTS[seat].reply.validate_json(
            ask(chat("Hello.", "Now a chest x-ray.", schema=schema(seat)))
        )
        for seat in ("patient", "examination", "consultant")
    }
    assert isinstance(said["patient"], PatientReply)
    assert said["patient"].revealed_facts == ()
    assert isinstance(said["examination"], ExaminationReply)
    assert (said["examination"].match_type, said["examination"].findings) == ("none", ())
    assert isinstance(said["consultant"], Advice)


@pytest.mark.parametrize("seat", sorted(CONTRACTS))
@pytest.mark.parametrize("more", [{"response_format": {"type": "json_object"}}, {}])
def test_a_schema_in_the_prompt_is_filled_as_one_beside_it(seat: str, more: dict[str, object]) -> None:
    rules = (
        f"Answer with JSON {{like this}} by the schema:\n{json.dumps(schema(seat), indent=1)}\nNothing else."
    )
    said = ask(chat(rules, 'They said {"properties": {"x": 1}}.') | more)
    if not more:
        assert said.startswith("Here is my answer:\n```json\n")
        said = said.split("```json\n")[1].split("\n```")[0]
    CONTRACTS[seat].reply.validate_json(said)


def test_a_doctor_of_few_words_makes_text_moves() -> None:
    system = "You are a doctor. Say REQUEST TEST: [name] or DIAGNOSIS READY: [diagnosis]."
    said = [ask(chat(system, *turns(n)[1:])) for n in (0, 4, 6)]
    assert said[0].endswith("?")
    assert said[1:] == ["REQUEST TEST: [Full blood count]", "DIAGNOSIS READY: [Community-acquired pneumonia]"]


@pytest.mark.parametrize("system", ["You are a patient seeing a doctor.", "You speak for the patient."])
def test_a_patient_without_a_schema_answers_in_prose(system: str) -> None:
    assert "doctor" in ask(chat(system, "Any pain?"))


def test_a_judge_gives_every_verdict_it_is_asked_for() -> None:
    verdict = {
        "type": "object",
        "properties": {"met": {"type": "boolean"}, "quote": {"type": "string"}},
        "required": ["met", "quote"],
    }
    wanted = {
        "type": "object",
        "properties": {"r1": verdict, "r2": verdict},
        "required": ["r1", "r2"],
        "additionalProperties": False,
    }
    said = json.loads(ask(chat("Judge.", "A transcript.", schema=wanted)))
    assert {key: value["met"] for key, value in said.items()} == {"r1": True, "r2": True}


def test_a_prompt_that_grows_at_its_end_is_counted_as_cached_up_to_there() -> None:
    endpoint = Endpoint(Pace(), None, ())

    def usage(*said: str) -> tuple[int, int]:
        body = body_of(chat(*said))
        reply = json.loads(endpoint.handle(HttpRequest("POST", "/v1/chat/completions", body)).body)["usage"]
        return reply["prompt_tokens"], reply["prompt_tokens_details"]["cached_tokens"]

    first, cached = usage("rules", "case one", "a")
    assert cached == 0
    second, cached = usage("rules", "case one", "a", "b")
    assert cached == first
    _, cached = usage("rules", "case one", "a", "b", "c")
    assert cached == second
    _, cached = usage("rules", "case one", "another answer", "b")
    assert 0 < cached < first
    _, cached = usage("rules", "case two", "a", "b")
    assert cached == 0, "instructions shared by two conversations are no conversation"
    seats = endpoint.stats.shown()["seats"]
    assert isinstance(seats, dict)
    assert seats.keys() == {"other"}


def test_an_answer_longer_than_allowed_is_cut_and_says_so() -> None:
    endpoint = Endpoint(Pace(), None, ())
    body = body_of(chat("You are a patient.", "Well?", max_tokens=2))
    choice = json.loads(endpoint.handle(HttpRequest("POST", "/v1/chat/completions", body)).body)["choices"][0]
    assert choice["finish_reason"] == "length"
    assert len(choice["message"]["content"]) == 8
