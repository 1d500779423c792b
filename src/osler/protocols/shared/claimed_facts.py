"""What a patient claims to have told, beside what its words tell.

What it says it has told counts only if its words tell it, and what they tell counts though it does not say
so. An answer that denies what the case holds is refused: the table asks again, and then blames the simulator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from osler.core.composite import AnyPlayer
from osler.core.contract import Request
from osler.players.checked import Checked
from osler.protocols.shared.patient import (
    PATIENT,
    PatientFact,
    PatientReply,
    PatientView,
    contradicted_by,
    doctor_said,
)
from osler.reading.statements import KnownFact, told_in
from osler.text.topics import may_tell

DoctorsWords = Callable[[Request[PatientView]], Sequence[str]]
"""Everything said to the patient so far, the latest last."""

_SHOWN: Final = 200


def checked_patient(player: AnyPlayer, words: DoctorsWords = doctor_said) -> AnyPlayer:
    """A patient whose answers are read: `PatientReply.revealed_facts` becomes what they tell."""

    def read(request: Request[PatientView], reply: PatientReply) -> PatientReply:
        heard = words(request)
        facts = [fact for fact in request.view.facts if may_tell(fact.told, heard)]
        told = facts_told(reply.answer, heard[-1] if heard else "", facts, reply.revealed_facts)
        return reply.model_copy(update={"revealed_facts": told, "claimed": reply.revealed_facts})

    return Checked(player, PATIENT, read)


def told_by_words(answer: str, question: str, facts: Sequence[PatientFact]) -> tuple[str, ...]:
    """The facts that a person's answer to a question tells; none that it contradicts."""
    against = contradicted_by(answer, facts)
    told = told_in(answer, question, [as_known(fact) for fact in facts])
    return tuple(item for item in told if item not in against)


def as_known(fact: PatientFact) -> KnownFact:
    """A fact as it is compared with an answer."""
    return KnownFact(fact.id, fact.text, fact.spoken or "", fact.absent)


def facts_told(
    answer: str, question: str, facts: Sequence[PatientFact], claimed: Sequence[str]
) -> tuple[str, ...]:
    """The facts that an answer to a question tells, then those claimed that are not among `facts`, which the
    rules refuse.

    Raises ValueError for an answer that contradicts one of `facts`.
    """
    if wrong := contradicted_by(answer, facts):
        texts = "; ".join(repr(fact.text[:_SHOWN]) for fact in facts if fact.id in wrong)
        raise ValueError(f"this contradicts your facts: {texts}. Say what they hold")
    there = {fact.id for fact in facts}
    return (
        *told_in(answer, question, [as_known(fact) for fact in facts], claimed),
        *(item for item in claimed if item not in there),
    )
