"""Trivial doctors and patients for validity checks: what they score is the floor."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final, Literal

import numpy as np

from osler.core.contract import OwnReply
from osler.core.events import Said
from osler.knowledge.conditions import Knowledge, knowledge
from osler.knowledge.formulary import formulary
from osler.knowledge.vocabulary import TOPICS
from osler.protocols.consultation.events import WorkingDiagnosis
from osler.protocols.consultation.seats import Ask, DoctorTurn, DoctorView, Finalize, RequestTest, this_turn
from osler.protocols.shared.patient import PatientReply, PatientTurn
from osler.protocols.shared.players.voice import NOTHING_MORE
from osler.text.topics import canonical_question


class NullDoctor:
    """The null doctor: never orders or concludes, and says "Hm." every turn, including the last chance."""

    name: Final = "null"
    durable: Final = False

    async def reply(self, request: DoctorTurn) -> Ask:
        """Say the same words, whatever is asked."""
        return Ask(question="Hm.")


class AlwaysConclude:
    """A doctor that concludes at once with the commonest condition for the age and sex; with options, it
    takes the first key."""

    name: Final = "always-conclude"
    durable: Final = False

    def __init__(self, knowing: Knowledge | None = None) -> None:
        self._knowing = knowing

    async def reply(self, request: DoctorTurn) -> Finalize:
        """Conclude from age and sex alone."""
        return commonest(request.view, self._knowing)


def commonest(view: DoctorView, knowing: Knowledge | None = None) -> Finalize:
    """Conclude from age and sex alone, with the commonest condition; with options, the first key."""
    diagnosis = _commonest(knowing or knowledge(), view.age_years, view.sex)
    options = view.task.options
    return Finalize(
        diagnosis=diagnosis,
        answer=min(options) if options else None,
        working_diagnoses=(WorkingDiagnosis(name=diagnosis),),
    )


@lru_cache(maxsize=1024)
def _commonest(knowing: Knowledge, age_years: float | None, sex: Literal["female", "male"] | None) -> str:
    return knowing.conditions[int(np.argmax(knowing.prior(age_years, sex)))].name


_LONGEST: Final = 400
"""The maximum number of characters repeated; a diagnosis could not be longer."""


class Parrot:
    """A doctor that repeats the patient's last words as a question until they recur, and then concludes with
    them. With options, it takes the first key."""

    name: Final = "parrot"
    durable: Final = False

    async def reply(self, request: DoctorTurn) -> Ask | Finalize:
        """Repeat the patient's last words, as a question or as the conclusion."""
        heard = [item.text for item in request.feed if isinstance(item, Said) and item.by == "patient"]
        words = (heard[-1] if heard else request.view.patient_opening)[:_LONGEST].strip() or "Hm."
        turn = this_turn(request)
        if turn.last_chance or turn.turns_left < 1 or heard.count(heard[-1] if heard else "") > 1:
            options = request.view.task.options
            return Finalize(diagnosis=words, answer=min(options) if options else None)
        return Ask(question=words)


class RepeatEverything:
    """A doctor that asks about every topic and orders every panel, alternating, until a limit is reached;
    then it names the commonest condition, whatever was found."""

    name: Final = "repeat-everything"
    durable: Final = False

    async def reply(self, request: DoctorTurn) -> Ask | RequestTest | Finalize:
        """Return the next question or panel on the list; conclude when there is none or on the last turn."""
        turn = this_turn(request)
        own = [item.reply for item in request.feed if isinstance(item, OwnReply)]
        asked, ordered = (sum(isinstance(reply, kind) for reply in own) for kind in (Ask, RequestTest))
        if turn.last_chance or turn.turns_left < 1:
            return commonest(request.view)
        panels = _panels() if turn.tests_left is None or turn.tests_left > 0 else ()
        if ordered < min(asked, len(panels)):
            return RequestTest(test_name=panels[ordered])
        if asked < len(TOPICS):
            return Ask(question=canonical_question(TOPICS[asked]))
        if ordered < len(panels):
            return RequestTest(test_name=panels[ordered])
        return commonest(request.view)


class Reciter:
    """A patient that tells one fact per answer, in the order of the case, whatever is asked. Facts with a
    disclosure condition are left out. It exposes the order of a case's facts to a doctor."""

    name: Final = "reciter"
    durable: Final = False

    async def reply(self, request: PatientTurn) -> PatientReply:
        """Tell the next fact, or, when all are told, that there is no more."""
        facts = [fact for fact in request.view.facts if fact.told in ("volunteered", "asked")]
        told = sum(isinstance(item, OwnReply) for item in request.feed)
        if told >= len(facts):
            return PatientReply(answer=NOTHING_MORE)
        fact = facts[told]
        return PatientReply(answer=fact.spoken or fact.text, revealed_facts=(fact.id,))


@cache
def _panels() -> tuple[str, ...]:
    return tuple(entry.name for entry in formulary() if entry.parts)
