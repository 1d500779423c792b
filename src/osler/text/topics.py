"""Topic recognition: the history topics of questions and statements, and the assurances a doctor gives.

The words are in topics.yaml. Every function here is pure and cached; a question costs a few microseconds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib import resources
from itertools import chain
from operator import add
from typing import Final, NamedTuple

import yaml

from osler.knowledge.vocabulary import TOPICS, Topic
from osler.text.disclosure_conditions import assurances, conditions_met, may_tell
from osler.text.phrases import Phrases, words
from osler.text.tokens import lowered, mended

__all__ = [
    "QUALIFIERS",
    "Clause",
    "assurances",
    "canonical_question",
    "clauses",
    "conditions_met",
    "is_canonical",
    "may_tell",
    "topic_of_statement",
    "topics_of_question",
    "topics_touched",
]

# Phrases under this key have no topic: they only keep their words from matching one.
_NOTHING: Final = "nothing"
_LEVELS: Final = ("sure", "hint", "word")
_WEIGHTS: Final = (3.0, 2.0, 1.0)
# The weight of the source's own heading against that of the words.
_HEADING: Final = 1.5
# Topics that take precedence: in one clause with them, an illness, a drug or a date is about them.
_RULES_OVER: Final[dict[Topic, frozenset[Topic]]] = {
    "family": frozenset({"identity", "past_medical", "past_surgical", "systems", "associated", "mood"}),
    "allergies": frozenset({"medications", "drugs", "diet", "systems"}),
    "modifiers": frozenset({"course", "character", "systems", "medications", "diet", "complaint"}),
    "gynaecological": frozenset({"course", "birth"}),
    "immunization": frozenset({"course"}),
    "exposure": frozenset({"past_medical", "systems", "course"}),
    "ideas": frozenset({"complaint", "concerns", "systems"}),
    "concerns": frozenset({"complaint", "systems"}),
    "expectations": frozenset({"complaint", "medications"}),
    "course": frozenset({"systems", "complaint"}),
    "character": frozenset({"systems", "complaint"}),
    "associated": frozenset({"systems"}),
    "alcohol": frozenset({"medications"}),
    "tobacco": frozenset({"medications"}),
    "past_surgical": frozenset({"course", "past_medical"}),
    "medications": frozenset({"past_medical", "systems", "mood", "course"}),
}
_STATEMENT_RULERS: Final = {topic: _RULES_OVER[topic] for topic in ("family", "allergies", "immunization")}
# "How much", "how long" and "what is it like" can be asked about any subject.
QUALIFIERS: Final[frozenset[Topic]] = frozenset({"course", "character", "modifiers"})
# Under these headings of a source, words of the listed topics still belong to the heading.
_HOLDS: Final[dict[Topic, frozenset[Topic]]] = {
    "complaint": frozenset({"complaint", "associated", "systems"}),
    "course": frozenset({"complaint", "associated", "systems"}),
    "associated": frozenset({"complaint", "associated", "systems", "diet", "mood"}),
    "systems": frozenset({"complaint", "associated", "systems", "diet", "mood", "course", "character"}),
    "past_medical": frozenset({"complaint", "associated", "systems", "course", "character", "mood"}),
    "family": frozenset({"past_medical", "systems", "mood", "course"}),
}
_SENTENCE: Final = re.compile(r"[^.?!;\n]+[.?!;\n]*")
# "and do you ...", "or is it ..." start another question.
_JOINED: Final = re.compile(
    r" (?:and|or|but),? (?=(?:do|does|did|have|has|is|are|was|were|when|where|how|what|who|can|could|any)\b)"
)
# So does the comma in "Are you on the pill, do you use condoms", if a question precedes it.
_LISTED: Final = re.compile(r", (?=(?:do|does|did|have|has|is|are|was|were|can|could|any)\b)")
_QUESTION: Final = re.compile(
    r"^\W*(?:(?:and|so|ok|okay|right|now|then|well)\W+)*"
    r"(?:do|does|did|have|has|is|are|was|were|can|could|any|how|what|who)\b(?!.*\b(?:if|when|such as|like)\b)"
)
_LIKE: Final = re.compile(r"\bwhat(?:'s| is| are| was| were| does| do| did)\b[^,]{0,40}\blike\b")
_SYMPTOMS: Final[frozenset[Topic]] = frozenset({"systems", "associated", "complaint"})
_BODY: Final[frozenset[Topic]] = QUALIFIERS | {"systems"}
_REQUEST: Final = re.compile(
    r"\b(?:tell|describe|explain|list|show|wonder)\b"
    r"|^\W*(?:(?:and|so|ok|okay|right|now|then|well|also)\W+)*"
    r"(?:any|do|does|did|have|has|is|are|was|were|whats?|what's|when|wheres?|hows?|how's|who|whos|which|why|can|could|would|ever)\b"
)


class Clause(NamedTuple):
    """One question or sentence of an utterance, with its topics, most specific first.

    `sure`: a phrase of the topic itself occurred, not just a word that hints at it.
    """

    text: str
    topics: tuple[Topic, ...]
    sure: bool
    asks: bool


class _Label(NamedTuple):
    topic: Topic | None
    level: int


@cache
def _source() -> dict[str, dict[str, str]]:
    text = resources.files("osler.knowledge").joinpath("topics.yaml").read_text(encoding="utf-8")
    source: dict[str, dict[str, str]] = yaml.safe_load(text)
    return source


@cache
def _lexicon() -> Phrases[tuple[_Label, ...]]:
    source = _source()
    keys: dict[str, Topic | None] = {_NOTHING: None, **{topic: topic for topic in TOPICS}}
    labelled = (
        (phrase, (_Label(topic, level),))
        for key, topic in keys.items()
        for level, name in enumerate(_LEVELS)
        for phrase in source[key].get(name, "").split(",")
        if phrase.strip()
    )
    return Phrases(labelled, merge=add)


@lru_cache(maxsize=20_000)
def clauses(question: str) -> tuple[Clause, ...]:
    """Split an utterance into its sentences and coordinated questions, each with its topics."""
    result: list[Clause] = []
    for sentence in _SENTENCE.findall(mended(question)):
        asks = "?" in sentence or _REQUEST.search(sentence) is not None
        result.extend(
            Clause(part, *_topics(part), asks)
            for joined in _JOINED.split(sentence)
            for raw in (_LISTED.split(joined) if _QUESTION.search(joined) else (joined,))
            if (part := raw.strip(" .?!;\n"))
        )
    return tuple(result)


@lru_cache(maxsize=20_000)
def as_one(utterance: str) -> Clause:
    """An utterance as one clause that asks, whatever its parts are."""
    text = lowered(utterance).strip()
    return Clause(text, *_topics(text), asks=True)


def topics_of_question(question: str) -> tuple[Topic, ...]:
    """The topics that a doctor's words ask about, in order, most specific first; empty if none is recognized.

    Remarks count only if no question or request is understood.
    """
    parts = [clause for clause in clauses(question) if clause.topics]
    asked = [clause for clause in parts if clause.asks] or parts
    return tuple(dict.fromkeys(chain.from_iterable(clause.topics for clause in asked)))


@lru_cache(maxsize=20_000)
def topic_of_statement(text: str, default: Topic) -> Topic:
    """The topic of a patient's fact; `default` is the topic of the source's own heading, and breaks ties."""
    result = _find(text)
    dropped = _ruled_over(result, _STATEMENT_RULERS)
    score: dict[Topic, float] = {default: _HEADING}
    for _, topic, level in result:
        if topic not in dropped:
            held = default if topic in _HOLDS.get(default, ()) else topic
            score[held] = score.get(held, 0.0) + _WEIGHTS[level]
    return max(score, key=lambda topic: score[topic])


@lru_cache(maxsize=20_000)
def topics_touched(text: str) -> frozenset[Topic]:
    """Every topic that a fact touches, so that a fact with several can answer a question on each."""
    return frozenset(item.topic for item in _find(text) if item.level == 0 or item.topic in QUALIFIERS)


@lru_cache(maxsize=20_000)
def words_of_topics(question: str) -> frozenset[str]:
    """The words, in normal form, of the phrases that surely name the topics of a question."""
    spoken = words(question)
    return frozenset(
        word
        for match in _lexicon().find(spoken)
        if any(label.level == 0 and label.topic not in _BODY for label in match.label)
        for word in spoken[match.start : match.end]
    )


def canonical_question(topic: Topic) -> str:
    """A plain question about `topic` that `topics_of_question` recognizes as such."""
    return _source()[topic]["ask"]


def is_canonical(clause: str) -> bool:
    """Whether a clause is part of our own plain question about a topic."""
    return clause in _canonical()


@cache
def _canonical() -> frozenset[str]:
    return frozenset(clause.text for topic in TOPICS for clause in clauses(canonical_question(topic)))


class _TopicMatch(NamedTuple):
    length: int
    topic: Topic
    level: int


def _find(text: str) -> list[_TopicMatch]:
    return [
        _TopicMatch(end - start, label.topic, label.level)
        for start, end, labels in _lexicon().find(words(text))
        for label in labels
        if label.topic is not None
    ]


def _topics(clause: str) -> tuple[tuple[Topic, ...], bool]:
    result = _find(clause)
    is_like = _LIKE.search(clause) is not None
    if not result:
        return (("character",), True) if is_like else ((), False)
    surest = min(item.level for item in result)
    items = sorted((item for item in result if item.level == surest), key=lambda item: -item.length)
    dropped = _ruled_over(items, _RULES_OVER)
    topics = dict.fromkeys(item.topic for item in items if item.topic not in dropped)
    if is_like and _SYMPTOMS.issuperset(topics):
        return ("character", *topics), True
    if "systems" in topics:
        topics["associated"] = None
    return tuple(topics), surest == 0


def _ruled_over(matches: Sequence[_TopicMatch], rules: dict[Topic, frozenset[Topic]]) -> set[Topic]:
    return {other for item in matches for other in rules.get(item.topic, ())}
