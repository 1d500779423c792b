"""Retrieval of the facts that answer a question: the best-scoring ones, and one for each symptom it names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from osler.knowledge.vocabulary import Topic
from osler.protocols.shared.patient import PatientFact
from osler.protocols.shared.players.weighing import (
    SYMPTOMS,
    Heard,
    Known,
    bare,
    ids_of_topics,
    known,
    plain_questions,
    sharing_words,
    weigh,
)
from osler.text.topics import Clause, topics_of_question

MOST: Final = 3
_HABITS: Final[frozenset[Topic]] = frozenset({"tobacco", "alcohol", "drugs"})
# Facts whose weights differ by less than this count as equally good answers.
_ALIKE: Final = 0.3
_PAIN: Final = re.compile(r"\b(?:pain(?:s|ful)?|ach(?:e|es|ing|y)|hurt(?:s|ing)?|sore(?:ness)?|discomfort)\b")
_PAIN_ELSEWHERE: Final = re.compile(r"\b(?:other|others|else|elsewhere|anywhere|before|ever)\b")
_NOW: Final = frozenset({"right", "moment"})
# The topics under which a presenting pain may be mentioned, in order of preference.
_TELL_OF_PAIN: Final[tuple[Topic, ...]] = (
    "complaint",
    "character",
    "course",
    "modifiers",
    "associated",
    "systems",
)


def recall(heard: Heard, facts: Sequence[PatientFact], told: Collection[str]) -> tuple[PatientFact, ...]:
    """Return the facts that answer `heard`: the best-scoring ones, at most three of about equal weight.

    Of those, the ones not yet `told` come first. Every symptom and habit that a question names gets an answer
    if a fact holds it.
    """
    there = _there(facts)
    weights = weigh(heard, there)
    if not weights:
        return ()
    least = max(weights.values()) - _ALIKE
    alike = [fact for fact in facts if weights.get(fact.id, 0.0) >= least]
    found = fresh(sorted(alike, key=lambda fact: -weights[fact.id]), told)
    besides = _besides(heard, there, {fact.id for fact in found}, told, weights)
    return found + tuple(fact for fact in facts if fact.id in besides)


def to_the_point(heard: Heard, facts: tuple[PatientFact, ...]) -> tuple[PatientFact, ...]:
    """The facts that answer a question about named symptoms, without those that merely stand beside them.

    Asked about numbness, "no chest pain" is no answer.
    """
    if not heard.findings or not SYMPTOMS.issuperset(heard.topics):
        return facts
    read = [(fact, known(fact)) for fact in facts]
    asked = frozenset(heard.findings)
    holding = tuple(fact for fact, one in read if asked & one.findings or heard.workings & one.workings)
    return holding or tuple(fact for fact, one in read if heard.words & one.words)


def _besides(
    heard: Heard,
    facts: Sequence[Known],
    found: Collection[str],
    told: Collection[str],
    weights: Mapping[str, float],
) -> set[str]:
    """For each finding and habit that a question names and `found` does not cover, the fact that does."""
    more: set[str] = set()
    enough = 0.5 * max(weights.values())
    for name in heard.findings:
        holding = [fact.id for fact in facts if name in fact.findings and weights.get(fact.id, 0.0) > enough]
        answered = [fact for fact in holding if fact in found]
        new = [fact for fact in holding if fact not in told]
        if not answered or (new and not set(new).intersection(answered)):
            more.update(sorted(new or holding, key=lambda fact: -weights[fact])[:1])
    for working in heard.workings if len(heard.workings) > 1 and not heard.findings else ():
        # "How are your appetite and your energy?" wants both answered.
        of_it = [fact.id for fact in facts if working in fact.workings and weights.get(fact.id, 0.0) > enough]
        if not any(name in found or name in more for name in of_it):
            more.update(sorted(of_it, key=lambda fact: -weights[fact])[:1])
    habits = [topic for topic in heard.topics if topic in _HABITS]
    for habit in habits if len(habits) > 1 else ():
        # "Do you smoke or drink?" wants both answered.
        of_it = [fact.id for fact in facts if fact.topic == habit]
        if not any(name in found for name in of_it):
            more.update(of_it[:1])
    return more


def _there(facts: Sequence[PatientFact]) -> tuple[Known, ...]:
    return tuple([known(fact) for fact in facts])


def plain_question(said: str) -> Clause | None:
    """Return a canonical question about one finding as a single clause, however many sentences it has."""
    text = bare(said)
    return Clause(text, topics_of_question(said), sure=True, asks=True) if text in plain_questions() else None


@lru_cache(maxsize=20_000)
def asks_if_in_pain(heard: Heard) -> bool:
    """Whether a question is about pain without naming its place, time or kind: "are you in pain?"."""
    named = heard.sure or heard.words - _NOW or heard.findings or heard.workings
    return not named and bool(_PAIN.search(heard.text)) and not _PAIN_ELSEWHERE.search(heard.text)


def of_pain(facts: Sequence[PatientFact]) -> tuple[PatientFact, ...]:
    """The fact that mentions pain, if any: a present pain before an absent one, the complaint's first."""
    found = [
        fact
        for fact in facts
        if fact.topic in _TELL_OF_PAIN and _PAIN.search(f"{fact.text} {fact.spoken or ''}".lower())
    ]
    return tuple(sorted(found, key=lambda fact: (fact.absent, _TELL_OF_PAIN.index(fact.topic)))[:1])


def of_topics(topics: Iterable[Topic], facts: Sequence[PatientFact]) -> list[PatientFact]:
    """The facts of the given topics, topic by topic; see `ids_of_topics`."""
    by_id = {fact.id: fact for fact in facts}
    return [by_id[name] for name in ids_of_topics(topics, _there(facts))]


def by_words(heard: Heard, facts: Sequence[PatientFact]) -> tuple[PatientFact, ...]:
    """The fact that shares the rarest words with a question that could not be matched otherwise, if any."""
    best = sharing_words(heard, _there(facts))
    return tuple(fact for fact in facts if fact.id == best)


def fresh(facts: Sequence[PatientFact], told: Collection[str]) -> tuple[PatientFact, ...]:
    """At most three facts: those not told before, or, if all were, the same ones again."""
    return tuple([fact for fact in facts if fact.id not in told] or facts)[:MOST]


def partly(heard: Heard, facts: Sequence[PatientFact]) -> bool:
    """Whether `facts` cover some but not all of the findings that the question names."""
    spoken = frozenset[str]().union(*(known(fact).findings for fact in facts))
    return 0 < len(spoken.intersection(heard.findings)) < len(heard.findings)
