"""What a question asks for and what a fact holds, read alike: words, topics, things, people, times and sides.

A thing is a symptom, an illness, a substance, an activity or a person (things.yaml); an aspect is a side of
a complaint such as its onset, its site or what makes it worse (aspects.yaml). Every function is pure and
cached.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final, NamedTuple

import yaml

from osler.knowledge.vocabulary import TOPICS, Topic
from osler.text.findings_in_text import findings
from osler.text.phrases import Phrases, words
from osler.text.tokens import lowered
from osler.text.topics import QUALIFIERS, Clause, clauses, topics_touched, words_of_topics

SYMPTOMS: Final[frozenset[Topic]] = frozenset({"systems", "associated", "complaint"})
BODILY: Final[frozenset[Topic]] = SYMPTOMS | QUALIFIERS
BARE: Final = " .?!;\n"
"""The outer signs that a clause is without."""


class QuestionReading(NamedTuple):
    """A question: its topics, and the things, people, circumstances (`times`) and sides it names.

    `rest` are its content words that no thing explains. `earlier` are the doctor's words just before, if it
    leans on them. `finding` is that of one of our own canonical questions about a single finding.
    """

    text: str
    topics: tuple[Topic, ...]
    sure: bool
    words: frozenset[str]
    things: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    times: frozenset[str] = frozenset()
    aspects: frozenset[str] = frozenset()
    rest: frozenset[str] = frozenset()
    earlier: str = ""
    finding: str = ""


class ComparedFact(NamedTuple):
    """A fact as it is compared with a question; `topics` are all it touches. A `volunteered` fact belongs to
    the complaint. `things` hold people and circumstances, too."""

    id: str
    topic: Topic
    volunteered: bool
    absent: bool
    words: frozenset[str]
    topics: frozenset[Topic]
    things: frozenset[str]
    aspects: frozenset[str]
    text: str


@lru_cache(maxsize=20_000)
def hear(clause: Clause) -> QuestionReading:
    """The subject of a clause that asks: topics, findings and things named."""
    text = clause.text
    things, content = things_asked(text), telling(text)
    return QuestionReading(
        text,
        clause.topics,
        clause.sure,
        content,
        things.things,
        things.people,
        things.times,
        aspects_asked(text),
        content - things.words - words_of_topics(text),
        finding=plain_questions().get(text, ""),
    )


@lru_cache(maxsize=20_000)
def known_by(
    name: str, topic: Topic, volunteered: bool, absent: bool, text: str, spoken: str
) -> ComparedFact:
    """A fact by its plain statement, and the speaker's own words for it."""
    both = f"{text} . {spoken}" if spoken else text
    things = things_held(both, topic)
    return ComparedFact(
        name,
        topic,
        volunteered,
        absent,
        telling(both),
        topics_touched(text),
        things.things | things.people | things.times,
        aspects_held(both),
        lowered(both),
    )


@lru_cache(maxsize=20_000)
def telling(text: str) -> frozenset[str]:
    """The content words of `text`, normalised, without stop words."""
    return frozenset(words(text)) - _common()


@cache
def _common() -> frozenset[str]:
    """The words, in normal form, that do not tell what a question asks."""
    text = resources.files("osler.knowledge").joinpath("common_words.yaml").read_text(encoding="utf-8")
    return frozenset(words(yaml.safe_load(text)["common"]))


@cache
def plain_questions() -> dict[str, str]:
    """The finding that each of our canonical questions is about, by its words as a clause has them."""
    return {item.ask.lower().strip(BARE): item.id for item in findings() if item.ask}


# A question in its conversation: "it", "she" and "since then" are about what was spoken of last.

_SHORT: Final = 10
_TERSE: Final = 6
_POINTS: Final = re.compile(
    r"\b(?:it|its|that|this|they|them|these|those|he|she|him|her|his|one|ones|there|then|any|else)\b"
)
# "How old was he?", "what happened to her?": about the relative spoken of last.
_OF_RELATIVE: Final = re.compile(
    r"\bhow old (?:is|are|was|were) (?:he|she|they)\b|\b(?:to|with|of) (?:him|her|them)\b"
    r"|\b(?:did|does|was|is) (?:he|she)\b"
)
_ELLIPTIC: Final = re.compile(
    r"^\W*(?:(?:and|so|but|or|ok|okay|well|right|oh|also)\W+)*"
    r"(?:how (?:much|many|often|long|old|far|bad)|since when|for how long|when|where|who|why|which|what"
    r"|not even|ever|always|every ?day|really|was|were|is|are|did|do|does|has|have|any)\b"
)


