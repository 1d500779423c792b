"""Term matching: acts named in what a doctor wrote or said, by whole words, with quotes, unless negated.

"Give aspirin" names aspirin; "avoid aspirin", "aspirin is contraindicated" and "no aspirin or nitrates" do
not; see `osler.text.refusal`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from osler.cases.model import KeyFeature
from osler.judging.scores import QUOTE
from osler.text.refusal import refused

_LONGEST: Final = 20_000
_MOST_SEEN: Final = 256
_WORD: Final = re.compile(r"[^\W_]+")


_ACTIVITY: Final = re.compile(
    r"\b(?:driv\w+|drive|wheel|smok\w+|drink\w*|alcohol|fly|flying|climb\w*|ladders?|swim\w*|machinery"
    r"|chainsaw|heights?"
    r"|contact sports?|lifting|breastfe\w+|football)\b"
)
"""What a patient does or leaves off: to advise against it is to speak of it."""
_NO_ADVICE: Final = re.compile(
    r"\b(?:no need|needn't|not (?:need|necessary|ask|asked|discuss|mention)\w*|don't (?:ask|need|discuss)"
    r"|unnecessary|skip|(?:he|she|patient|they) do(?:es)?(?:n't| not))\b"
)
_INFLECTED: Final = 4
"""The fewest letters of a word that may be inflected."""


def _inflections(word: str) -> str:
    """A pattern for a word and its regular inflections."""
    if len(word) < _INFLECTED or not word.isascii() or not word.isalpha():
        return re.escape(word)
    if word.endswith("e"):
        return rf"{word[:-1]}(?:e[sd]?|ing)"
    if word.endswith("y") and word[-2] not in "aeiou":
        return rf"{word[:-1]}(?:y(?:ing)?|ies|ied)"
    return rf"{word}(?:e?s|(?:{word[-1]})?(?:ed|ing))?"


class Terms:
    """A matcher for the terms of several labels, compiled once; `named` finds labels in texts, with quotes.

    With `inflected`, for terms of plain speech, the words may be inflected: "hurt you" is named by "hurting
    you". Results for short texts are cached: orders and plans repeat from episode to episode.
    """

    def __init__(self, labels: Mapping[str, Iterable[str]], *, inflected: bool = False) -> None:
        forms = _inflections if inflected else re.escape
        owners: dict[str, set[str]] = {}
        for label, terms in labels.items():
            for term in terms:
                if words := " ".join(_WORD.findall(term.lower())):
                    owners.setdefault(words, set()).add(label)
        longest = sorted(owners, key=lambda term: (-len(term), term))
        self._owners = [
            sorted({o for other, names in owners.items() if f" {other} " in f" {term} " for o in names})
            for term in longest
        ]
        spaced = (r"[\W_]{1,3}".join(map(forms, term.split())) for term in longest)
        alternatives = "|".join(f"({term})" for term in spaced)
        self._starts = tuple({term.split()[0][: _INFLECTED - 1] for term in owners})
        self._pattern = re.compile(rf"(?<!\w)(?:{alternatives})(?:e?s)?(?!\w)")
        self._seen: dict[tuple[str, bool], dict[str, str]] = {}

    def named(self, texts: Iterable[str], *, advice: bool = False) -> dict[str, str]:
        """The labels named in any of the texts, each with its first quote. With `advice`, advising against
        what a patient does names it: "don't drive" speaks of driving."""
        result: dict[str, str] = {}
        for text in texts:
            names = self._seen.get((text, advice))
            if names is None:
                names = self._in_one(text[:_LONGEST], advice)
                if len(text) <= QUOTE:
                    if len(self._seen) >= _MOST_SEEN:
                        self._seen.clear()
                    self._seen[text, advice] = names
            for label, quote in names.items():
                result.setdefault(label, quote)
        return result

    def _in_one(self, text: str, advice: bool) -> dict[str, str]:
        low = text.lower().replace("’", "'")
        result: dict[str, str] = {}
        if not any(start in low for start in self._starts):
            return result
        for match in self._pattern.finditer(low):
            new = [o for o in self._owners[(match.lastindex or 1) - 1] if o not in result]
            if new and (
                not refused(low, match.start(), match.end())
                or (advice and _advises(low, match.start(), match.end()))
            ):
                result.update(dict.fromkeys(new, _around(text, match.start(), match.end())))
        return result


def _advises(low: str, start: int, end: int) -> bool:
    """Whether words that are refused are an activity that the patient is advised against."""
    if not _ACTIVITY.search(low[start:end]):
        return False
    return not _NO_ADVICE.search(low[max(0, start - 40) : start]) and not low[end:].startswith(" history")


class StepNamed(NamedTuple):
    """A management step and the quotes that name its parts; a step without parts is its own only part."""

    id: str
    what: str
    dose: str | None
    critical: bool
    parts: tuple[str, ...]
    met: tuple[str, ...]
    quotes: tuple[str, ...]

    @property
    def share(self) -> float:
        """The share of the parts that are named."""
        return len(self.met) / len(self.parts)

    @property
    def whole(self) -> bool:
        """Whether every part is named."""
        return len(self.met) == len(self.parts)

    @property
    def told(self) -> str:
        """The step, with the parts named so far if it is named in part."""
        return (
            f"{self.what} ({len(self.met)} of {len(self.parts)} parts)"
            if self.met and not self.whole
            else self.what
        )


class Steps:
    """A matcher for a case's management steps, each met in its parts."""

    def __init__(self, features: Sequence[KeyFeature]) -> None:
        self.steps = tuple(features)
        self._terms = Terms({key: terms for f in features for key, _, terms in _parts_of(f)})

    def named(self, acts: Sequence[str]) -> list[StepNamed]:
        """Every step in order, with what of it the acts name."""
        quotes = self._terms.named(acts, advice=True)
        result = []
        for f in self.steps:
            parts = _parts_of(f)
            pairs = [(what, quotes[key]) for key, what, _ in parts if key in quotes]
            whats, said = tuple(what for what, _ in pairs), tuple(dict.fromkeys(quote for _, quote in pairs))
            all_parts = tuple(what for _, what, _ in parts)
            result.append(StepNamed(f.id, f.what, f.dose, f.critical, all_parts, whats, said))
        return result


def _parts_of(feature: KeyFeature) -> list[tuple[str, str, tuple[str, ...]]]:
    """The parts of a step: a key, what it is, and its terms."""
    if not feature.parts:
        return [(feature.id, feature.what, feature.terms)]
    return [(f"{feature.id}/{n}", part.what, part.terms) for n, part in enumerate(feature.parts)]


def _around(text: str, start: int, end: int) -> str:
    """The part of the text around a match, at most the length of a quote."""
    if len(text) <= QUOTE:
        return text
    room = (QUOTE - (end - start)) // 2
    first = max(0, start - room)
    return text[first : first + QUOTE]
