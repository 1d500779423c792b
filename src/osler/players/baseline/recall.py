"""Which facts answer a question: by finding, by topic, by the working of the body, by words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache
from math import log
from typing import Final, NamedTuple

from osler.knowledge.lay import workings
from osler.knowledge.phrases import words
from osler.knowledge.reading import finding, findings, mentions
from osler.knowledge.topics import Clause, topics_of_question, topics_touched
from osler.seats.patient import PatientFact
from osler.seats.topics import Topic

MOST: Final = 3
SYMPTOMS: Final[frozenset[Topic]] = frozenset({"systems", "associated", "complaint"})
QUALIFIERS: Final[frozenset[Topic]] = frozenset({"course", "character", "modifiers"})
# What somebody else has is never answered by the patient's own symptoms.
OF_OTHERS: Final[frozenset[Topic]] = frozenset({"family", "exposure"})
_APART: Final[frozenset[Topic]] = OF_OTHERS | {"allergies"}
HABITS: Final[frozenset[Topic]] = frozenset({"tobacco", "alcohol", "drugs"})
BODILY: Final[frozenset[Topic]] = SYMPTOMS | QUALIFIERS
# A question that cannot be answered by yes or no.
_OPEN: Final = re.compile(
    r"^\W*(?:(?:and|so|ok|okay|well|now)\W+)*"
    r"(?:when|where|how|what|which|why|who|since|describe|tell|can you tell)\b"
)
_PAIN: Final = re.compile(r"\b(?:pain(?:s|ful)?|ach(?:e|es|ing|y)|hurt(?:s|ing)?|sore(?:ness)?|discomfort)\b")
_PAIN_ELSEWHERE: Final = re.compile(r"\b(?:other|others|else|elsewhere|anywhere|before|ever)\b")
_NOW: Final = frozenset({"right", "moment"})
# Where pain that brings a patient in is told of, first place first.
_TELL_OF_PAIN: Final[tuple[Topic, ...]] = (
    "complaint",
    "character",
    "course",
    "modifiers",
    "associated",
    "systems",
)
# Where a topic has no facts, these may hold the answer.
_NEIGHBOURS: Final[dict[Topic, tuple[Topic, ...]]] = {
    "complaint": ("course", "character"),
    "associated": ("systems",),
    "systems": ("associated",),
}
# Words of questions that say nothing of what is asked.
_COMMON_WORDS: Final = """
you do be have it at all and or of in to for with on this that these those what when where how which who
why can could would will shall may might should about as if so but not no yes there here from by than then
very much many more most other another anything something nothing thing else tell know notice noticed feel
like any problem trouble issue time lately now today ok okay say said see bad good well experience symptom
take use used pain ache hurt severe mild patient doctor past normal such into out up down over under been
go come make give want need try medicine medication tablet drug illness condition disease history family
operation surgery smoke drink work live travel allergy exactly two one way part long ago since start day
week month year often did mention
"""
_COMMON: Final = frozenset(words(_COMMON_WORDS))


class Heard(NamedTuple):
    """One question: what it is about, its telling words, the findings and workings it names.

    `plain` says that it is our own plain question about one finding.
    """

    text: str
    topics: tuple[Topic, ...]
    sure: bool
    words: frozenset[str]
    findings: tuple[str, ...]
    workings: frozenset[str]
    plain: bool


class _Known(NamedTuple):
    words: frozenset[str]
    findings: frozenset[str]
    workings: frozenset[str]
    topics: frozenset[Topic]


@lru_cache(maxsize=20_000)
def hear(clause: Clause) -> Heard:
    """A question with all that recall needs to know of it."""
    text = clause.text
    plain = _asks().get(text)
    named = plain or tuple(mentions(text))
    implied = {other for name in named for other in finding(name).implies}
    return Heard(
        text,
        clause.topics,
        clause.sure,
        frozenset(words(text)) - _COMMON,
        tuple(name for name in named if name not in implied),
        workings(text),
        plain is not None,
    )


def recall(heard: Heard, facts: Sequence[PatientFact], told: Collection[str]) -> tuple[PatientFact, ...]:
    """The facts that answer `heard`, at most three for a topic; those not yet `told` come first."""
    found = _recalled(heard, facts, told)
    habits = [topic for topic in heard.topics if topic in HABITS]
    for habit in habits if len(habits) > 1 else ():
        # "Do you smoke or drink?" wants both answered.
        if not any(fact.topic == habit for fact in found):
            found += tuple(fact for fact in facts if fact.topic == habit)[:1]
    return found


def _recalled(heard: Heard, facts: Sequence[PatientFact], told: Collection[str]) -> tuple[PatientFact, ...]:
    topical = of_topics(heard.topics, facts)
    near = _near(heard, facts) if heard.findings or heard.workings else []
    bodily = not heard.topics or heard.topics[0] in BODILY
    if heard.findings:
        asked = (
            [fact for fact in facts if fact.topic != "allergies" or fact.topic in heard.topics]
            if heard.plain
            else near
        )
        about = [fact for fact in asked if _known(fact).findings.intersection(heard.findings)]
        qualified = heard.sure and bool(QUALIFIERS.intersection(heard.topics)) and topical
        if qualified and _OPEN.match(heard.text):
            return fresh([fact for fact in topical if fact in about] or topical, told)
        if about:
            return _covering(heard.findings, about, told)
        if qualified:
            return fresh([fact for fact in topical if fact.topic in heard.topics], told)
        if bodily:
            return _alike(heard, near)
    elif heard.workings and SYMPTOMS.issuperset(heard.topics) and not _is_general(heard):
        return fresh(
            _narrowed(heard, [fact for fact in near if _known(fact).workings & heard.workings]), told
        )
    return fresh(_narrowed(heard, topical), told)


def _near(heard: Heard, facts: Sequence[PatientFact]) -> list[PatientFact]:
    """The facts that may answer a question about a symptom: not somebody else's, nor a drug's doing."""
    if OF_OTHERS.intersection(heard.topics):
        asked = frozenset(heard.topics)
        return [fact for fact in facts if fact.topic in asked or _known(fact).topics & asked]
    apart = _APART.difference(heard.topics)
    return [fact for fact in facts if fact.topic not in apart]


def plain_question(said: str) -> Clause | None:
    """Our own plain question about one finding, as one clause however many sentences it has."""
    text = _bare(said)
    return Clause(text, topics_of_question(said), sure=True, asks=True) if text in _asks() else None


@lru_cache(maxsize=20_000)
def asks_if_in_pain(heard: Heard) -> bool:
    """Whether a question is about pain and names no place, time or kind of it: "are you in pain?"."""
    named = heard.sure or heard.words - _NOW or heard.findings or heard.workings
    return not named and bool(_PAIN.search(heard.text)) and not _PAIN_ELSEWHERE.search(heard.text)


def of_pain(facts: Sequence[PatientFact]) -> tuple[PatientFact, ...]:
    """The fact that tells of pain, the complaint's before others, a pain before the lack of one."""
    found = [
        fact
        for fact in facts
        if fact.topic in _TELL_OF_PAIN and _PAIN.search(f"{fact.text} {fact.spoken or ''}".lower())
    ]
    return tuple(sorted(found, key=lambda fact: (fact.absent, _TELL_OF_PAIN.index(fact.topic)))[:1])


