"""A patient (or carer) without a model: topic first, then the facts of that topic, then single symptoms.

It tells nothing but its facts, abstains rather than guesses, and answers what its facts do not hold by the
run's policy. An answer that no fact stands behind has `unanswered_reason="not_in_patient_view"`, except
courtesies and what is known of age and sex.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import log
from typing import Final, Literal, NamedTuple

from osler.knowledge.lay import workings
from osler.knowledge.phrases import words
from osler.knowledge.reading import mentions
from osler.knowledge.topics import (
    Clause,
    carries_on,
    clauses,
    may_tell,
    topics_of_question,
    topics_touched,
)
from osler.players.baseline import voice
from osler.players.baseline.hearing import asks_for_results, greets, parts, turned_back
from osler.seats.contract import Own
from osler.seats.events import Said
from osler.seats.patient import PatientFact, PatientReply, PatientTurn, PatientView
from osler.seats.topics import Topic

_Reason = Literal["none", "not_in_patient_view", "unclear_question"]
_MOST: Final = 3  # facts told in answer to one question
_SYMPTOMS: Final[frozenset[Topic]] = frozenset({"systems", "associated"})
_QUALIFIERS: Final[frozenset[Topic]] = frozenset({"course", "character", "modifiers"})
# What somebody else has, or how someone stands to the world, is never answered by the patient's own symptoms.
_OF_OTHERS: Final[frozenset[Topic]] = frozenset({"family", "exposure"})
# Words of questions that say nothing of what is asked.
_COMMON_WORDS: Final = """
you do be have it and or of in to for with on this that these those what when where how which who why can could
would will shall may might should about as if so but not no yes there here from by than then very much many more
most other another anything something nothing thing else tell know notice noticed feel like any problem trouble
issue time lately now today ok okay say said see bad good well experience symptom take use used pain ache hurt
severe mild patient doctor past normal such into out up down over under been go come make give want need try
medicine medication tablet drug illness condition disease history family operation surgery smoke drink work
live travel allergy exactly two one way part long ago since start day week month year often did mention
"""


_COMMON: Final = frozenset(words(_COMMON_WORDS))


class _Heard(NamedTuple):
    """One question: its words, the findings it names and the workings of the body it is about."""

    text: str
    topics: tuple[Topic, ...]
    words: frozenset[str]
    findings: frozenset[str]
    workings: frozenset[str]


class _Known(NamedTuple):
    """What a fact says."""

    words: frozenset[str]
    findings: frozenset[str]
    workings: frozenset[str]
    topics: frozenset[Topic]


class _Part(NamedTuple):
    """The answer to one question: the facts it tells, or the line that says there are none."""

    facts: tuple[PatientFact, ...] = ()
    line: str = ""
    reason: _Reason = "none"


class BaselinePatient:
    """The built-in patient. Keeps nothing between calls."""

    name: Final = "baseline"
    durable: Final = False

    async def reply(self, request: PatientTurn) -> PatientReply:
        """Answer the doctor's latest words from the view and what was said before."""
        return answer(request)


def answer(request: PatientTurn) -> PatientReply:
    """The reply to the doctor's latest words; a pure function of the request."""
    view, past = request.view, _past(request)
    question = past.said[-1]
    earlier = past.answers.get(question)
    if earlier is not None and not carries_on(question) and not past.assured_since(earlier):
        return earlier.reply
    may = [fact for fact in view.facts if may_tell(fact.told, past.said)]
    answered = _answer(view, may, past, question)
    facts = tuple(dict.fromkeys(fact for part in answered for fact in part.facts))
    lines = [voice.told(fact, by_patient=view.speaker == "patient") for fact in facts]
    lines += [part.line for part in answered if part.line]
    reasons = [part.reason for part in answered if not part.facts and part.reason != "none"]
    return PatientReply(
        answer=voice.wrapped(" ".join(dict.fromkeys(lines)), view.persona.name, request.world, len(past.said)),
        revealed_facts=tuple(fact.id for fact in facts),
        unanswered_reason=reasons[0] if reasons and not facts else "none",
    )
