"""Single things and sides of a complaint: what a question names, and what a fact holds.

A thing is a symptom, an illness, a substance, an activity or a person (things.yaml); an aspect is a side of
a complaint such as its onset, its site or what makes it worse (aspects.yaml). Every function is pure and
cached.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final, NamedTuple

import yaml

from osler.knowledge.vocabulary import TOPICS, Topic
from osler.text.phrases import Phrases, words
from osler.text.tokens import lowered

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


class _Named(NamedTuple):
    """A name found at words [`start`, `end`) of a text."""

    keys: frozenset[_Key]
    words: tuple[str, ...]
    start: int
    end: int

    def within(self, other: _Named) -> bool:
        """Whether this name is a part of a longer one."""
        shorter = self.end - self.start < other.end - other.start
        return shorter and other.start <= self.start and self.end <= other.end


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

    def named(self, text: str, *, held: bool = False) -> list[_Named]:
        """Every name found in a text that is no part of a longer one; every pain `held` is one."""
        every = words(text)
        at = [index for index, word in enumerate(every) if word not in _LIGHT]
        kept = [every[index] for index in at]
        found = [
            _Named(match.label, tuple(kept[match.start : match.end]), at[match.start], at[match.end - 1] + 1)
            for match in self._loose.every(kept)
        ]
        found += [
            _Named(match.label, every[match.start : match.end], match.start, match.end)
            for match in self._strict.every(every)
        ]
        return [one for one in found if (held and _OF_PAIN in one.keys) or not any(map(one.within, found))]


class _Lexicon(NamedTuple):
    asked: _Names
    held: _Names
    of_topic: dict[Topic, frozenset[str]]
    groups: dict[str, frozenset[str]]
    general: dict[str, frozenset[str]]
    bleeding: dict[str, frozenset[str]]
    patterns: dict[str, re.Pattern[str]]


@lru_cache(maxsize=20_000)
def things_asked(question: str) -> Things:
    """The things that a question names; the longest name wins, so that a chest pain is no other pain."""
    found, text = _things(_lexicon().asked.named(question)), lowered(question)
    meant = {name: match for name, pattern in _lexicon().patterns.items() if (match := pattern.search(text))}
    if not meant:
        return found
    said = frozenset(words(" ".join(match.group() for match in meant.values())))
    return found._replace(things=found.things.union(meant), words=found.words | said)


@lru_cache(maxsize=20_000)
def things_held(text: str, topic: Topic) -> Things:
    """The things that a fact of a topic names; a longer name hides a shorter one within it."""
    fitting = _lexicon().of_topic[topic]
    found = _things(
        one._replace(keys=frozenset(key for key in one.keys if key.group in fitting))
        for one in _lexicon().held.named(text, held=True)
    )
    if not _BLOOD.search(lowered(text)):
        return found
    bled = {name for name, of in _lexicon().bleeding.items() if found.things & of}
    return found._replace(things=found.things | bled)


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
def of_group(group: str) -> frozenset[str]:
    """The keys of all things of a group of things.yaml."""
    return _lexicon().groups[group]


def instances(name: str) -> frozenset[str]:
    """The single things of which a general one is made: a burning urine is about the urine."""
    return _lexicon().general.get(name, frozenset())


def _things(found: Iterable[_Named]) -> Things:
    things, people, times, said = set[str](), set[str](), set[str](), set[str]()
    for one in found:
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
        {group: frozenset(listed["named"]) for group, listed in source.items()},
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
