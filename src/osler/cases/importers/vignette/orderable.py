"""Naming a result in prose so that it can be ordered: by the formulary's name where it has one."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib import resources
from typing import Final, Literal, NamedTuple

import yaml

from osler.knowledge.formulary import Entry, formulary
from osler.knowledge.vocabulary import FindingKind

LABORATORY: Final = "Laboratory studies"
GENERAL: Final = "General examination"
_ANY_BLOOD_TEST: Final = "Blood tests"
_WORD: Final = re.compile(r"[\w'’/.+-]*\w[+]?")
_LONGEST_NAME: Final = 6
_MOST_WORDS: Final = 120
_MOST_NAMES: Final = 6
_LONGEST_LOOKED_AT: Final = 1200
# Short words that mean something else in the formulary than in prose.
_NOT_NAMES: Final = frozenset(
    "blood capsule agar lead a i as at in on all he she was no ca he's mg us lap temp ct's to".split()
)
_LABEL: Final = re.compile(r"^[\s|*•-]{0,20}([A-Za-zα-ωΑ-Ω][^|:]{0,50}?)\s?(?:[|:]|\s[<>≤≥]?\s?\d)")
_FIGURE: Final = re.compile(r"\b(?:figures?|images?|exhibit|photo(?:graph)?s?)\b", re.IGNORECASE)
_FLUID: Final = re.compile(
    r"\b(?:urin\w+|csf|cerebrospinal|lumbar|pleural|thoracentesis|synovial|ascit\w+|paracentesis|stool)\b",
    re.IGNORECASE,
)
_SPECIMEN: Final = re.compile(
    r"^[\s|]{0,20}(urine|urinalysis|csf|(?:cerebrospinal|pleural|synovial|ascitic) fluid|stool)\s?:?\s?\|",
    re.IGNORECASE,
)
_BLOOD: Final = re.compile(r"\b(?:serum|plasma|blood(?! cells?\b))\b", re.IGNORECASE)
# No name begins or ends with one of these.
_FILLING: Final = frozenset(
    "a an the of is are was were her his their and or with shows no for to in on at serum have has had from "
    "by most".split()
)
# The text between the name of a test and its result.
_THEN_ITS_RESULT: Final = (
    r"\W{1,3}[^.;,]{0,25}?(?:\d(?![\d.,]*\s?(?:mg|mcg|µg|units?|iu|ml|tablets?)\b(?!\s?/|\s?per))|[:=]|\b(?:positive|negative|normal|abnormal|elevated|increased|decreased|low|high|"
    r"(?:non)?reactive|unremarkable|shows?|showed|reveal(?:s|ed)|demonstrate[sd]?)\b)"
)
# The formulary lists these as tests, but patients talk about them too.
_SPOKEN_OF: Final = frozenset("urine stool stools hearing sputum insulin breath test tests".split())
_IMAGES: Final = ("CT scan", "MRI", "X-ray", "Ultrasound", "Angiography", "Photograph")


class ResultName(NamedTuple):
    """The name of a result, its kind and its aliases."""

    kind: FindingKind
    name: str
    aliases: tuple[str, ...]


@cache
def _cues(
    section: Literal["examinations_first", "examinations", "tests"],
) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Names and the patterns that recognize them, in the order in which they are tried."""
    text = resources.files(__package__).joinpath("orderable.yaml").read_text(encoding="utf-8")
    result: dict[str, str] = yaml.safe_load(text)[section]
    return tuple((name, re.compile(cue.replace("\n", ""), re.IGNORECASE)) for name, cue in result.items())


def examination_named(text: str) -> ResultName:
    """The name of an examination; the general one where the text does not say what was examined."""
    return examination_in(text) or ResultName("examination", GENERAL, ())


