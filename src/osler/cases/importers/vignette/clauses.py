"""Splitting a prose vignette into units, each a sentence, a clause, or a row of a table.

The units are slices: joined, they give back the text. The splitting is generous, because neighbours with the
same holder are joined again afterwards (`pieces.pieces_of`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

# A stop ends a sentence before whitespace, a table's bar, the end of the text, or a capital set too close.
_STOP: Final = re.compile(r"[.!?][\"'”’)\]]{0,2}(?=\s|\||$|[A-Z][a-z])|\n")
_ABBREVIATED: Final = re.compile(
    r"\b(?:dr|mr|mrs|ms|st|vs|approx|e\.g|i\.e|cf|no|fig|spp|sp)\.$", re.IGNORECASE
)
_ON: Final = re.compile(r"\s{0,20}[a-z]")
_CHOICES: Final = re.compile(r"\b(?:answer )?choices:|(?:^|\n)\s{0,5}\(?A[.)]\s", re.IGNORECASE)
# Boundaries where one clause may end and another begin; the comma and the conjunction go with the latter.
_JOINT: Final = re.compile(
    r",?\s{1,5}(?:and|but|while|whereas|although|though|which(?!\s+of)|who)\s{1,5}"
    r"|[,;]\s{1,5}(?:(?:and|but)\s{1,5})?"
    r"|,?\s{1,5}with\s{1,5}"
    r"(?=(?:an?\s|normal\s)?(?:vital|temperature|pulse|heart rate|blood pressure|respirat|oxygen))"
)
# A bare "and" before one of these begins a clause; otherwise it joins two things.
_BEGINS: Final = re.compile(
    r"(?:he|she|they|it|his|her|their|the|there|an?|is|was|are|were|has|had|have|denie[sd]|reports?|reported|"
    r"complain\w+|takes?|drinks?|smokes?|lives|works|does|did|do|no|on|upon|physical|examination|laboratory|"
    r"serum|blood|urine|vital|temperature|pulse|states?|stated|appears|shows?|showed|reveal\w*|decreased|"
    r"diminished|absent|currently|recently|completed)\b",
    re.IGNORECASE,
)
# A sentence with one of these beginnings needs the clause after its comma.
_HANGING: Final = re.compile(
    r"\s*(?:after|although|as|at|before|by|despite|during|following|for|given|however|if|in|on|over|prior|since|though|"
    r"two|upon|when|while|with(?:out)?)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"\w+")
_FEWEST_WORDS: Final = 3
_DIGIT: Final = re.compile(r"\d")
# A cell that gives a value without a digit.
_VALUE: Final = re.compile(
    r":\s*\S|\b(?:positive|negative|normal|absent|present|none|no|not|reactive|nonreactive|detected|trace|elevated|"
    r"decreased|increased|low|high|pending|few|many|moderate|within|abnormalities|seen|clear|yellow)\b",
    re.IGNORECASE,
)
_LONGEST_HEADING: Final = 12
_MOST_BARS: Final = 6  # of one row; more mean several rows on one line
_LOOKED_BACK: Final = 12
_LOOKED_AT: Final = 200


class Unit(NamedTuple):
    """A slice of a vignette. Units of one `sentence` may be joined again; `row` marks a row of a table."""

    text: str
    sentence: int
    row: bool


def cut(text: str) -> tuple[Unit, ...]:
    """Split a vignette into units; their texts joined give `text`. The list of choices is one unit."""
    match = _CHOICES.search(text)
    end = match.start() if match else len(text)
    units: list[Unit] = []
    for number, (heading, line) in enumerate(_whole_lines(text[:end])):
        before, bar, table = line.partition("|")
        first, *others = [*_clauses(before), *_cells(bar + table)] or [""]
        units += [Unit(part, number, "|" in part) for part in (heading + first, *others)]
    if end < len(text):
        units.append(Unit(text[end:], len(units) + 1, row=False))
    return tuple(units)


def _whole_lines(text: str) -> Iterator[tuple[str, str]]:
    """Sentences, lines of a list and rows of a table, each preceded by the headings above it."""
    heading = ""
    for piece in _sentences(text):
        bare = piece.rstrip()
        if _only_heading(piece) and ("|" in piece or heading or not bare or bare.endswith(":")):
            heading += piece
            continue
        yield heading, piece
        heading = ""
    if heading:
        yield heading, ""


def _only_heading(piece: str) -> bool:
    """Whether a line is only a heading: a rule of a table, its column names, "Serum:"."""
    words = _WORD.findall(piece)
    return (
        len(words) <= _LONGEST_HEADING
        and not _DIGIT.search(piece)
        and (not words or not (_VALUE.search(piece) or piece.rstrip(" |\n").endswith((".", "?", "!"))))
        and ("|" in piece or len(words) <= 2)
    )


def _sentences(text: str) -> Iterator[str]:
    start = 0
    for mark in _STOP.finditer(text):
        end = mark.end()
        last = text[max(start, end - _LOOKED_BACK) : end]
        goes_on = _ON.match(text, end) is not None
        if mark.group() == "\n":
            # A line broken in mid-sentence continues in lower case.
            goes_on = goes_on and not last.rstrip().endswith((".", ":", "|", "?"))
        else:
            goes_on = goes_on or _ABBREVIATED.search(last) is not None
        if goes_on:
            continue
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def _cells(line: str) -> list[str]:
    """A row of a table, or the cells of several rows written on one line."""
    if not line:
        return []
    if line.lstrip().startswith("|") and line.rstrip().endswith("|") and line.count("|") <= _MOST_BARS:
        return [line]
    parts = [part for part in re.split(r"(?=\|)", line) if part]
    joined: list[str] = []
    waiting = ""
    for part in parts:
        waiting += part
        if not _only_heading(part) and part.strip(" |"):
            joined.append(waiting)
            waiting = ""
    if waiting and joined:
        joined[-1] += waiting
    return joined or [line]


def _clauses(sentence: str) -> Iterator[str]:
    """Split a sentence into clauses of at least three words; nothing is split inside brackets."""
    start, depth, seen = 0, 0, 0
    hanging = _HANGING.match(sentence) is not None
    for joint in _JOINT.finditer(sentence):
        depth += sentence.count("(", seen, joint.start()) - sentence.count(")", seen, joint.start())
        seen = joint.start()
        left = sentence[max(start, seen - _LOOKED_AT) : seen]
        right = sentence[joint.end() : joint.end() + _LOOKED_AT]
        if depth > 0 or _words(left) < _FEWEST_WORDS or _words(right) < _FEWEST_WORDS - 1:
            continue
        if joint.group().strip() == "and" and not _BEGINS.match(right):
            continue
        if hanging and joint.group().startswith(","):
            hanging = False
            continue
        yield sentence[start:seen]
        start = seen
    if start < len(sentence):
        yield sentence[start:]


def _words(text: str) -> int:
    return len(_WORD.findall(text))
