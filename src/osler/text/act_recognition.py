"""Recognition of acts in free text by the rules of `osler.text.act_rules`.

One order may name several acts ("put the monitor on and check the sugar"), each recognized separately. An act
that is refused ("do not give insulin") or deferred ("if he fits, give lorazepam") is not done. If a wording
matches several acts, the one with the most specific rule is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final, Literal, NamedTuple

from rapidfuzz import fuzz, process

from osler.text.act_rules import Rule, rule, spans, stems, word_places
from osler.text.order_synonyms import also_said, in_figures_too, is_special_verb, is_synonym, without_verbs
from osler.text.quantities import in_figures
from osler.text.refusal import refused, refuses
from osler.text.tokens import lowered

_PARTS: Final = re.compile(r"[;,.\n]+(?:\s+|$)|\s+(?:and\s+then|and|then|plus|\+|&)\s+", re.IGNORECASE)
_JOINS: Final = ("and", "then", "plus", "+", "&")
_LATER: Final = re.compile(r"\s*(?:if|in case|should|unless|when|once)\b", re.IGNORECASE)
_OF_THE_LAST: Final = re.compile(
    r"(?:aim|target|titrat|keep(?:ing)? (?:her |his |the )?(?:sats|saturation)|leave|leaving|via"
    r"|through|over|with the)\w*\b"
    r"|(?:\w+ ){1,2}(?:it|them)\b",
    re.IGNORECASE,
)
_NAMING: Final = re.compile(
    r"\b(?!(?:mg|mcg|g|ml|litre|units|per|kg|in|of|over|at|to|by|a|an|the|for|minutes?|mins?"
    r"|hours?|now|please|stat|slow|slowly"
    r"|into|her|his|same|dose|other|outer|side)\b)[a-z]{2,}"
)
_MEANS: Final = re.compile(
    r"\b(?:through|via|down)\s+(?:the|her|his|that|a|another)\s+(?:[\w'-]+\s+){0,2}(?:cannula"
    r"|line|drip|venflon|vein)\b",
    re.IGNORECASE,
)
_FORBIDS: Final = re.compile(r"(?:don't|do not|no|not|never)\b", re.IGNORECASE)
_FOR_ONE: Final = re.compile(r"\bfor \w+$", re.IGNORECASE)
_SHARED: Final = re.compile(
    r"^.*\b(?:of|for|from|on)\b(?=\s+(?:mrs?|ms|dr|bed|the|her|his)\b)", re.IGNORECASE
)
"""What two names have in common: "the chart of"."""
_WHERE: Final = re.compile(
    r"(?:on|in|at|to|with|for|from|by|of|into|over|under|through|off)\b", re.IGNORECASE
)
_FEW: Final = 7
"""The most words of a part of an order that may be named without its verb."""
_MOST_SEEN: Final = 4096
_LEAST, _ALIKE = 5, 85
"""The minimum length of a misspelt word, and its minimum similarity (of 100) to the word that is meant."""
Done = Literal["done", "refused", "later", "another dose"]
_Freely = Literal["no", "synonyms", "without verbs"]
_Fit = tuple[int, bool, int, str, Rule]
_Named = tuple[str, tuple[Rule, ...]]


class Act(NamedTuple):
    """An act that can be recognized; any one of its rules suffices. One without rules is recognized by its
    sentences.

    `vague`: an order that leaves out what is needed; `harmful`: never taken from a name without a verb.
    """

    id: str
    rules: tuple[str, ...]
    vague: bool = False
    harmful: bool = False
    sentences: tuple[str, ...] = ()


class Recognized(NamedTuple):
    """A part of an order and the act it names; `act` is empty if it is not a known one."""

    part: str
    act: str
    how: Done = "done"


class _Index:
    """The rules of acts by the words of their smallest group, so that few need to be tried."""

    def __init__(self, acts: Iterable[_Named]) -> None:
        self._by_stem: dict[str, list[tuple[int, str, Rule]]] = {}
        for number, (ident, rules) in enumerate(acts):
            for each in rules:
                for first in {way[0] for way in min(each.wanted, key=len)}:
                    self._by_stem.setdefault(first, []).append((number, ident, each))

    def about(self, said: Iterable[str]) -> Iterable[tuple[int, str, Rule]]:
        """The rules that these stems may meet: the act's number and id, and the rule."""
        return dict.fromkeys(one for stem in dict.fromkeys(said) for one in self._by_stem.get(stem, ()))


