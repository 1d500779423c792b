"""Recognition of acts in free text by the rules of `osler.text.act_rules`.

One order may name several acts ("put the monitor on and check the sugar"), each recognized separately. An act
that is refused ("do not give insulin") or deferred ("if he fits, give lorazepam") is not done. If a wording
matches several acts, the one with the most specific rule is meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, Literal, NamedTuple

from rapidfuzz import fuzz, process

from osler.text.act_rules import Rule, rule, spans, stems, word_places
from osler.text.refusal import refused, refuses
from osler.text.tokens import lowered

_PARTS: Final = re.compile(r"[;,.\n]+(?:\s+|$)|\s+(?:and\s+then|and|then|plus|\+|&)\s+", re.IGNORECASE)
_JOINS: Final = ("and", "then", "plus", "+", "&")
_LATER: Final = re.compile(r"\s*(?:if|in case|should|unless|when|once)\b", re.IGNORECASE)
_MOST_SEEN: Final = 4096
_LEAST, _ALIKE = 5, 85
"""The minimum length of a misspelt word, and its minimum similarity (of 100) to the word that is meant."""
Done = Literal["done", "refused", "later"]


class Act(NamedTuple):
    """An act that can be recognized; any one of its rules suffices."""

    id: str
    rules: tuple[str, ...]


class Recognized(NamedTuple):
    """A part of an order and the act it names; `act` is empty if it is not a known one."""

    part: str
    act: str
    how: Done = "done"


class Recognizer:
    """A recognizer for a set of acts, given by their rules."""

    def __init__(self, acts: Iterable[Act]) -> None:
        self._acts = tuple((act.id, tuple(map(rule, act.rules))) for act in acts)
        self._seen: dict[tuple[str, frozenset[str]], tuple[Recognized, ...]] = {}

    def read(self, text: str, among: Iterable[str] | None = None) -> tuple[Recognized, ...]:
        """The acts in a wording, in order; a single empty one if none is known. Of equally specific acts,
        one whose id is `among` these is preferred."""
        key = (text, frozenset(among or ()))
        if (found := self._seen.get(key)) is None:
            if len(self._seen) >= _MOST_SEEN:
                self._seen.clear()
            found = self._seen[key] = self._read(*key)
        return found

    def _read(self, text: str, likely: frozenset[str]) -> tuple[Recognized, ...]:
        parts = list(self._parts(text, likely))
        if len({part.act for part in parts} - {""}) > 1:
            return tuple(_joined(text, parts))
        return (self._one(text, likely),)

    def _parts(self, text: str, likely: frozenset[str]) -> Iterator[Recognized]:
        verb, at = "", 0
        for end, after in (
            *((found.start(), found.end()) for found in _PARTS.finditer(text)),
            (len(text),) * 2,
        ):
            part = text[at:end].strip()
            at = after
            if not part:
                continue
            found = self._one(part, likely)
            if not found.act and verb:
                # "Check the glucose and the blood count": the first verb governs both.
                found = self._one(f"{verb} {part}", likely)._replace(part=part)
            verb = verb or part.split()[0]
            yield found

    def _one(self, text: str, likely: frozenset[str]) -> Recognized:
        """The act meant by a wording that names a single act."""
        said = self._corrected(stems(text))
        fits = [
            (each.worth(said), ident in likely, -number, ident, each)
            for number, (ident, rules) in enumerate(self._acts)
            for each in rules
            if each.met(said)
        ]
        if not fits:
            return Recognized(text, "")
        *_, ident, best = max(fits, key=lambda one: one[:3])
        if _LATER.match(text):
            return Recognized(text, ident, "later")
        return Recognized(text, ident, "refused" if _is_refused(text, said, best) else "done")

    def _corrected(self, said: Sequence[str]) -> tuple[str, ...]:
        """The same words with misspellings corrected."""
        return tuple(
            self._nearest(word)
            if len(word) >= _LEAST and word.isalpha() and word not in self._vocabulary
            else word
            for word in said
        )

    def _nearest(self, word: str) -> str:
        if word.startswith("re") and word[2:] in self._vocabulary:  # to recheck is to check
            return word[2:]
        if word not in self._meant:
            near = process.extract(word, self._correctable, scorer=fuzz.ratio, score_cutoff=_ALIKE)
            self._meant[word] = next((one for one, *_ in near if not _another(word, one)), word)
        return self._meant[word]

    @cached_property
    def _vocabulary(self) -> frozenset[str]:
        return frozenset(word for _, rules in self._acts for each in rules for word in each.words)

    @cached_property
    def _correctable(self) -> tuple[str, ...]:
        return tuple(sorted(word for word in self._vocabulary if len(word) >= _LEAST and word.isalpha()))

    @cached_property
    def _meant(self) -> dict[str, str]:
        return {}


def _another(word: str, other: str) -> bool:
    """Whether two similarly spelt words differ by a prefix: noradrenaline is not adrenaline,
    nor hypertonic hypotonic."""
    opposed = {word[:4], other[:4]} == {"hype", "hypo"}
    return opposed or word.endswith(other) or other.endswith(word)


def _is_refused(text: str, said: Sequence[str], by: Rule) -> bool:
    """Whether the words that meet a rule are refused wherever they occur. A rule that itself requires words
    such as "stop" or "withhold" is not refused by them."""
    low = lowered(text)
    if not refuses(low) or refuses(by.wanted_text):
        return False
    places = word_places(text)
    for group in by.wanted:
        found = [span for way in group for span in spans(way, said)]
        if all(refused(low, places[first][0], places[last - 1][1]) for first, last in found):
            return True
    return False


def _joined(text: str, parts: Sequence[Recognized]) -> Iterator[Recognized]:
    """The recognized parts, each extended by the unrecognized text next to it."""
    at = 0
    known = [part for part in parts if part.act]
    for part, following in zip(known, (*known[1:], None), strict=True):
        begins = at
        inside = text.index(part.part, at)
        end = text.index(following.part, inside + len(part.part)) if following else len(text)
        at = end
        yield part._replace(part=_trimmed(text[begins:end]))


def _trimmed(part: str) -> str:
    """A part without trailing conjunctions and punctuation."""
    part = part.strip(" \t\r\n;,.")
    while (words := part.rsplit(maxsplit=1)) and len(words) > 1 and words[1].lower() in _JOINS:
        part = words[0].rstrip(" \t\r\n;,.")
    return part