def examination_in(text: str) -> ResultName | None:
    """The name of an examination by the region examined, `None` where none is named.

    Further regions are its aliases. All of them belong to the formulary's physical examination, which brings
    all that are not intimate.
    """
    for name, cue in _cues("examinations_first"):
        if cue.search(text):
            return ResultName("examination", name, ())
    regions = tuple(name for name, cue in _cues("examinations") if cue.search(text))
    return ResultName("examination", regions[0], regions[1:]) if regions else None


def result_named(text: str, *, row: bool = False) -> ResultName:
    """The name of a test or an image: the first in `text` that the formulary knows, in the words of the text.

    The formulary's name for it, and any others named, are aliases.
    """
    # A row is named by its own text, not by the column names above it.
    result = _known(text.rstrip().rpartition("\n")[2] if row else text)
    if result:
        first, *others = result
        names = dict.fromkeys((first.entry.name, *(other.entry.name for other in others[:_MOST_NAMES])))
        own = first.words[:1].upper() + first.words[1:]
        return ResultName(_kind(first.entry), own, tuple(name for name in names if name != own))
    for name, cue in _cues("tests"):
        if cue.search(text):
            return ResultName("image" if name in _IMAGES else "test", name, ())
    if _FIGURE.search(text):
        return ResultName("image", "Clinical image", ("Figure", "Image"))
    label = _LABEL.match(text) if row or ":" in text else None
    return ResultName("test", label[1].strip() if label else LABORATORY, (LABORATORY,) if label else ())


@lru_cache(maxsize=4096)
def gives_result(text: str) -> bool:
    """Whether a text names a test or an image from the formulary and gives its result."""
    return any(
        re.search(rf"(?<!\w){named}(?:{_THEN_ITS_RESULT}|:)", text[:_LONGEST_LOOKED_AT], re.IGNORECASE)
        for name in _known(text)
        if name.words.lower() not in _SPOKEN_OF
        and (named := r"\W{1,3}".join(re.escape(word) for word in name.words.split()))
    )


def under_heading(
    row: ResultName, text: str, heading: ResultName | None
) -> tuple[ResultName, ResultName | None]:
    """A row's name, given the specimen above it; and the specimen for the next row."""
    if _BLOOD.search(text):
        heading = None
    elif match := _SPECIMEN.search(text):
        heading = result_named(match[1])._replace(aliases=())
    return (heading or row), heading


def heading_of(text: str) -> ResultName | None:
    """The specimen, other than blood, named in a sentence before a table."""
    return (
        result_named(text)._replace(aliases=()) if _FLUID.search(text) and not _BLOOD.search(text) else None
    )


def _kind(entry: Entry) -> FindingKind:
    return "test" if entry.kind == "examination" else entry.kind


class _FormularyName(NamedTuple):
    """A formulary entry and the words of a text that name it."""

    words: str
    entry: Entry


@lru_cache(maxsize=4096)
def _known(text: str) -> tuple[_FormularyName, ...]:
    """The formulary entries named in a text, in order, each once; the longest name at each position."""
    words = _WORD.findall(text)[:_MOST_WORDS]
    knowns: dict[str, _FormularyName] = {}
    at = 0
    while at < len(words):
        size, entry = _longest(words, at)
        if entry is not None:
            knowns.setdefault(entry.name, _FormularyName(" ".join(words[at : at + size]), entry))
        at += size
    # The name for blood tests in general is the least specific, so it comes last.
    return tuple(sorted(knowns.values(), key=lambda name: name.entry.name == _ANY_BLOOD_TEST))


def _longest(words: list[str], at: int) -> tuple[int, Entry | None]:
    for size in range(min(_LONGEST_NAME, len(words) - at), 0, -1):
        name = words[at : at + size]
        if size == 1 and (name[0].lower() in _NOT_NAMES or name[0].isdigit()):
            continue
        if name[0].lower() in _FILLING or name[-1].lower() in _FILLING:
            continue
        entry = formulary().find(" ".join(name))
        if entry is not None and entry.kind != "examination":
            return size, entry
    return 1, None
