"""The parts of an order: the tests that it names in full, and what else is said, segment by segment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from osler.knowledge.body_regions import regions_in
from osler.knowledge.known_tests import QUALIFIERS, is_wording, named_test
from osler.knowledge.order_names import FILLER, SIDES, SITES, SPECIMENS, normal_name, words

_LONGEST: Final = 6  # words of a name
_MOST: Final = 80  # words of a sentence
_FEW: Final = 3  # telling words of a segment that may share a name with its neighbour
_BREAK: Final = re.compile(
    r"[,;:!?\n]|(?<!\b[a-z])\.|\b(?:and|plus|then|also|with|or|along|as well as|but|so|while)\b"
    r"|\s[-–—/&+]\s",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W_]+(?:['’\-/&.][^\W_]+)*")
_PART: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_COMMON: Final = frozenset(
    "aat act age ala alcohol all allergy am appearance baby back balance bc body bottom ca "
    "cardiovascular chemistry co cognition cognitive conscious consciousness cough count cover cr "
    "culture dat development dif dig drawer drug empty ep exam fe fee fever film fit fix flow flu gad "
    "gait gal gas general growth h had hearing hematologic hematology hint history hit hr ice image "
    "infection iq iron k la lab laboratory ld lead length li lump marker memory mg mog mood motor mp mr "
    "ms musculoskeletal na nail nervous neurologic new newborn node observation orientation pa pad pain "
    "panel pap patch pe physical picture play positional power pr pregnancy pressure prick protein "
    "psychiatric pt rash respiration respiratory ro sat scan scr scraping screen sensation sleep sm "
    "smell so speech spot sputum ss stain stance stand standing std stool strength swab swallow tag tap "
    "tape tb test toe tone tremor tt tumor u ue urine us via vision walk water weight whisper yo blood "
    "breath pulse visit diary".split()
)
"""Words of ordinary speech that are also the name of a test; alone in a segment of several words they name
none."""
_PLACES: Final = SITES | SIDES | SPECIMENS
_WIDE: Final = SPECIMENS | frozenset(
    "antibody antigen pcr igg igm iga ige rna dna receptor ratio clearance".split()
)
"""Words beside the name of a test that may make it another."""
_NEGATES: Final = re.compile(
    r"\b(?:no|not|without|never(?: mind)?|nor|instead of|rather than|skip|forget|cancel|scrap|drop|avoid|stop"
    r"|leave(?: out)?|hold(?: off(?: on)?)?|n't (?:want|need|do|send|order|get|bother with))"
    r"(?: (?:an?|the|any|more|another|that|his|her|your|this)){0,2} $"
)
_NEGATED_AFTER: Final = re.compile(r"^ no\b(?! more| later)|^, no,")
_STOP: Final = FILLER | frozenset(
    "is are was be it these she they he us you so just any like see go as too not no up out over one first "
    "quick quickly there here if but when who what which how".split()
)


class NamedTest(NamedTuple):
    """A test that is named, and whether a negation stands beside it."""

    text: str
    negated: bool


class OrderPart(NamedTuple):
    """A sentence: the tests that it names, and its other segments or what is left `beside` a name."""

    text: str
    named: tuple[NamedTest, ...]
    rest: tuple[tuple[str, bool], ...]


class _Token(NamedTuple):
    text: str
    start: int
    end: int
    ends: bool


@lru_cache(maxsize=2048)
def part_of(sentence: str, own: frozenset[str]) -> OrderPart:
    """Read a sentence in lower case. `own`: the keys of the names of a case's findings."""
    tokens = _tokens(sentence)
    taken = [-1] * len(tokens)
    spans: list[tuple[int, int, str]] = []
    for start, end, text in _names(sentence, tokens, own):
        if max(taken[start:end]) < 0:
            start, end = _widened(tokens, taken, start, end)
            text = sentence[tokens[start].start : tokens[end - 1].end]
            taken[start:end] = [len(spans)] * (end - start)
            spans.append((start, end, text))
    named = {start: text for start, _, text in spans}
    rest: list[tuple[str, bool]] = []
    for start, end in _segments(tokens):
        free = [token for token, by in zip(tokens[start:end], taken[start:end], strict=True) if by < 0]
        text = " ".join(token.text for token in free)
        beside = len(free) < end - start
        # The place beside a name belongs to it: "EMG of both arms".
        if not telling(text) or (beside and all(_is_place(word) for word in telling(text))):
            continue
        near = _neighbour(spans, start, end)
        if not beside and near and (shared := _shared(text, near)):
            named[start] = shared
        else:
            rest.append((text, beside))
    edges = {start: (tokens[start].start, tokens[end - 1].end) for start, end, _ in spans}
    return OrderPart(
        sentence,
        tuple(NamedTest(named[at], _negated(sentence, edges.get(at, (0, 0)))) for at in sorted(named)),
        tuple(rest),
    )


