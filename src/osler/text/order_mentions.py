"""The tests and examinations that a doctor's words name: by name, by picture and body part, or in lay words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from osler.knowledge.body_regions import regions_in
from osler.knowledge.known_tests import QUALIFIERS, is_wording, named_test
from osler.knowledge.order_names import PICTURES, SIDES, SITES, SPECIMENS, normal_name, words
from osler.knowledge.order_wordings import lay_names
from osler.text.act_rules import stems

_LONGEST: Final = 6  # words of a name
_MOST: Final = 80  # words of speech
_BREAK: Final = re.compile(
    r"[,;:.!?\n]|\b(?:and|plus|then|also|with|or|along|as well as)\b|\s[-–—/&+]\s", re.IGNORECASE
)
_WORD: Final = re.compile(r"[^\W_]+(?:['\-/&.][^\W_]+)*")
_COMMON: Final = frozenset(
    "back physical film exam examination culture screen test panel level balance stance blood bloods urine stool "
    "sputum skin eye ear nose throat heart chest lung abdomen head neck left right bottom water lead film "
    "age appearance general history pressure fever weight walk tone power hip knee hand tumor marker body tap "
    "play sleep pain cough pregnancy infection alcohol drug iron protein gas stain swab scan image picture fit "
    "pr pt na ca mg us se all am pm mr ms mp pe pa so hr spot stand standing flow swallow balance count "
    "mood speech tremor lump rash joint node gait smell hearing vision memory gad respiratory respiration lab "
    "laboratory chemistry".split()
)
"""Words of ordinary speech that are also the name of a test; alone they name none in a sentence."""
_INSIDE: Final = frozenset("a of for the his her your their in on to this that from an".split())
_HEADS: Final = PICTURES | frozenset("biopsy film imaging mr neuroimaging scan culture".split())
_SHARES: Final = _HEADS | frozenset("aspiration arthrocentesis fluid swab synovial".split())
_HOW: Final = QUALIFIERS | PICTURES | frozenset("contrast gad gadolinium imaging noncontrast protocol scan".split())
_WIDE: Final = SPECIMENS | frozenset(
    "antibody antigen pcr igg igm iga ige rna dna receptor ratio clearance".split()
)
"""Words beside the name of a test that may make it another."""
_PURPOSE: Final = re.compile(
    r"\bto (?:see|look for|rule|visuali[sz]e|assess|confirm|exclude|know|check for|settle|find)\b.*$"
)


class Mention(NamedTuple):
    """A test that is spoken of: the words to read it by, and whether it was spoken of in lay words."""

    text: str
    lay: bool = False


class _Span(NamedTuple):
    start: int
    end: int
    text: str


class _Token(NamedTuple):
    text: str
    start: int
    end: int
    ends: bool
    """Whether a comma or a joining word follows."""


def mentions(said: str, own: frozenset[str], around: str = "") -> tuple[Mention, ...]:
    """What is named in a doctor's words: names and pictures in order, then what lay words speak of.

    `own`: the keys of the names of a case's findings. `around`: the whole of what is said, if `said` is a part.
    """
    said = said.lower()
    tokens = _tokens(said)
    taken = [False] * len(tokens)
    found: dict[int, _Span] = {}
    for spans in (_named(said, tokens, own), _pictured(tokens, taken)):
        for span in spans:
            if not any(taken[span.start : span.end]):
                taken[span.start : span.end] = [True] * (span.end - span.start)
                found[span.start] = span
    _share(tokens, taken, found)
    rest = " ".join(token.text for token, gone in zip(tokens, taken, strict=True) if not gone)
    if found:
        rest = _PURPOSE.sub("", rest)
    sides = " ".join(sorted(SIDES & set(words(said))))
    spoken = lay_names(stems(rest), stems(around or said))
    return (
        *[Mention(found[at].text) for at in sorted(found)],
        *[Mention(f"{sides} {name}".strip(), lay=True) for name in spoken],
    )


def _tokens(said: str) -> list[_Token]:
    places = [place for place in _WORD.finditer(said) if not _BREAK.fullmatch(place.group())][:_MOST]
    ends = [place.start() for place in places[1:]] + [len(said)]
    return [
        _Token(place.group(), place.start(), place.end(), bool(_BREAK.search(said[place.end() : until])))
        for place, until in zip(places, ends, strict=False)
    ]


def _named(said: str, tokens: list[_Token], own: frozenset[str]) -> Iterator[_Span]:
    """The names of tests, the longest first, each with the specimen or antibody class beside it."""
    size = len(tokens)
    for length in range(min(_LONGEST, size), 0, -1):
        for start in range(size - length + 1):
            end = start + length
            span = tokens[start:end]
            if _INSIDE & {span[0].text, span[-1].text}:
                continue
            text = said[span[0].start : span[-1].end]
            if any(token.ends for token in span[:-1]):
                if is_wording(text):
                    yield _Span(start, end, text)
            elif _is_name(text, own):
                while start > 0 and not tokens[start - 1].ends and _WIDE.issuperset(words(tokens[start - 1].text)):
                    start -= 1
                while end < size and not tokens[end - 1].ends and _WIDE.issuperset(words(tokens[end].text)):
                    end += 1
                yield _Span(start, end, said[tokens[start].start : tokens[end - 1].end])


@lru_cache(maxsize=65536)
def _is_name(text: str, own: frozenset[str]) -> bool:
    key = normal_name(text)
    said = set(key.split())
    if said <= _COMMON or all(word in QUALIFIERS or word in SITES or regions_in([word]) for word in said):
        return False
    return key in own or named_test(text) is not None


def _pictured(tokens: list[_Token], taken: list[bool]) -> Iterator[_Span]:
    """Pictures and biopsies of a part of the body that have no name of their own: "MR of the left heel"."""
    for at, token in enumerate(tokens):
        if taken[at] or _HEADS.isdisjoint(words(token.text)):
            continue
        start, end = at, at + 1
        while start > 0 and not taken[start - 1] and not tokens[start - 1].ends and _describes(tokens[start - 1]):
            start -= 1
        while end < len(tokens) and not taken[end] and not tokens[end - 1].ends:
            if tokens[end].text not in _INSIDE and not _describes(tokens[end]):
                break
            end += 1
        text = " ".join(one.text for one in tokens[start:end])
        if regions_in(words(text)):
            yield _Span(start, end, text)


def _describes(token: _Token) -> bool:
    """Whether a word says which part of the body, which side or how."""
    return all(one in _HOW or one in SITES or one in SIDES or regions_in([one]) for one in words(token.text))


def _is_place(token: _Token) -> bool:
    """Whether a word names a part of the body, a side or a specimen."""
    kept = SITES | SPECIMENS | SIDES | _INSIDE
    return all(one in kept or regions_in([one]) for one in words(token.text))


def _share(tokens: list[_Token], taken: list[bool], found: dict[int, _Span]) -> None:
    """Give a body part or a specimen that stands alone its test: "blood and urine cultures"."""
    start = 0
    for end, token in enumerate(tokens, 1):
        if not (token.ends or end == len(tokens) or taken[end]):
            continue
        text = " ".join(one.text for one in tokens[start:end])
        alone = not any(taken[start:end]) and all(map(_is_place, tokens[start:end])) and text not in _INSIDE
        near = _nearest(found, start, end) if alone else None
        if near is not None:
            heads = [word for word in words(near.text) if word in _HEADS]
            taken[start:end] = [True] * (end - start)
            if heads:
                found[start] = _Span(start, end, f"{text} {heads[0]}")
            else:
                found[near.start] = near._replace(text=f"{near.text} {text}")
        start = end


def _nearest(found: dict[int, _Span], start: int, end: int) -> _Span | None:
    """The span just after or before a place, if it is a picture, a culture or of a fluid."""
    beside = (span for span in found.values() if span.start == end or span.end == start)
    return next((span for span in beside if not _SHARES.isdisjoint(words(span.text))), None)