def of_topics(topics: Iterable[Topic], facts: Sequence[PatientFact]) -> list[PatientFact]:
    """Facts tagged with a topic; else those that touch it; else those of its neighbours; topic by topic."""
    found: dict[str, PatientFact] = {}
    for topic in topics:
        tagged = [fact for fact in facts if fact.topic == topic]
        if topic == "complaint":
            tagged += [fact for fact in facts if fact.told == "volunteered" and fact.topic != topic]
        touching = tagged or [fact for fact in facts if topic in _known(fact).topics]
        near = touching or [fact for fact in facts if fact.topic in _NEIGHBOURS.get(topic, ())]
        found.update((fact.id, fact) for fact in near)
    return list(found.values())


def by_words(heard: Heard, facts: Sequence[PatientFact]) -> tuple[PatientFact, ...]:
    """The one fact that shares the rarest words with a question that nothing else could place."""
    spread = Counter(word for fact in facts for word in _known(fact).words)

    def weight(shared: Collection[str]) -> float:
        return sum(log(1 + len(facts) / spread[word]) for word in shared)

    best = max(facts, key=lambda fact: weight(_known(fact).words & heard.words), default=None)
    if best is None:
        return ()
    shared = _known(best).words & heard.words
    # A single common word, or a small part of a long question, is a guess.
    sure = 2 * len(shared) >= len(heard.words) and weight(shared) > 1.5
    return (best,) if shared and sure else ()


def fresh(facts: Sequence[PatientFact], told: Collection[str]) -> tuple[PatientFact, ...]:
    """At most three facts: those not told before, or the same again where all were."""
    return tuple([fact for fact in facts if fact.id not in told] or facts)[:MOST]


def partly(heard: Heard, facts: Sequence[PatientFact]) -> bool:
    """Whether `facts` speak of some of the findings that the question names, and not of all."""
    spoken = frozenset[str]().union(*(_known(fact).findings for fact in facts))
    return 0 < len(spoken.intersection(heard.findings)) < len(heard.findings)


def _covering(
    names: Sequence[str], about: Sequence[PatientFact], told: Collection[str]
) -> tuple[PatientFact, ...]:
    """For each finding the fact that speaks of it, one not yet told if there is one."""
    chosen: dict[str, PatientFact] = {}
    for name in names:
        holding = [fact for fact in about if name in _known(fact).findings]
        if holding and not any(fact.id in chosen for fact in holding):
            best = next((fact for fact in holding if fact.id not in told), holding[0])
            chosen[best.id] = best
    return tuple(chosen.values())


def _alike(heard: Heard, facts: Sequence[PatientFact]) -> tuple[PatientFact, ...]:
    """The fact most in the question's own words, so that what it says is not denied by another name."""
    alike = [fact for fact in facts if _known(fact).words & heard.words]
    return tuple(_narrowed(heard, alike)[:1])


def _narrowed(heard: Heard, facts: Sequence[PatientFact]) -> list[PatientFact]:
    """The facts that share most with the question, or all where none stands out."""
    if len(facts) < 2:
        return list(facts)
    shares = [
        len(known.words & heard.words) + len(known.workings & heard.workings) for known in map(_known, facts)
    ]
    most = max(shares)
    return [fact for fact, share in zip(facts, shares, strict=True) if share == most]


def _is_general(heard: Heard) -> bool:
    return heard.topics[:1] in (("complaint",), ("associated",))


def _known(fact: PatientFact) -> _Known:
    return _read(fact.text, fact.spoken or "")


@lru_cache(maxsize=20_000)
def _read(text: str, spoken: str) -> _Known:
    both = f"{text} . {spoken}" if spoken else text
    return _Known(
        frozenset(words(both)) - _COMMON,
        frozenset(mentions(text)).union(mentions(spoken)),
        workings(both),
        topics_touched(text),
    )


@cache
def _asks() -> dict[str, tuple[str, ...]]:
    """Our own plain questions, as clauses spell them, with the finding that each is about."""
    return {_bare(item.ask): (item.id,) for item in findings() if item.ask}


def _bare(said: str) -> str:
    return said.lower().strip(" .?!;\n")