def in_context(reading: QuestionReading, before: Sequence[str]) -> QuestionReading:
    """A question with what it takes over from the doctor's earlier words (`before`, oldest first).

    One that names its subject is unchanged, as is one after a question about the complaint; a fragment, or
    one that points back, has the subject of the latest question that named one.
    """
    size = len(reading.text.split())
    named = reading.finding or reading.things or reading.people or not QUALIFIERS.issuperset(reading.topics)
    points = size <= _SHORT and (size <= _TERSE or _POINTS.search(reading.text) is not None)
    relative = not reading.things and _OF_RELATIVE.search(reading.text) is not None
    if not relative and (named or not points or _ELLIPTIC.match(reading.text) is None):
        return reading
    every = (hear(clause) for text in reversed(before) for clause in reversed(clauses(text)))
    last = next((one for one in every if one.things or not QUALIFIERS.issuperset(one.topics)), None)
    if relative:
        if last is None or last.topics[:1] != ("family",):
            return reading
        return reading._replace(
            topics=last.topics, sure=True, things=last.things, people=last.people, rest=frozenset()
        )
    if last is None or BODILY.issuperset(last.topics):
        return reading
    return reading._replace(
        topics=last.topics,
        sure=last.sure,
        words=reading.words | last.words,
        things=last.things,
        people=last.people,
        earlier=before[-1],
    )


# What is named

# Small words that may stand anywhere inside the name of a thing.
_LIGHT: Final = frozenset(words("be you of in at that this it all by so there then here too"))
_HELD_ONLY: Final = "//"
_ASKED_ONLY: Final = "?"


class Things(NamedTuple):
    """The things a text names, by their keys in things.yaml, and the words in normal form that named them."""

    things: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    times: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()


class _Key(NamedTuple):
    group: str
    name: str


# "Pain" is named by every name of a pain.
_OF_PAIN: Final = _Key("symptoms", "pain")
_BLOOD: Final = re.compile(r"\b(?:blood|bloody|bleed\w*)\b")
_IDIOMS: Final = "idioms"
_PEOPLE: Final = "people"
_TIMES: Final = "times"


class _NameSpan(NamedTuple):
    """A name found at words [`start`, `end`) of a text."""

    keys: frozenset[_Key]
    words: tuple[str, ...]
    start: int
    end: int
    size: int


class _Names:
    """Names of things. Small words may stand inside a name of several words, but not inside one that has a
    single word besides them."""

    def __init__(self, names: Sequence[tuple[str, frozenset[_Key]]]) -> None:
        # A name of several words of which stop words leave one would be met everywhere ("recently started").
        sound = [(phrase, keys) for phrase, keys in names if len(words(phrase)) > (" " in phrase)]
        loose = [(phrase, keys) for phrase, keys in sound if len(_kept(phrase)) > 1]
        strict = [(phrase, keys) for phrase, keys in sound if len(_kept(phrase)) < 2]
        self._loose = Phrases(loose, merge=frozenset.union, light=_LIGHT)
        self._strict = Phrases(strict, merge=frozenset.union)

    def named(self, text: str, *, held: bool = False) -> list[_NameSpan]:
        """Every name found in a text that is no part of a longer one; every pain `held` is one."""
        every = words(text)
        at = [index for index, word in enumerate(every) if word not in _LIGHT]
        kept = [every[index] for index in at]
        result = [
            _NameSpan(
                match.label,
                tuple(kept[match.start : match.end]),
                start := at[match.start],
                end := at[match.end - 1] + 1,
                end - start,
            )
            for match in self._loose.every(kept)
        ]
        result += [
            _NameSpan(
                match.label,
                every[match.start : match.end],
                match.start,
                match.end,
                match.end - match.start,
            )
            for match in self._strict.every(every)
        ]
        return [
            one
            for one in result
            if (held and _OF_PAIN in one.keys)
            or not any(
                other.start <= one.start <= one.end <= other.end and one.size < other.size for other in result
            )
        ]


class _Lexicon(NamedTuple):
    asked: _Names
    held: _Names
    of_topic: dict[Topic, frozenset[str]]
    general: dict[str, frozenset[str]]
    bleeding: dict[str, frozenset[str]]
    patterns: dict[str, re.Pattern[str]]


