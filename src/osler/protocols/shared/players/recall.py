"""Retrieval of the facts that answer a question: the best-supported one, and one for each part besides."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from typing import Final

from osler.knowledge.vocabulary import Topic
from osler.protocols.shared.patient import PatientFact
from osler.protocols.shared.players.evidence import evidence
from osler.protocols.shared.players.sought import Story, as_a_whole, named_by, story_of
from osler.protocols.shared.players.weighing import (
    BODILY,
    Heard,
    Known,
    bare,
    known,
    plain_questions,
)
from osler.text.topics import Clause, topics_of_question

MOST: Final = 3
# Facts whose evidence differs by less than this count as equally good answers to a question about a topic.
_ALIKE: Final = 0.35
# Two facts whose evidence differs by less are told together: neither is known to be the answer.
_TIE: Final = 0.12
_NEIGHBOURS: Final[dict[Topic, tuple[Topic, ...]]] = {
    "complaint": ("course", "character"),
    "associated": ("systems",),
    "systems": ("associated",),
}
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


def recall(
    heard: Heard,
    facts: Sequence[PatientFact],
    told: Collection[str],
    may: Collection[PatientFact] | None = None,
) -> tuple[PatientFact, ...]:
    """Return the facts that answer `heard`: the one with the best evidence, and others for what it leaves.
    Of equally good ones those that `may` be told come first.

    Only a question about a topic as a whole gets up to three facts of about equal evidence, those not yet
    `told` first. What was told already is told again where it is the answer.
    """
    there = _there(facts)
    found = evidence(heard, there)
    if not found:
        return ()
    story = story_of(there)
    order = sorted(
        (fact for fact in there if fact.id in found), key=lambda fact: (-found[fact.id].score, fact.absent)
    )
    whole = as_a_whole(heard, story)
    open_ = {fact.id for fact in may} if may is not None else set[str]()
    if may is not None:
        within = 2 * _ALIKE if whole else _ALIKE / 2
        least = found[order[0].id].score - within
        order.sort(key=lambda fact: fact.id not in open_ or found[fact.id].score < least)
    best = found[order[0].id]
    if whole:
        alike = [fact for fact in order if found[fact.id].score >= best.score - _ALIKE]
        if may is not None:
            alike = [fact for fact in alike if fact.id in open_] or alike
        new = [fact for fact in alike if fact.id not in told] or alike
        chosen = {fact.id for fact in new[:MOST]}
        return tuple(fact for fact in facts if fact.id in chosen)
    if apart := _topic_by_topic(heard, order, story):
        return tuple(fact for fact in facts if fact.id in apart)
    picked, covered = [order[0].id], set(best.covers)
    wanted = named_by(heard, story)
    for fact in order[1:]:
        more = found[fact.id].covers - covered
        level = found[fact.id].score > best.score - _TIE and found[fact.id].covers >= best.covers
        tie = level and len(picked) < 2 and best.covers and heard.topics[:1] != ("complaint",)
        if len(picked) < MOST and (more & wanted or tie):
            picked.append(fact.id)
            covered |= more
    return tuple(
        sorted((fact for fact in facts if fact.id in picked), key=lambda fact: picked.index(fact.id))
    )


def _topic_by_topic(heard: Heard, order: Sequence[Known], story: Story) -> set[str]:
    """The best fact of each topic of a question about several as a whole: "do you smoke or drink?"."""
    if len(heard.topics) < 2 or BODILY.intersection(heard.topics) or named_by(heard, story):
        return set()
    tagged = {topic: [fact for fact in order if fact.topic == topic] for topic in heard.topics}
    touching = {
        topic: tagged[topic] or [fact for fact in order if topic in fact.topics] for topic in heard.topics
    }
    return {found[0].id for found in touching.values() if found} if len(touching) > 1 else set()


def _there(facts: Sequence[PatientFact]) -> tuple[Known, ...]:
    return tuple([known(fact) for fact in facts])


def holds_any(heard: Heard, facts: Sequence[PatientFact]) -> bool:
    """Whether any fact holds something that a question names, so that a denial might be false."""
    there = _there(facts)
    named = heard.things or frozenset(heard.findings)
    return any(named & (fact.things | fact.findings) or heard.rest & fact.words for fact in there)


def plain_question(said: str) -> Clause | None:
    """Return a canonical question about one finding as a single clause, however many sentences it has."""
    text = bare(said)
    return Clause(text, topics_of_question(said), sure=True, asks=True) if text in plain_questions() else None


@lru_cache(maxsize=20_000)
def asks_if_in_pain(heard: Heard) -> bool:
    """Whether a question is about pain without naming its place, time or kind: "are you in pain?"."""
    if heard.aspects or heard.times or heard.people or heard.rest - _NOW:
        return False
    named = heard.sure or heard.things - {"pain"} or heard.findings or heard.workings
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
    """The facts tagged with each topic, topic by topic; else those that touch it; else its neighbours."""
    there, found = _there(facts), dict[str, None]()
    for topic in topics:
        tagged = [fact for fact in there if fact.topic == topic]
        if topic == "complaint":
            tagged += [fact for fact in there if fact.volunteered and fact.topic != topic]
        touching = tagged or [fact for fact in there if topic in fact.topics]
        near = touching or [fact for fact in there if fact.topic in _NEIGHBOURS.get(topic, ())]
        found.update((fact.id, None) for fact in near)
    by_id = {fact.id: fact for fact in facts}
    return [by_id[name] for name in found]


def fresh(facts: Sequence[PatientFact], told: Collection[str]) -> tuple[PatientFact, ...]:
    """At most three facts: those not told before, or, if all were, the same ones again."""
    return tuple([fact for fact in facts if fact.id not in told] or facts)[:MOST]


def partly(heard: Heard, facts: Sequence[PatientFact]) -> bool:
    """Whether `facts` cover some but not all of the findings, and of the things, that the question names."""
    if heard.things and frozenset[str]().union(*(known(fact).things for fact in facts)) >= heard.things:
        return False
    spoken = frozenset[str]().union(*(known(fact).findings for fact in facts))
    return 0 < len(spoken.intersection(heard.findings)) < len(heard.findings)
