"""Players who work without thinking: a doctor who repeats the patient, one who asks and orders everything
there is, and a patient who recites.

The doctors are busy and do not reason, so what they score is earned by activity or by a lenient judge.
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
"""Characters of the patient's words that are repeated: more could name no diagnosis."""


class Parrot:
    """Repeats the patient's last words as a question, until it has heard them before; then concludes with
    them. Of options, takes the first key."""

    name: Final = "parrot"
    durable: Final = False

    async def reply(self, request: DoctorTurn) -> Ask | Finalize:
        """The patient's last words, as a question or as the conclusion."""
        heard = [item.text for item in request.feed if isinstance(item, Said) and item.by == "patient"]
        words = (heard[-1] if heard else request.view.patient_opening)[:_LONGEST].strip() or "Hm."
        turn = this_turn(request)
        if turn.last_chance or turn.turns_left < 1 or heard.count(heard[-1] if heard else "") > 1:
            options = request.view.task.options
            return Finalize(diagnosis=words, answer=min(options) if options else None)
        return Ask(question=words)


class RepeatEverything:
    """Asks about every topic and orders every panel, by turns, until a limit is reached; then names the
    commonest condition, whatever was found."""

    name: Final = "repeat-everything"
    durable: Final = False

    async def reply(self, request: DoctorTurn) -> Ask | RequestTest | Finalize:
        """The next question or panel on the list; the conclusion when there is none or on the last turn."""
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
    """A patient who tells one fact an answer, in the order they stand in, whatever is asked. What is told
    only on a condition is left out. It shows a doctor the order of a case's facts."""

    name: Final = "reciter"
    durable: Final = False

    async def reply(self, request: PatientTurn) -> PatientReply:
        """The next fact; when all are told, that there is no more."""
        facts = [fact for fact in request.view.facts if fact.told in ("volunteered", "asked")]
        told = sum(isinstance(item, Own) for item in request.feed)
        if told >= len(facts):
            return PatientReply(answer=NOTHING_MORE)
        fact = facts[told]
        return PatientReply(answer=fact.spoken or fact.text, revealed_facts=(fact.id,))


@cache
def _panels() -> tuple[str, ...]:
    return tuple(entry.name for entry in formulary() if entry.parts)
