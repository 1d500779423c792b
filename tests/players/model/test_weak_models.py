"""What helps weak models to play: bounded schemas, only possible moves, rules said plainly."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

import pytest
from pydantic import TypeAdapter

from osler.core.contract import Request
from osler.models.types import Completion, CompletionRequest, Output, Validate
from osler.players.model.messages import opening
from osler.players.model.opinions import OPINIONS, opinion_asked
from osler.players.model.reply_form import reply_form
from osler.protocols.consultation import views
from osler.protocols.consultation.model import schemas as of_consultations
from osler.protocols.consultation.model.players import ModelDoctor, move_of
from osler.protocols.consultation.seats import DoctorView, Finalize
from osler.protocols.scenario.model import schemas as of_scenarios
from osler.protocols.scenario.seats import EXAMINEE
from osler.protocols.shared.model import schemas as of_patients
from osler.protocols.ward_round.model import schemas as of_rounds
from osler.testing.cases import small_case
from osler.testing.quirk_schemas import strict_fault

MODULES: tuple[ModuleType, ...] = (of_consultations, of_scenarios, of_patients, of_rounds)
OUTPUTS = {
    **{f"{m.__name__}:{name}": o for m in MODULES for name, o in vars(m).items() if isinstance(o, Output)},
    **{f"opinion:{what}": opinion_asked(what, "doctor") for what in OPINIONS},
    "derived": reply_form(EXAMINEE.reply, "derived").output,
}


class Asked:
    """A client that keeps what it is asked and always waits."""

    def __init__(self) -> None:
        self.requests: list[CompletionRequest] = []

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        self.requests.append(request)
        assert validate is not None
        return Completion(text="", parsed=validate({"action": "WAIT"} if request.output else "WAIT"))

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


def lists_in(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        if node.get("type") == "array":
            yield node
        for inner in node.values():
            yield from lists_in(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from lists_in(inner)


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_schema_qualifies_for_strict_mode_and_bounds_its_lists(name: str) -> None:
    output = OUTPUTS[name]
    assert output.strict
    assert strict_fault(output.json_schema) is None
    assert all(0 < one["maxItems"] <= 200 for one in lists_in(output.json_schema))
    assert "maxItems" not in output.unbounded_text


@pytest.mark.parametrize("has_consultant", [True, False])
def test_only_possible_moves_are_asked_for(has_consultant: bool) -> None:
    client = Asked()
    asyncio.run(ModelDoctor(client, "m").reply(Request(view(has_consultant=has_consultant), (), "w")))
    output = client.requests[0].output
    assert output is not None
    actions = output.json_schema["properties"]["action"]["enum"]
    assert ("CALL_MDT" in actions) == has_consultant
    assert ("CALL_MDT" in client.requests[0].messages[0].text) == has_consultant


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
        assert "If\n  you ordered tests, WAIT before you conclude." in text
        assert "differential" not in text
        assert "The registration form says: " in text


def test_endless_lists_are_clipped_and_not_refused() -> None:
    names = [{"name": f"d{n}", "confidence": None} for n in range(500)]
    said = {"action": "FINALIZE", "diagnosis": "Gout", "working_diagnoses": names, "evidence": ["x"] * 500}
    move = move_of({**said, "rationale": ["y" * 9000], "plan": "rest"})
    assert isinstance(move, Finalize)
    assert (len(move.working_diagnoses), len(move.evidence), move.plan) == (10, 12, ("rest",))
    assert len(move.rationale[0]) == 4000


def test_bounds_of_a_reply_type_are_kept_and_others_added() -> None:
    form = reply_form(TypeAdapter(dict[str, int]), "free")
    assert not form.output.strict
    (actions,) = [
        one for one in lists_in(reply_form(EXAMINEE.reply, "x").output.json_schema) if one.get("maxItems")
    ]
    assert actions["maxItems"] == 40
