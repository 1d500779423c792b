"""The conditions, organisms and causes that the matcher knows: their names, and what each is a kind of.

A name that ends in another one ("septic arthritis", "arthritis") is a kind of it, unless its entry is
marked "!".
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from osler.judging.diagnosis.vocabulary import Entry, entries, word_lists
from osler.judging.diagnosis.words import CLAUSE, Words, plain_text, words_of

_SEPARATED: Final = re.compile(
    r"[,;/()]|\b(?:with|without|due|to|from|in|after|by|and|or|versus|vs|induced|related|associated|following"
    r"|mediated|producing|superimposed|plus|no|on|at|for|during|absent|absence|crisis of"
    r"|within|around|through|throughout|across|involving|affecting)\b"
)
_LISTED: Final = re.compile(r"[,;/]|\band\b")
_BEFORE_COMPANY: Final = frozenset({"with", "without", "due", "from", "in", "after", "following"})
_LONGEST_COMPOSITE: Final = 12
_ENUMERATED: Final = 5
"""The words of a name from which on it is recognized as a list of its parts."""
_PLAIN: Final = re.compile(r"[a-z0-9]+")
_TITLES: Final = ("disease", "syndrome")


class Lists(NamedTuple):
    """The word lists documented in `terms/words.yaml`, as normalized words."""

    tails: frozenset[str]
    sites: frozenset[str]
    plain: frozenset[str]
    changers: frozenset[str]
    heads: frozenset[str]
    kinds: frozenset[str]
    opposed: tuple[frozenset[str], ...]
    company: tuple[str, ...]
    hints: Mapping[str, tuple[str, ...]]
    implies: tuple[tuple[frozenset[str], Words], ...]
    quiet: frozenset[str]
    drugs: re.Pattern[str]
    taken: frozenset[str]


class Graph(NamedTuple):
    """Conditions by number. `above` holds each one's broader conditions and itself, transitively."""

    ids: Mapping[Words, int]
    bags: Mapping[frozenset[str], int]
    first: tuple[str, ...]
    above: tuple[frozenset[int], ...]
    told: tuple[frozenset[str], ...]
    names: tuple[tuple[Words, ...], ...]
    longest: int
    known: frozenset[str]
    composites: Mapping[tuple[str, ...], str]
    enumerated: frozenset[str]
    company: frozenset[int]
    whole: frozenset[int]
    agent: int


@lru_cache(maxsize=1)
def lists() -> Lists:
    """The word lists, read once."""
    raw = word_lists()

    def bag(words: Iterable[object]) -> frozenset[str]:
        return frozenset(word for text in words for word in normal(str(text)))

    tails, sites, plain = bag(raw["tails"]), bag(raw["sites"]), bag(raw["plain"])
    return Lists(
        tails=tails,
        sites=sites,
        plain=plain,
        quiet=tails | sites | plain | bag(raw["forms"]),
        changers=bag(raw["changers"]),
        heads=bag(raw["heads"]),
        kinds=bag(raw["kinds"]),
        opposed=tuple(map(bag, raw["opposed"])),
        company=tuple(raw["company"].split(";")),
        hints={" ".join(normal(str(key))): tuple(value.split("; ")) for key, value in raw["hints"].items()},
        implies=tuple((frozenset(normal(str(key))), normal(value)) for key, value in raw["implies"].items()),
        taken=bag(raw["taken"]),
        drugs=re.compile(rf"[a-z]{{2,}}(?:{'|'.join(raw['drugs'])})$"),
    )


@lru_cache(maxsize=1)
def _renamed() -> Mapping[str, Words]:
    words = {}
    for key, value in word_lists()["renamed"].items():
        said = words_of(str(key))
        if len(said) == 1:
            words[said[0]] = words_of(str(value))
    return words


@lru_cache(maxsize=65536)
def normal(text: str) -> Words:
    """The words of a phrase in one order: "carcinoma of the left lung" as "left lung carcinoma"."""
    renamed = _renamed()
    words = tuple(out for word in words_of(text) for out in renamed.get(word, (word,)) if word not in CLAUSE)
    if "of" not in words:
        return words
    parts: list[list[str]] = [[]]
    for word in words:
        if word == "of":
            parts.append([])
        else:
            parts[-1].append(word)
    return tuple(word for part in reversed(parts) for word in part)


def joined(plain: str) -> str:
    """A text with names of several parts ("graft versus host disease") as one word each, longest first.

    "and" counts for nothing in such a name; a name without parts is meant where it is told as a list
    ("haemolysis, elevated liver enzymes and low platelets").
    """
    known = graph().composites
    words = [word for word in _PLAIN.finditer(plain) if word[0] != "and"]
    spelt = tuple(word[0] for word in words)
    result: list[str] = []
    at = since = 0
    while at < len(words):
        for end in range(min(len(words), at + _LONGEST_COMPOSITE), at + 1, -1):
            name = known.get(spelt[at:end])
            if name is not None and (
                name not in graph().enumerated
                or _LISTED.search(plain, words[at].start(), words[end - 1].end())
            ):
                result += [plain[since : words[at].start()], f" {name} "]
                since, at = words[end - 1].end(), end
                break
        else:
            at += 1
    return "".join([*result, plain[since:]])


