"""Relevance scores of facts for a question: by topic, findings, bodily functions and shared words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from math import log
from typing import Final, NamedTuple

from osler.knowledge.vocabulary import Topic
from osler.protocols.shared.patient import PatientFact
from osler.text.findings_in_text import finding, findings, mentions
from osler.text.lay_terms import workings
from osler.text.phrases import words
from osler.text.topics import QUALIFIERS, Clause, topics_touched

SYMPTOMS: Final[frozenset[Topic]] = frozenset({"systems", "associated", "complaint"})
BODILY: Final[frozenset[Topic]] = SYMPTOMS | QUALIFIERS
# A question about other people is never answered with the patient's own symptoms, nor one about a symptom
# with what the patient believes.
_OF_OTHERS: Final[frozenset[Topic]] = frozenset({"family", "exposure"})
APART: Final[frozenset[Topic]] = _OF_OTHERS | {"allergies", "ideas", "concerns", "expectations"}
# A question that cannot be answered by yes or no.
_OPEN: Final = re.compile(
    r"^\W*(?:(?:and|so|ok|okay|well|now)\W+)*"
    r"(?:when|where|how|what|which|why|who|since|describe|tell|can you tell)\b"
)
# Fallback topics that may hold the answer if a topic has no facts.
_NEIGHBOURS: Final[dict[Topic, tuple[Topic, ...]]] = {
    "complaint": ("course", "character"),
    "associated": ("systems",),
    "systems": ("associated",),
}
# Stop words: words of questions that do not tell what is asked.
_COMMON_WORDS: Final = """
you do be have it at all and or of in to for with on this that these those what when where how which who
why can could would will shall may might should about as if so but not no yes there here from by than then
very much many more most other another anything something nothing thing else tell know notice noticed feel
like any problem trouble issue time lately now today ok okay say said see bad good well experience symptom
take use used pain ache hurt severe mild patient doctor past normal such into out up down over under been
come make give go bring harm
last past recent next few come make give go want need try medicine medication tablet drug illness condition
disease history family operation surgery smoke drink work live travel allergy exactly two one way part long
ago since start day week month year often did mention
"""
_COMMON: Final = frozenset(words(_COMMON_WORDS))
# When asked about through one of their signs, mood and injury are treated like other symptoms.
_SIGNS_OF: Final[frozenset[Topic]] = SYMPTOMS | {"mood"}
_INJURY: Final = "injury"
_VISIONS: Final = "visions"
# Signs that patients do not distinguish: an unsteady patient also answers for dizziness.
_TOLD_APART_BY_NOBODY: Final = frozenset({"balance"})
# A question about self-harm is about nothing else, whatever mood it mentions.
SELF_HARM: Final = "self_harm"
SUICIDAL: Final = "suicidal"


# The minimum weight of an answer, and the rarity assumed for a word that no fact contains.
_ENOUGH: Final = 0.8
_UNHEARD: Final = 3.0


class Heard(NamedTuple):
    """A parsed question: its topics, content words, and the findings and bodily functions (`workings`) it
    names.

    `plain` marks one of our own canonical questions about a single finding.
    """

    text: str
    topics: tuple[Topic, ...]
    sure: bool
    words: frozenset[str]
    findings: tuple[str, ...]
    workings: frozenset[str]
    plain: bool


class Known(NamedTuple):
    """A fact indexed for retrieval; `topics` are all it touches. A volunteered fact belongs to the
    complaint."""

    id: str
    topic: Topic
    volunteered: bool
    words: frozenset[str]
    findings: frozenset[str]
    workings: frozenset[str]
    topics: frozenset[Topic]


@lru_cache(maxsize=20_000)
def hear(clause: Clause) -> Heard:
    """Parse a clause into everything that retrieval needs to know about the question."""
    text = clause.text
    plain = plain_questions().get(text)
    named, bodily = plain or tuple(mentions(text)), workings(text)
    if SELF_HARM in bodily and not plain:
        named, bodily = tuple({SUICIDAL}.intersection(named)), frozenset({SELF_HARM})
    implied = {other for name in named for other in finding(name).implies}
    return Heard(
        text,
        clause.topics,
        clause.sure,
        telling(text),
        tuple(name for name in named if name not in implied and (plain or not name.startswith("onset_"))),
        bodily,
        plain is not None,
    )


@lru_cache(maxsize=20_000)
def telling(text: str) -> frozenset[str]:
    """The content words of `text`, normalised, without stop words."""
    return frozenset(words(text)) - _COMMON


def known(fact: PatientFact) -> Known:
    """Index a fact for retrieval."""
    return _read(fact.id, fact.topic, fact.told == "volunteered", fact.text, fact.spoken or "")


@lru_cache(maxsize=4096)
def weigh(heard: Heard, facts: tuple[Known, ...]) -> Mapping[str, float]:
    """The relevance of each fact to a question, by id; facts below the threshold are left out."""
    near = _near(heard, facts)
    topical = _topical(heard, near)
    held = any(fact.findings.intersection(heard.findings) for fact in near)
    rarity = _rarity(facts)
    asked = sum(rarity.get(word, _UNHEARD) for word in heard.words)
    elsewhere = _elsewhere(heard) if topical else 1.0
    weighed: dict[str, float] = {}
    for fact in near:
        weight = 0.0
        if held and heard.findings:
            weight += 2.5 * len(fact.findings.intersection(heard.findings)) / len(heard.findings)
        if heard.workings and (held or not heard.findings or _TOLD_APART_BY_NOBODY & heard.workings):
            weight += len(fact.workings & heard.workings) / len(heard.workings)
        if asked:
            weight += 2.0 * sum(rarity[word] for word in fact.words & heard.words) / asked
        weight = weight + _topic_weight(heard, fact) if fact.id in topical else weight * elsewhere
        if weight >= _ENOUGH:
            weighed[fact.id] = weight
    return weighed


def sharing_words(heard: Heard, facts: tuple[Known, ...]) -> str | None:
    """The id of the fact that shares the rarest words with a question that could not be matched otherwise;
    `None` if the overlap is too small to be more than a guess."""
    rarity = _rarity(facts)

    def weight(fact: Known) -> float:
        return sum(rarity[word] for word in fact.words & heard.words)

    best = max(facts, key=weight, default=None)
    if best is None:
        return None
    shared = best.words & heard.words
    # A single common word, or a small part of a long question, would be a guess.
    sure = 2 * len(shared) >= len(heard.words) and weight(best) > 1.5
    return best.id if shared and sure else None


def ids_of_topics(topics: Iterable[Topic], facts: Sequence[Known]) -> list[str]:
    """The ids of the facts tagged with each topic; else of those that touch it; else of its neighbours."""
    found: dict[str, None] = {}
    for topic in topics:
        tagged = [fact for fact in facts if fact.topic == topic]
        if topic == "complaint":
            tagged += [fact for fact in facts if fact.volunteered and fact.topic != topic]
        touching = tagged or [fact for fact in facts if topic in fact.topics]
        near = touching or [fact for fact in facts if fact.topic in _NEIGHBOURS.get(topic, ())]
        found.update((fact.id, None) for fact in near)
    return list(found)


def _near(heard: Heard, facts: Sequence[Known]) -> Sequence[Known]:
    """The candidate facts: a symptom is not answered with someone else's, a drug's effect, or a belief."""
    if heard.plain:
        return [fact for fact in facts if fact.topic != "allergies" or fact.topic in heard.topics]
    if _OF_OTHERS.intersection(heard.topics) and not _asks_injury(heard):
        asked = frozenset(heard.topics)
        return [fact for fact in facts if fact.topic in asked or fact.topics & asked]
    apart = APART.difference(heard.topics)
    return [fact for fact in facts if fact.topic not in apart]


def _topical(heard: Heard, facts: Sequence[Known]) -> set[str]:
    """The facts of a question's topics; for a question about one symptom, all facts about symptoms."""
    found = set(ids_of_topics(heard.topics, facts))
    if _asks_one_symptom(heard):
        found.update(fact.id for fact in facts if fact.topic in SYMPTOMS)
    return found


