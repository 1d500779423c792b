"""No hidden fact reaches a seat before its gate opens.

Every text field of a case carries a mark. Whatever any seat is ever shown is searched for marks.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from osler.core.contract import OwnReply, Request
from osler.core.events import Released, Seat
from osler.protocols.consultation.story import Settings
from osler.protocols.shared.patient import PatientReply
from osler.protocols.shared.players.patient import BaselinePatient
from osler.testing.cases import canary_case
from osler.testing.players import RandomDoctor, Watching
from tests.protocols.consultation.conftest import Play, built_in

MARK = re.compile(r"zq-([a-z-]+?)-qz", re.IGNORECASE)
AT_THE_DOOR = {"door", "words", "question"}
ALWAYS: dict[Seat, set[str]] = {
    "doctor": AT_THE_DOOR,
    "consultant": AT_THE_DOOR,
    "patient": {"words", "asked", "confidential", "in-private"},
    "examination": {"alias", "examined", "tested", "record"},
}
EARNED = {"asked", "confidential", "in-private", "record", "examined", "tested"}


def shown(request: Request[Any]) -> str:
    """Everything in a request, as text."""
    items = [item.reply if isinstance(item, OwnReply) else item for item in request.feed]
    return "\n".join([request.view.model_dump_json(), *(item.model_dump_json() for item in items)])


def marks(text: str) -> set[str]:
    return set(MARK.findall(text))


@pytest.mark.parametrize("options", ["hidden", "shown"])
@pytest.mark.parametrize("seed", range(12))
def test_no_seat_is_ever_shown_what_it_has_not_earned(consult: Play, seed: int, options: str) -> None:
    watched = {seat: Watching(player) for seat, player in built_in().items()}
    watched["doctor"] = Watching(RandomDoctor())
    case = canary_case()
    settings = Settings.model_validate({"options": options})
    trace = consult(case, settings=settings, seed=str(seed), **watched)

    with_options = {"option-a", "option-b"} if options == "shown" else set()
    released = {event.item for event in trace.of(Released)}
    by_item = {fact.id: marks(fact.model_dump_json()) & EARNED for fact in case.facts}
    by_item |= {finding.id: marks(finding.model_dump_json()) & EARNED for finding in case.findings}
    earned = set[str]().union(*(by_item.get(item, set()) for item in released))
    for seat, player in watched.items():
        seen = marks("\n".join(shown(request) for request in player.seen))
        allowed = ALWAYS[seat] | (earned | with_options if seat in ("doctor", "consultant") else set())
        assert seen <= allowed, f"{seat} was shown {seen - allowed}"
        assert "id" not in seen


def test_a_gated_fact_is_shown_to_the_doctor_only_after_the_assurance(consult: Play) -> None:
    seen_late = 0
    for seed in range(40):
        doctor = Watching(RandomDoctor())
        consult(canary_case(), seed=str(seed), doctor=doctor)
        for request in doctor.seen:
            text = shown(request)
            found = marks(text)
            if "confidential" in found:
                seen_late += 1
                assert "This stays confidential" in text
            if "in-private" in found:
                seen_late += 1
                assert "in private" in text
    assert seen_late, "no random doctor ever earned a gated fact: the test proves nothing"


class Blurting(BaselinePatient):
    """A patient that tells everything at once, whatever was asked."""

    async def reply(self, request: Request[Any]) -> PatientReply:
        told = " ".join(fact.text for fact in request.view.facts)
        return PatientReply(answer=told, revealed_facts=tuple(f.id for f in request.view.facts))


class Whispering(Blurting):
    """Tells everything too, and declares nothing."""

    async def reply(self, request: Request[Any]) -> PatientReply:
        return (await super().reply(request)).model_copy(update={"revealed_facts": ()})


def test_words_kept_back_are_heard_even_where_nothing_is_declared(consult: Play) -> None:
    doctor = Watching(RandomDoctor(questions=("When did it start?",), orders=("lipase",)))
    trace = consult(canary_case(), doctor=doctor, patient=Whispering())
    assert trace.outcome.status == "simulator_fault"
    assert "confidential" not in marks("".join(shown(request) for request in doctor.seen))


def test_a_patient_that_breaks_a_gate_is_a_simulator_fault_and_its_words_are_lost(consult: Play) -> None:
    doctor = Watching(RandomDoctor(questions=("When did it start?",), orders=("lipase",)))
    trace = consult(canary_case(), doctor=doctor, patient=Blurting())
    assert trace.outcome.status == "simulator_fault"
    assert "confidential" not in marks("".join(shown(request) for request in doctor.seen))
