"""No hidden fact reaches a seat before its gate opens.

Every text field of a case carries a mark. Whatever any seat is ever shown is searched for marks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from osler.core.contract import OwnReply, Request
from osler.core.events import Released, Seat
from osler.core.trace import Trace
from osler.core.wrapper_events import Hint
from osler.protocols.consultation.settings import Settings
from osler.protocols.consultation.wrappers.memory import Remembering, RetrievalQuery, RetrievedCard
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
    check_walls(trace, watched, with_options)


def check_walls(trace: Trace, watched: Mapping[Seat, Watching], known_to_doctor: set[str]) -> None:
    """Each seat was shown no more than it always is, and the doctors no more than was released besides."""
    case = canary_case()
    released = {event.item for event in trace.of(Released)}
    by_item = {fact.id: marks(fact.model_dump_json()) & EARNED for fact in case.facts}
    by_item |= {finding.id: marks(finding.model_dump_json()) & EARNED for finding in case.findings}
    earned = set[str]().union(*(by_item.get(item, set()) for item in released))
    for seat, player in watched.items():
        seen = marks("\n".join(shown(request) for request in player.seen))
        allowed = ALWAYS[seat] | (earned | known_to_doctor if seat in ("doctor", "consultant") else set())
        assert seen <= allowed, f"{seat} was shown {seen - allowed}"
        assert "id" not in seen


class Lessons:
    """Finds a lesson about another case at every search."""

    name = "lessons"

    async def __call__(self, seen: RetrievalQuery, /) -> Sequence[RetrievedCard]:
        told = f"{len(seen.told)} zq-lesson-qz"
        return [RetrievedCard(f"{len(seen.told):032d}", Hint(text=told, diagnosis="Gout"))]


@pytest.mark.parametrize("seed", range(6))
def test_the_walls_stand_with_a_memory_and_when_an_episode_is_taken_up_again(
    consult: Play, seed: int
) -> None:
    """Killed after any exchange, the rest is played from the record; lessons are the doctor's alone."""
    case = canary_case()
    lessons_seen = 0

    def play(kept: int = 0, before: Trace | None = None) -> Trace:
        nonlocal lessons_seen
        watched = {seat: Watching(player) for seat, player in built_in().items()}
        watched["doctor"] = Watching(RandomDoctor())
        cast = {**watched, "doctor": Remembering(watched["doctor"], Lessons())}
        rows = before.rows[:kept] if before else ()
        inner = [row for row in before.inner if row.n <= kept] if before else ()
        trace = consult(case, seed=str(seed), recorded=rows, inner=inner, **cast)
        doctor = marks("\n".join(shown(request) for request in watched["doctor"].seen))
        lessons_seen += "lesson" in doctor
        check_walls(trace, {seat: one for seat, one in watched.items() if seat != "doctor"}, set())
        check_walls(trace, {"doctor": watched["doctor"]}, {"lesson"})
        return trace

    whole = play()
    for kept in range(1, len(whole.rows)):
        assert play(kept, whole) == whole
    assert lessons_seen


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