@lru_cache(maxsize=20_000)
def things_asked(question: str) -> Things:
    """The things that a question names; the longest name wins, so that a chest pain is no other pain."""
    result, text = _things(_lexicon().asked.named(question)), lowered(question)
    matches = {
        name: match for name, pattern in _lexicon().patterns.items() if (match := pattern.search(text))
    }
    if not matches:
        return result
    said = frozenset(words(" ".join(match.group() for match in matches.values())))
    return result._replace(things=result.things.union(matches), words=result.words | said)


@lru_cache(maxsize=20_000)
def things_held(text: str, topic: Topic) -> Things:
    """The things that a fact of a topic names; a longer name hides a shorter one within it."""
    fitting = _lexicon().of_topic[topic]
    result = _things(
        one._replace(keys=frozenset(key for key in one.keys if key.group in fitting))
        for one in _lexicon().held.named(text, held=True)
    )
    if not _BLOOD.search(lowered(text)):
        return result
    bled = {name for name, of in _lexicon().bleeding.items() if result.things & of}
    return result._replace(things=result.things | bled)


@lru_cache(maxsize=20_000)
def aspects_asked(question: str) -> frozenset[str]:
    """The sides of a complaint that a question asks about, by their keys in aspects.yaml."""
    text = lowered(question)
    return frozenset(name for name, (asked, _) in _aspects().items() if asked.search(text))


@lru_cache(maxsize=20_000)
def aspects_held(text: str) -> frozenset[str]:
    """The sides of a complaint that a fact may tell of."""
    text = lowered(text)
    return frozenset(name for name, (_, held) in _aspects().items() if held.search(text))


@cache
def generals() -> Mapping[str, frozenset[str]]:
    """The single things of which each general one is made: a burning urine is about the urine."""
    return _lexicon().general


def _things(spans: Iterable[_NameSpan]) -> Things:
    things, people, times, said = set[str](), set[str](), set[str](), set[str]()
    for one in spans:
        keys = [key for key in one.keys if key.group != _IDIOMS]
        said.update(one.words if keys else ())
        for key in keys:
            (people if key.group == _PEOPLE else times if key.group == _TIMES else things).add(key.name)
    return Things(frozenset(things), frozenset(people), frozenset(times), frozenset(said))


def _kept(text: str) -> tuple[str, ...]:
    return tuple(word for word in words(text) if word not in _LIGHT)


@cache
def _lexicon() -> _Lexicon:
    text = resources.files("osler.knowledge").joinpath("things.yaml").read_text(encoding="utf-8")
    source: dict[str, dict[str, Any]] = _yaml(text)
    asked, held = list[tuple[str, frozenset[_Key]]](), list[tuple[str, frozenset[_Key]]]()
    patterns = source.pop("patterns")
    general, bleeding = (
        {name: frozenset(of.split()) for name, of in source.pop(key).items()}
        for key in ("general", "bleeding")
    )
    for group, listed in source.items():
        for name, phrases in listed["named"].items():
            both, _, only = phrases.partition(_HELD_ONLY)
            key = frozenset({_Key(group, name)})
            asked += [(phrase.removeprefix(_ASKED_ONLY), key) for phrase in _phrases(both)]
            held += [(phrase, key) for phrase in _phrases(both) if not phrase.startswith(_ASKED_ONLY)]
            held += [(phrase, key) for phrase in _phrases(only)]
    return _Lexicon(
        _Names(asked),
        _Names(held),
        {
            topic: frozenset(g for g, listed in source.items() if topic in listed["topics"].split())
            for topic in TOPICS
        },
        general,
        bleeding,
        {name: re.compile(pattern) for name, pattern in patterns.items()},
    )


def _yaml(text: str) -> Any:
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506


def _phrases(listed: str) -> list[str]:
    return [phrase for part in listed.split(",") if (phrase := part.strip())]


@cache
def _aspects() -> dict[str, tuple[re.Pattern[str], re.Pattern[str]]]:
    text = resources.files("osler.knowledge").joinpath("aspects.yaml").read_text(encoding="utf-8")
    source: dict[str, dict[str, list[str]]] = _yaml(text)
    return {
        name: (re.compile("|".join(sides["asked"])), re.compile("|".join(sides["held"])))
        for name, sides in source.items()
    }