def _widened(tokens: Sequence[_Token], taken: Sequence[int], start: int, end: int) -> tuple[int, int]:
    """A name with the specimens and antibody classes beside it, which may make it another."""
    while start > 0 and taken[start - 1] < 0 and not tokens[start - 1].ends and _widens(tokens[start - 1]):
        start -= 1
    while end < len(tokens) and taken[end] < 0 and not tokens[end - 1].ends and _widens(tokens[end]):
        end += 1
    return start, end


def _widens(token: _Token) -> bool:
    return _WIDE.issuperset(words(token.text))


def _is_place(word: str) -> bool:
    return word in _PLACES or bool(regions_in([word]))


def telling(text: str) -> frozenset[str]:
    """The words that say something by themselves."""
    return frozenset(words(text)) - _STOP


def _negated(sentence: str, edge: tuple[int, int]) -> bool:
    start, end = edge
    before, after = sentence[:start], sentence[end:]
    return end > 0 and (_NEGATES.search(before) or _NEGATED_AFTER.match(after)) is not None


def _tokens(sentence: str) -> list[_Token]:
    places = [
        span
        for place in _WORD.finditer(sentence)
        if not _BREAK.fullmatch(place.group())
        for span in _apart(place.group(), place.start())
    ][:_MOST]
    ends = [start for start, _ in places[1:]] + [len(sentence)]
    return [
        _Token(sentence[start:end], start, end, _BREAK.search(sentence[end:until]) is not None)
        for (start, end), until in zip(places, ends, strict=False)
    ]


def _apart(word: str, start: int) -> Iterator[tuple[int, int]]:
    """The spans of a word, or of its parts if it joins two ("sodium-potassium") and is no name."""
    if len(words(word)) == 1 or named_test(word):
        yield start, start + len(word)
        return
    for part in _PART.finditer(word):
        yield start + part.start(), start + part.end()


def _names(said: str, tokens: Sequence[_Token], own: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """The names of tests, the longest first."""
    size = len(tokens)
    lone = {start: end - start == 1 for start, end in _segments(tokens)}
    for length in range(min(_LONGEST, size), 0, -1):
        for start in range(size - length + 1):
            end = start + length
            span = tokens[start:end]
            if any(FILLER.issuperset(words(edge.text)) for edge in (span[0], span[-1])):
                continue
            text = said[span[0].start : span[-1].end]
            if any(token.ends for token in span[:-1]):
                if is_wording(text):
                    yield start, end, text
            elif _is_name(text, own, lone.get(start, False) and size > 1):
                yield start, end, text


@lru_cache(maxsize=65536)
def _is_name(text: str, own: frozenset[str], lone: bool) -> bool:
    """Whether words name a test; a `lone` word between commas may be an ordinary one."""
    key = normal_name(text)
    said = set(key.split())
    plain = said <= QUALIFIERS | _PLACES or all(regions_in([word]) for word in said)
    common = len(said - SIDES) <= 1 and said - SIDES <= _COMMON
    if not words(text) or ((common or plain) and not lone) or (plain and key not in own):
        return False
    return key in own or named_test(text) is not None


def _segments(tokens: Sequence[_Token]) -> Iterator[tuple[int, int]]:
    """The spans between commas and joining words."""
    start = 0
    for end, token in enumerate(tokens, 1):
        if token.ends or end == len(tokens):
            yield start, end
            start = end


def _neighbour(spans: Sequence[tuple[int, int, str]], start: int, end: int) -> str | None:
    """The name that ends where a segment begins, or begins where it ends."""
    return next((text for first, last, text in spans if start - 1 <= last <= start or first == end), None)


def _shared(text: str, near: str) -> str | None:
    """The name that a segment makes with words of its neighbour: "blood" beside "urine cultures", "CT" beside
    "MRI of the brain"."""
    if len(telling(text)) > _FEW:
        return None
    first, *others = near.split()
    if not others:
        return None
    ways = (f"{text} {others[-1]}", f"{text} {' '.join(others)}", f"{first} {text}")
    for way in ways:
        # Nothing is added by a word that the other lacks: both must be part of the name.
        if _is_name(way, frozenset(), False) and not _is_name(text, frozenset(), True):
            return way
    return None
