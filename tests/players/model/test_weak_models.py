"""What helps weak models to play: bounded schemas, only possible moves, rules said plainly."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import TypeAdapter

from osler.core.contract import Request
from osler.core.events import TurnBegan
from osler.models.types import Completion, CompletionRequest, Validate
from osler.players.model.messages import opening
from osler.players.model.reply_form import reply_form
from osler.protocols.consultation import views
from osler.protocols.consultation.model.players import ModelDoctor, move_of
from osler.protocols.consultation.seats import DoctorView, Finalize
from osler.protocols.scenario.seats import EXAMINEE
from osler.testing.cases import small_case


class Asked:
    """A client that keeps what it is asked and always waits."""

    def __init__(self) -> None:
        self.requests: list[CompletionRequest] = []

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        self.requests.append(request)
        assert validate is not None
        waits: object = {"move": {"action": "WAIT"}} if request.output else "WAIT"
        return Completion(text="", parsed=validate(waits))

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise NotImplementedError


def view(*, has_consultant: bool) -> DoctorView:
    return views.doctor_view(
        small_case(),
        options_shown=True,
        max_turns=20,
        max_tests_per_visit=3,
        max_visits=1,
        has_consultant=has_consultant,
    )


@pytest.mark.parametrize("has_consultant", [True, False])
def test_only_possible_moves_are_asked_for(has_consultant: bool) -> None:
    client = Asked()
    asyncio.run(ModelDoctor(client, "m").reply(Request(view(has_consultant=has_consultant), (), "w")))
    output = client.requests[0].output
    assert output is not None
    moves = output.json_schema["properties"]["move"]["anyOf"]
    actions = [one["properties"]["action"]["enum"][0] for one in moves]
    assert ("CALL_MDT" in actions) == has_consultant
    assert ("CALL_MDT" in client.requests[0].messages[0].text) == has_consultant


def test_working_diagnoses_come_first_in_every_move_of_a_turn_that_wants_them() -> None:
    turn = TurnBegan(minute=0, turn=1, turns_left=9, differential_wanted=True)
    client, doctor = Asked(), view(has_consultant=False)
    asyncio.run(ModelDoctor(client, "m").reply(Request(doctor, (turn,), "w")))
    asyncio.run(ModelDoctor(client, "m").reply(Request(doctor, (), "w")))
    for request, wanted in zip(client.requests, (True, False), strict=True):
        assert request.output is not None
        for each in request.output.json_schema["properties"]["move"]["anyOf"]:
            action = each["properties"]["action"]["enum"]
            assert ("working_diagnoses" in each["properties"]) == (wanted or action == ["FINALIZE"])
            assert not wanted or action == ["FINALIZE"] or each["required"][1] == "working_diagnoses"


def test_a_text_doctor_is_asked_for_no_schema() -> None:
    client = Asked()
    asyncio.run(ModelDoctor(client, "m", moves="text").reply(Request(view(has_consultant=False), (), "w")))
    assert client.requests[0].output is None


@pytest.mark.parametrize("moves", ["json", "text"])
def test_coaching_is_said_only_where_it_is_asked_for_and_is_part_of_the_name(moves: Any) -> None:
    plain, coached = (ModelDoctor(Asked(), "m", moves=moves, coaching=on) for on in (False, True))
    told = [opening(view(has_consultant=False), one.reads, moves).text for one in (plain, coached)]
    assert ["confidentiality" in text for text in told] == [False, True]
    assert plain.fingerprint != coached.fingerprint
    for text in told:
        assert re.search(r"WAIT\s+(?:for\s+them\s+)?before\s+you\s+conclude", text)
        assert text.count("working_diagnoses") <= 1, "nothing but a conclusion needs them"
        assert "The registration form says: " in text


def test_endless_lists_are_clipped_and_not_refused() -> None:
    names = [{"name": f"d{n}", "confidence": None} for n in range(500)]
    said = {"action": "FINALIZE", "diagnosis": "Gout", "working_diagnoses": names, "evidence": ["x"] * 500}
    move = move_of({**said, "rationale": ["y" * 9000], "plan": "rest"})
    assert isinstance(move, Finalize)
    assert (len(move.working_diagnoses), len(move.evidence), move.plan) == (10, 12, ("rest",))
    assert len(move.rationale[0]) == 4000


@pytest.mark.parametrize(
    ("said", "share"),
    [(0.9, 0.9), ("0.9", 0.9), ("90%", 0.9), ("90 %", 0.9), (90, 0.9), (1, 1), ("1", 1), (0, 0)],
)
def test_a_confidence_is_a_share_or_in_per_cent(said: object, share: float) -> None:
    working = [{"name": "Gout", "confidence": said}]
    final = {"action": "FINALIZE", "diagnosis": "Gout", "confidence": said, "working_diagnoses": working}
    move = move_of(final)
    assert isinstance(move, Finalize)
    assert (move.confidence, move.working_diagnoses[0].confidence) == (share, share)


def test_bounds_of_a_reply_type_are_kept_and_others_added() -> None:
    form = reply_form(TypeAdapter(dict[str, int]), "free")
    assert not form.output.strict
    (fields,) = reply_form(EXAMINEE.reply, "x").output.json_schema["properties"]["move"]["anyOf"]
    assert fields["properties"]["actions"]["maxItems"] == 20
    assert fields["properties"]["actions"]["items"]["maxLength"] == 1000