def _asks_one_symptom(heard: Heard) -> bool:
    if _is_general(heard):
        return False
    if _asks_injury(heard):
        return True
    if (heard.findings or _VISIONS in heard.workings) and _SIGNS_OF.issuperset(heard.topics):
        return True
    return bool(heard.workings) and SYMPTOMS.issuperset(heard.topics)


def _asks_injury(heard: Heard) -> bool:
    """Whether the exposure asked for is an injury of the patient's own, such as a blow or a fall."""
    return heard.topics == ("exposure",) and _INJURY in heard.workings


def _topic_weight(heard: Heard, fact: Known) -> float:
    """The weight of a topic match: small if the question is about one symptom."""
    if _asks_one_symptom(heard):
        return 0.5
    tagged = fact.topic in heard.topics
    rank = heard.topics.index(fact.topic) if tagged else 1
    return (2.0 if heard.sure else 1.4) * (1.0 if tagged else 0.6) - 0.1 * rank


def _elsewhere(heard: Heard) -> float:
    """The discount on the other evidence for a fact outside the topic asked for."""
    if heard.plain or _VISIONS in heard.workings:
        return 1.0
    if heard.sure and QUALIFIERS.intersection(heard.topics) and _OPEN.match(heard.text):
        return 0.3
    return 0.4 if heard.sure and heard.topics[0] not in BODILY else 0.7


def _is_general(heard: Heard) -> bool:
    return heard.topics[:1] in (("complaint",), ("associated",))


@lru_cache(maxsize=1024)
def _rarity(facts: tuple[Known, ...]) -> dict[str, float]:
    """The inverse document frequency of each word over the facts."""
    spread = Counter(word for fact in facts for word in fact.words)
    return {word: log(1 + len(facts) / count) for word, count in spread.items()}


@lru_cache(maxsize=20_000)
def _read(name: str, topic: Topic, volunteered: bool, text: str, spoken: str) -> Known:
    both = f"{text} . {spoken}" if spoken else text
    return Known(
        name,
        topic,
        volunteered,
        telling(both),
        frozenset(mentions(text)).union(mentions(spoken)),
        workings(both),
        topics_touched(text),
    )


@cache
def plain_questions() -> dict[str, tuple[str, ...]]:
    """Our canonical questions, normalised like clauses, with the finding that each is about."""
    return {bare(item.ask): (item.id,) for item in findings() if item.ask}


def bare(said: str) -> str:
    """Normalise an utterance like a clause: lower case, without outer punctuation."""
    return said.lower().strip(" .?!;\n")