class Recognizer:
    """A recognizer for a set of acts, given by their rules.

    `by_sentences` reads which of the acts that are given by sentences an order names, or "".
    """

    def __init__(
        self, acts: Iterable[Act], by_sentences: Callable[[str, frozenset[str]], str] | None = None
    ) -> None:
        acts = tuple(acts)
        self._by_sentences = by_sentences
        self._withholding = frozenset(
            act.id for act in acts if any(map(refuses, map(lowered, act.sentences)))
        )
        self._named: tuple[_Named, ...] = tuple((act.id, tuple(map(rule, act.rules))) for act in acts)
        self._acts = _Index(self._named)
        self._vague = frozenset(act.id for act in acts if act.vague)
        self._harmful = frozenset(act.id for act in acts if act.harmful or act.vague)
        self._seen: dict[tuple[str, frozenset[str], bool], tuple[Recognized, ...]] = {}

    def read(
        self, text: str, among: Iterable[str] | None = None, *, verbless: bool = True
    ) -> tuple[Recognized, ...]:
        """The acts in a wording, in order; a single empty one if none is known.

        Of equally specific acts, one whose id is `among` these is preferred. `verbless`: an act may be named
        without its verb.
        """
        key = (text, frozenset(among or ()), verbless)
        if (result := self._seen.get(key)) is None:
            if len(self._seen) >= _MOST_SEEN:
                self._seen.clear()
            result = self._seen[key] = self._read(*key)
        return result

    def _read(self, text: str, likely: frozenset[str], verbless: bool) -> tuple[Recognized, ...]:
        parts = list(self._parts(text, likely, verbless))
        if len({part.act for part in parts} - {""}) > 1:
            return tuple(_joined(text, parts))
        whole = self._one(text, likely, freely="without verbs" if verbless else "synonyms")
        if whole.how == "refused":
            # "Stop the drip, monitor on": what is stopped is not the monitor.
            return tuple(part for part in parts if part.act and part.how == "done")[:1] or (whole,)
        return (whole,)

    def _parts(self, text: str, likely: frozenset[str], verbless: bool) -> Iterator[Recognized]:
        verb = before = ""
        for part in _pieces(text):
            result = self._one(part, likely, freely="synonyms")
            if not result.act and verb and not _FORBIDS.match(part):
                # "Check the glucose and the blood count": the first verb governs both.
                result = self._one(f"{verb} {part}", likely, freely="no")._replace(part=part)
            if not result.act and (shared := _SHARED.match(before)):
                # "The charts of Mr Dale and Mr Stone"
                result = self._one(f"{shared[0]} {part}", likely, freely="no")._replace(part=part)
            if not result.act and verbless and len(part.split()) <= _FEW and not _WHERE.match(part):
                result = self._one(part, likely)  # "critical care and the consultant, here"
            verb = verb or part.split()[0]
            before = part
            yield result

    def _one(self, text: str, likely: frozenset[str], freely: _Freely = "without verbs") -> Recognized:
        """The act meant by a wording that names a single act."""
        text, full = _MEANS.sub("", text), text
        plain = (*self._corrected(stems(text)), *in_figures_too(text))
        plainly = self._fits(self._acts, plain, likely)
        # "Start a Synto infusion": by another name it says a word that the rule for blood forbids.
        fits = [fit for fit in plainly if not fit[4].forbids(also_said(text))]
        if not fits or max(fits, key=lambda one: one[:3])[3] in self._vague:
            # Other words for the same thing, and an act without its verb, count only where the plain words do
            # not say what is meant.
            if freely != "no":
                fits = self._fits(self._acts, (*plain, *also_said(text)), likely) or fits
            fits = fits or plainly
            if not fits and freely == "without verbs" and not is_special_verb(text):
                fits = self._loosely((*plain, *also_said(text)), likely)
        if not fits:
            return self._like_a_sentence(text, likely)._replace(part=full)
        *_, ident, best = max(fits, key=lambda one: one[:3])
        if _LATER.match(text):
            return Recognized(full, ident, "later")
        return Recognized(full, ident, "refused" if _is_refused(text, plain, best) else "done")

    def _like_a_sentence(self, text: str, likely: frozenset[str]) -> Recognized:
        """The act whose sentences an order is like, where no rule says what is meant."""
        ident = self._by_sentences(text, likely) if self._by_sentences else ""
        if ident and _LATER.match(text):
            return Recognized(text, ident, "later")
        refused_ = bool(ident) and refuses(lowered(text)) and ident not in self._withholding
        return Recognized(text, ident, "refused" if refused_ else "done")

    def _fits(self, acts: _Index, said: Sequence[str], likely: frozenset[str]) -> list[_Fit]:
        return [
            (each.worth(said), ident in likely, -number, ident, each)
            for number, ident, each in acts.about(said)
            if each.met(said)
        ]

    def _loosely(self, said: Sequence[str], likely: frozenset[str]) -> list[_Fit]:
        """The acts named without their verb ("CT TAP"), if all that are named alike are the same act."""
        fits = self._fits(self._nouns, said, likely)
        best = max((fit[0] for fit in fits), default=0)
        fits = [fit for fit in fits if fit[0] == best]
        likeliest = [fit for fit in fits if fit[1]] if likely else fits
        return likeliest if len({fit[3] for fit in likeliest}) == 1 else []

    @cached_property
    def _nouns(self) -> _Index:
        """The rules without the groups that hold general verbs only; none of an act that does harm."""
        return _Index(
            (ident, () if ident in self._harmful else tuple(filter(None, map(without_verbs, rules))))
            for ident, rules in self._named
        )

    def _corrected(self, said: Sequence[str]) -> tuple[str, ...]:
        """The same words with misspellings corrected."""
        return tuple(
            self._nearest(word)
            if len(word) >= _LEAST
            and word.isalpha()
            and word not in self._vocabulary
            and not is_synonym(word)
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
        return frozenset(word for _, rules in self._named for each in rules for word in each.words)

    @cached_property
    def _correctable(self) -> tuple[str, ...]:
        return tuple(sorted(word for word in self._vocabulary if len(word) >= _LEAST and word.isalpha()))

    @cached_property
    def _meant(self) -> dict[str, str]:
        return {}


def _pieces(text: str) -> list[str]:
    """The parts of a wording that may each name an act.

    "Send it for culture", "aim for 94 to 98 %", "15 litres" say more about the act before, so they stay with
    it.
    """
    pairs: list[tuple[int, int]] = []
    at = 0
    for end, after in (
        *((each.start(), each.end()) for each in _PARTS.finditer(text)),
        (len(text), len(text)),
    ):
        part = text[at:end].strip()
        if part and pairs and (_OF_THE_LAST.match(part) or not _NAMING.search(in_figures(part))):
            pairs[-1] = (pairs[-1][0], end)
        elif part and pairs and len(part.split()) < 3 and _FOR_ONE.search(text[slice(*pairs[-1])].strip()):
            pairs[-1] = (pairs[-1][0], end)  # "urine for dipstick and culture"
        elif part:
            pairs.append((at, end))
        at = after
    return [text[first:last].strip() for first, last in pairs]


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
        groups = [span for way in group for span in spans(way, said) if span[1] <= len(places)]
        if groups and all(refused(low, places[first][0], places[last - 1][1]) for first, last in groups):
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