@lru_cache(maxsize=1)
def graph() -> Graph:
    """The conditions, compiled once (about half a second)."""
    return _Builder().graph()


class _Builder:
    def __init__(self) -> None:
        self.ids: dict[Words, int] = {}
        self.first: list[str] = []
        self.up: dict[int, set[int]] = defaultdict(set)
        self.names: dict[int, list[Words]] = defaultdict(list)
        self.whole: set[int] = set()
        self.wanted: list[tuple[int, str]] = []
        self.composites: dict[tuple[str, ...], str] = {}
        self.enumerated: set[str] = set()
        self.clauses: list[tuple[int, Words]] = []

    def graph(self) -> Graph:
        own = entries()
        for one in own:
            self._take(one)
        for one in own:
            self._name(self.ids[normal(one.names[0])], one.names[1:])
        for number, kind in self.wanted:
            above = self._known(kind)
            if above != number:
                self.up[number].add(above)
        self._by_ending()
        for number, words in self.clauses:
            result = self.ids.get(words)
            if result is not None and result != number and number not in self.whole:
                self.up[number].add(result)
        self._looser()
        above_all = tuple(self._reached(number) for number in range(len(self.first)))
        told = tuple(
            frozenset(word for up in ups for name in self.names[up] for word in name) for ups in above_all
        )
        quiet = lists()
        known = {word for name in self.ids for word in name} | quiet.sites | quiet.plain | quiet.heads
        known |= quiet.tails | quiet.changers | {w for out in _renamed().values() for w in out}
        company = frozenset(self.ids[normal(name)] for name in quiet.company if normal(name) in self.ids)
        return Graph(
            self.ids,
            self._bags(),
            tuple(self.first),
            above_all,
            told,
            tuple(tuple(self.names[number]) for number in range(len(self.first))),
            max(map(len, self.ids)),
            frozenset(known),
            self.composites,
            frozenset(self.enumerated),
            company,
            frozenset(self.whole),
            self.ids[("agent",)],
        )

    def _known(self, name: str) -> int:
        number = self.ids.get(normal(name))
        if number is None:
            number = self._new(name)
            self._name(number, (name,))
        return number

    def _new(self, name: str) -> int:
        self.first.append(name)
        return len(self.first) - 1

    def _take(self, one: Entry) -> None:
        words = normal(one.names[0])
        number = self.ids.get(words)
        if number is None:
            number = self._new(one.names[0])
            self._name(number, one.names[:1])
        if one.whole:
            self.whole.add(number)
        self.wanted.extend((number, kind) for kind in one.kinds)

    def _name(self, number: int, names: Iterable[str]) -> None:
        for name in names:
            words = normal(name)
            if words and words not in self.ids and len("".join(words)) > 1:
                self.ids[words] = number
                self.names[number].append(words)
            if self.ids.get(words) != number:
                continue
            cut = _SEPARATED.search(plain := plain_text(name))
            if cut or len(words) >= _ENUMERATED:
                spelt = tuple(word for word in _PLAIN.findall(plain) if word != "and")
                joined = "".join(words)
                self.ids.setdefault(normal(joined), number)
                if cut:
                    self.composites[spelt] = joined
                    self.enumerated.discard(joined)
                elif spelt not in self.composites:
                    self.composites[spelt] = joined
                    self.enumerated.add(joined)
            if cut and name == self.first[number] and cut[0] in _BEFORE_COMPANY:
                self.clauses.append((number, normal(plain[: cut.start()])))

    def _looser(self) -> None:
        """The variants of a name in "disease" or "syndrome": with the other word, and with neither."""
        for words, number in list(self.ids.items()):
            if len(words) > 1 and words[-1] in _TITLES:
                for loose in (*((*words[:-1], title) for title in _TITLES), words[:-1]):
                    if loose not in self.ids and (
                        len(loose) > 1 or (len(loose[0]) > 2 and loose[0] not in lists().sites)
                    ):
                        self.ids[loose] = number

    def _by_ending(self) -> None:
        """Make a condition a kind of what its first name ends in (not "Niemann-Pick" of "Pick disease")."""
        modifiers = lists().sites | lists().plain
        for number, name in enumerate(self.first):
            words = normal(name)
            if number in self.whole:
                continue
            for at in range(1, len(words)):
                above = self.ids.get(words[at:])
                if above is None or above == number:
                    continue
                eponym = words[-1] in _TITLES and len(words) - at <= 2 and words[at] not in modifiers
                if not eponym:
                    self.up[number].add(above)
                break

    def _reached(self, number: int) -> frozenset[int]:
        reached = {number}
        ahead = [number]
        while ahead:
            for above in self.up.get(ahead.pop(), ()):
                if above not in reached:
                    reached.add(above)
                    ahead.append(above)
        return frozenset(reached)

    def _bags(self) -> dict[frozenset[str], int]:
        result: dict[frozenset[str], int | None] = {}
        for words, number in self.ids.items():
            if len(words) > 1:
                bag = frozenset(words)
                result[bag] = number if result.get(bag, number) == number else None
        return {bag: number for bag, number in result.items() if number is not None}
