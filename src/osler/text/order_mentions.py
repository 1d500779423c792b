"""The tests and examinations that a doctor names: by name, by picture and body part, or in lay words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from osler.knowledge.body_regions import regions_in
from osler.knowledge.known_tests import QUALIFIERS, is_wording, named_test
from osler.knowledge.order_names import FILLER, PICTURES, SIDES, SITES, SPECIMENS, normal_name, words
from osler.text.act_rules import stems
from osler.text.order_wordings import lay_names

_LONGEST: Final = 6  # words of a name
_FEW: Final = 3  # words of a part of a list that may be a name, however common its words
_MOST: Final = 80  # words of speech
_BREAK: Final = re.compile(
    r"[,;:!?\n]|(?<!\b[a-z])\.|\b(?:and|plus|then|also|with|or|along|as well as)\b|\s[-–—/&+]\s",
    re.IGNORECASE,
)
_PART: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_WORD: Final = re.compile(r"[^\W_]+(?:['\-/&.][^\W_]+)*")
_COMMON: Final = frozenset(
    "aat act age ala alcohol all allergy am appearance baby back balance bc blood body bottom ca "
    "cardiovascular chemistry co cognition cognitive conscious consciousness cough count cover cr "
    "culture dat development dif dig drawer drug empty ep exam fe fee fever film fit fix flow flu gad "
    "gait gal gas general growth h had hearing hematologic hematology hint history hit hr ice image "
    "infection iq iron k la lab laboratory ld lead length li lump marker memory mg mog mood motor mp mr "
    "ms musculoskeletal na nail nervous neurologic new newborn node observation orientation pa pad pain "
    "panel pap patch pe physical picture play positional power pr pregnancy pressure protein "
    "psychiatric pt rash respiration respiratory ro sat scan scr scraping screen sensation sleep sm "
    "smell so speech spot sputum ss stain stance stand standing std stool strength swab swallow tag tap "
    "tape tb test toe tone tremor tt tumor u ue urine us via vision walk water weight whisper yo".split()
)
"""Words of ordinary speech that are also the name of a test; alone they name none in a sentence."""
_NO_TEST: Final = QUALIFIERS | SITES | SIDES
_TELLING: Final = frozenset({"nerve", "panel", "reflex"})
_LISTED: Final = frozenset(
    "alcohol balance ca cr fe gait growth hearing iron k length li memory mg mood na orientation ph power "
    "pressure protein pt sensation speech strength tb tone vision weight".split()
)
"""Of these, those that name one in a list of tests."""
_INSIDE: Final = frozenset("a of for the his her your their in on to this that from an".split())
_HEADS: Final = PICTURES | frozenset("biopsy film imaging mr neuroimaging scan culture".split())
_SHARES: Final = _HEADS | frozenset("aspiration arthrocentesis electrophoresis fluid swab synovial".split())
_TESTS: Final = PICTURES | frozenset(
    "antibody assay biopsy culture imaging panel scan serology titer".split()
)
"""Words that tell the name of a test, even of one that nobody knows."""
_FILES: Final = frozenset("image picture photo photograph".split())
_FLUIDS: Final = frozenset("aspiration arthrocentesis fluid synovial".split())
_HOW: Final = (
    QUALIFIERS | PICTURES | frozenset("contrast gad gadolinium imaging noncontrast protocol scan".split())
)
_SAMPLES: Final = SPECIMENS - {"blood"}
_PANELS: Final = {
    "kidney": "Renal function",
    "liver": "Liver function tests",
    "thyroid": "Thyroid function tests",
    "bone": "Bone profile",
}
"""Blood tests by the organ that names them in a list."""
_BLOODS: Final = re.compile(r"\b(?:bloods|blood tests|labs|blood work)\b")
_WIDE: Final = SPECIMENS | frozenset(
    "antibody antigen pcr igg igm iga ige rna dna receptor ratio clearance".split()
)
"""Words beside the name of a test that may make it another."""
_VIEWS: Final = re.compile(
    r"\b(?:ap|pa|two|three|2|3|lateral)(?: and lateral)?(?: views?| films?)?"
    r"(?= (?:of|for) (?:the|that|his|her|your)\b)"
)
"""The views of an X-ray, which is not named beside them."""
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
    """The names in a doctor's words: names and pictures in order, then what lay words speak of.

    `own`: the keys of the names of a case's findings. `around`: all that is said, if `said` is a part of it.
    """
    said = _VIEWS.sub("x-ray", said.lower())
    tokens = _tokens(said)
    found = _Found(said, tokens)
    for span in _named(said, tokens, own):
        found.add(span)
    found.join_samples()
    for span in _pictured(tokens, found.taken):
        found.add(span)
    _share(tokens, found)
    rest = " ".join(token.text for token, gone in zip(tokens, found.taken, strict=True) if not gone)
    if found.spans:
        rest = _PURPOSE.sub("", rest)
    if _BLOODS.search(around):
        rest += " bloods"
    heard = words(said)
    sides = " ".join(sorted(SIDES.intersection(heard)))
    sites = " ".join(sorted(SITES.intersection(heard)))
    spoken = [
        Mention(f"{sides} {name.replace('{site}', sites)}".strip(), lay=True)
        for name in lay_names(stems(rest), stems(around or said))
    ]
    if not spoken:
        _keep_unknown(tokens, found)
    return (*[Mention(found.spans[at].text) for at in sorted(found.spans)], *spoken)


class _Found:
    """The spans found so far, none of which overlap."""

    def __init__(self, said: str, tokens: list[_Token]) -> None:
        self.spans: dict[int, _Span] = {}
        self.taken = [False] * len(tokens)
        self._said, self._tokens = said, tokens

    def add(self, span: _Span) -> None:
        """Add a span if it is free, with the specimens and antibody classes beside it."""
        start, end = span.start, span.end
        if any(self.taken[start:end]):
            return
        while start > 0 and self._beside(start - 1, start - 1):
            start -= 1
        while end < len(self._tokens) and self._beside(end, end - 1):
            end += 1
        if (start, end) != (span.start, span.end):
            span = _Span(start, end, self._said[self._tokens[start].start : self._tokens[end - 1].end])
        self.taken[start:end] = [True] * (end - start)
        self.spans[start] = span

    def _beside(self, at: int, before: int) -> bool:
        free = not self.taken[at] and not self._tokens[before].ends
        return free and _WIDE.issuperset(words(self._tokens[at].text))

    def join_samples(self) -> None:
        """Make one of a sample and what is measured in it: "joint fluid" and "white cells"."""
        for start in sorted(self.spans):
            span = self.spans[start]
            after = self.spans.get(span.end)
            heard = words(span.text)
            joined = after and not self._tokens[span.end - 1].ends and len(heard) < _FEW
            if after and joined and _SAMPLES.intersection(heard):
                self.spans[start] = _Span(start, after.end, f"{span.text} {after.text}")
                del self.spans[after.start]
                return


def _tokens(said: str) -> list[_Token]:
    places = [
        span
        for place in _WORD.finditer(said)
        if not _BREAK.fullmatch(place.group())
        for span in _apart(place.group(), place.start())
    ][:_MOST]
    ends = [start for start, _ in places[1:]] + [len(said)]
    return [
        _Token(
            said[start:end], start, end, bool(_BREAK.search(said[end:until])) or said[end : end + 1] == "/"
        )
        for (start, end), until in zip(places, ends, strict=False)
    ]


def _apart(word: str, start: int) -> Iterator[tuple[int, int]]:
    """The spans of a word, or of its parts if it joins two ("sodium-potassium") and is no name."""
    if len(words(word)) == 1 or named_test(word):
        yield start, start + len(word)
        return
    for part in _PART.finditer(word):
        yield start + part.start(), start + part.end()


def _named(said: str, tokens: list[_Token], own: frozenset[str]) -> Iterator[_Span]:
    """The names of tests, the longest first, each with the specimen or antibody class beside it."""
    size = len(tokens)
    for length in range(min(_LONGEST, size), 0, -1):
        for start in range(size - length + 1):
            end = start + length
            span = tokens[start:end]
            if any(FILLER.issuperset(words(edge.text)) for edge in (span[0], span[-1])):
                continue
            text = said[span[0].start : span[-1].end]
            if any(token.ends for token in span[:-1]):
                if is_wording(text):
                    yield _Span(start, end, text)
            elif _is_name(text, own) and not _is_placed(text, tokens[end:]):
                yield _Span(start, end, text)


@lru_cache(maxsize=65536)
def _is_name(text: str, own: frozenset[str]) -> bool:
    key = normal_name(text)
    said = set(key.split())
    if (
        not words(text)
        or (len(said - SIDES - {"blood"}) <= 1 and said - SIDES <= _COMMON)
        or all((word in _NO_TEST or regions_in([word])) and word not in _TELLING for word in said)
    ):
        return False
    return key in own or named_test(text) is not None


def _is_placed(name: str, after: list[_Token]) -> bool:
    """Whether a pulse is one at a named place, which belongs to the examination of that place."""
    if name not in ("pulse", "pulses"):
        return False
    place = next((token for token in after if token.text not in _INSIDE), None)
    return place is not None and place is not after[0] and bool(regions_in(words(place.text)))


def _pictured(tokens: list[_Token], taken: list[bool]) -> Iterator[_Span]:
    """Pictures and biopsies of a part of the body that have no name of their own: "MR of the left heel"."""
    for at, token in enumerate(tokens):
        if taken[at] or _HEADS.isdisjoint(words(token.text)):
            continue
        start, end = at, at + 1
        while (
            start > 0
            and not taken[start - 1]
            and not tokens[start - 1].ends
            and _describes(tokens[start - 1])
        ):
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


def _share(tokens: list[_Token], found: _Found) -> None:
    """Give what stands alone in a list what its neighbour has: "blood and urine cultures", "CT or MRI of the
    brain", "FBC, kidneys and thyroid"."""
    places: list[_Span] = []
    for start, end in _segments(tokens):
        if any(found.taken[start:end]):
            continue
        alone = tokens[start:end]
        place = " ".join(token.text for token in alone if token.text not in _INSIDE)
        near = _nearest(found.spans, start, end)
        if near is not None and _FLUIDS.intersection(words(near.text)) and regions_in(words(place)):
            found.spans[near.start] = near._replace(text=f"{near.text} {place}")
        elif (heard := words(place)) and _FILES.issuperset(heard):
            found.add(_Span(start, end, place))
        elif near is not None and (text := _shared(alone, near)):
            found.add(_Span(start, end, text))
        elif place and all(regions_in(words(word)) for word in place.split()):
            places.append(_Span(start, end, f"{place} examination"))
    if len(places) > 1 and not found.spans:
        for span in places:
            found.add(span)


