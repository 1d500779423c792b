"""Busy baselines that do not reason: a doctor who parrots the patient, one who asks and orders everything,
and a patient who recites its facts.

As the doctors do not reason, any score they get is earned by mere activity or by a lenient judge.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from osler.knowledge.formulary import formulary
from osler.knowledge.topics import canonical_question
from osler.players.baseline.voice import NOTHING_MORE
from osler.players.trivial import commonest
from osler.seats.contract import Own
from osler.seats.doctor import Ask, DoctorTurn, Finalize, RequestTest, this_turn
from osler.seats.events import Said
from osler.seats.patient import PatientReply, PatientTurn
from osler.seats.topics import TOPICS

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
        own = [item.reply for item in request.feed if isinstance(item, Own)]
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
        told = sum(isinstance(item, Own) for item in request.feed)
        if told >= len(facts):
            return PatientReply(answer=NOTHING_MORE)
        fact = facts[told]
        return PatientReply(answer=fact.spoken or fact.text, revealed_facts=(fact.id,))


@cache
def _panels() -> tuple[str, ...]:
    return tuple(entry.name for entry in formulary() if entry.parts)