def _keep_unknown(tokens: list[_Token], found: _Found) -> None:
    """Keep what has the sound of a test and is none that anybody knows: "FBC and a quantum scan"."""
    for start, end in _segments(tokens):
        text = " ".join(token.text for token in tokens[start:end])
        if end - start < _LONGEST and _TESTS.intersection(words(text)):
            found.add(_Span(start, end, text))


def _segments(tokens: list[_Token]) -> Iterator[tuple[int, int]]:
    """The spans between commas and joining words."""
    start = 0
    for end, token in enumerate(tokens, 1):
        if token.ends or end == len(tokens):
            yield start, end
            start = end


def _nearest(spans: dict[int, _Span], start: int, end: int) -> _Span | None:
    """The span before or after with two words between at most: "the calcium today, and his kidneys"."""
    near = [(max(span.start - end, start - span.end), at) for at, span in spans.items()]
    gap, at = min(near, default=(_FEW, 0))
    return spans[at] if gap < _FEW else None


def _shared(alone: list[_Token], near: _Span) -> str:
    """The name that a place, a specimen, an organ or a kind of picture stands for beside a named test."""
    text = " ".join(token.text for token in alone)
    said, there = [word for word in words(text) if word not in _INSIDE], words(near.text)
    if not said:
        return ""
    if _HEADS.issuperset(said):
        return " ".join([text, *(word for word in there if regions_in([word]))])
    places = all(word in SITES or word in SPECIMENS or word in SIDES or regions_in([word]) for word in said)
    if places and _SHARES.intersection(there):
        left = [
            word for word in there if word not in SPECIMENS and word not in _INSIDE and not regions_in([word])
        ]
        return f"{text} {' '.join(left)}"
    test = named_test(near.text)
    kind = test.entry.kind if test and test.entry else ""
    panel = next((panel for organ, panel in _PANELS.items() if organ in said), "") if places else ""
    if kind == "test" and panel:
        return panel
    if len(alone) < _FEW and not (_COMMON - _LISTED).issuperset(said) and named_test(text):
        return text
    return f"{text} examination" if places and kind == "examination" else ""
