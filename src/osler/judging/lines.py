"""A trace as lines for a blinded judge, and the check that a quote occurs in one of them.

Left out: the player's name, rationale, differential and confidence, what the table says, and the case's own
ids. Each line keeps its source, since a patient's words do not prove what the doctor did. A judge of orders
and conclusions sees the kinds of entries (`as_transcript`), a judge of one examinee sees what the examinee
said, did and concluded, and what others said (`as_examined`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from osler.core.events import Seat, TurnBegan
from osler.core.lazy import load
from osler.core.protocol import Protocol, ReadLine
from osler.core.trace import Trace
from osler.core.wording import DONE, SAID
from osler.text.hostile import inert

Source = Literal[
    "doctor",
    "patient",
    "order",
    "result",
    "consultant",
    "diagnosis",
    "evidence",
    "plan",
    "follow_up",
    "student",
    "tutor",
    "examinee",
    "action",
    "conclusion",
    "environment",
]
EXAMINEE: Final[frozenset[Source]] = frozenset({"examinee", "action", "conclusion"})
_LONGEST_QUOTE: Final = 1000
_SHORT: Final = 6
_SPEAKERS: Final[dict[Seat, Source]] = {
    "doctor": "doctor",
    "patient": "patient",
    "examination": "result",
    "consultant": "consultant",
    "tutor": "tutor",
}
_KINDS: Final[dict[str, Source]] = {
    "order": "order",
    "result": "result",
    "no result": "result",
    "diagnosis": "diagnosis",
    "answer": "diagnosis",
    "evidence": "evidence",
    "plan": "plan",
    "follow-up": "follow_up",
    **dict.fromkeys(("vignette", "record", "summary"), "result"),
}
_NUMBER: Final = re.compile(r"^\s*\|?\s*t\d{1,6} (?:[a-z_]{1,20}: ?)?")
_ALIKE: Final = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛“”„‟«»`\"'", ""),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict(zip("[]‹›", "()<>", strict=True)),
    }
)
_EDGES: Final = " .,;:!?…-"


class JudgedLine(NamedTuple):
    """One line; `text` has been made inert. Turns count from 1; turn 0 is whatever precedes the first."""

    turn: int
    source: Source
    text: str


class Quote(NamedTuple):
    """Words quoted from a line, and its turn."""

    turn: int
    text: str


Sourced = Callable[[ReadLine, Seat], Iterator[tuple[Source, str]]]
"""The sources and texts of a wording as a judge sees it, given the seat under test; none if judges are not
shown it."""


def as_transcript(line: ReadLine, tested: Seat) -> Iterator[tuple[Source, str]]:
    """A wording by who spoke, or by the kind of entry: an order, a result, a part of the conclusion."""
    wording = line.wording
    if not wording.public:
        return
    if wording.kind in _KINDS:
        answer = "answer: " if wording.kind == "answer" else ""
        yield _KINDS[wording.kind], f"{answer}{wording.text}"
    elif wording.kind == SAID and wording.by.startswith("student_"):
        yield "student", f"{wording.speaker}: {wording.text}"
    elif wording.kind == SAID and wording.by in _SPEAKERS:
        yield _SPEAKERS[wording.by], wording.text


def as_examined(line: ReadLine, tested: Seat) -> Iterator[tuple[Source, str]]:
    """A wording as the words, the act or the conclusion of the seat `tested`, or as what another said."""
    wording = line.wording
    if not wording.public:
        return
    if line.event is None:
        yield "conclusion", f"{wording.kind}: {wording.text}"
    elif wording.kind == "order" or (wording.kind == DONE and wording.by == tested):
        yield "action", wording.text
    elif wording.by == tested:
        yield "examinee", wording.text
    else:
        yield "patient" if wording.by == "patient" else "environment", wording.named


def transcript_of(trace: Trace, protocol: Protocol) -> list[JudgedLine]:
    """An episode as its protocol shows it to blinded judges and raters."""
    lines = load(protocol.transcript or lines_of)(trace, protocol)
    return [line for line in lines if isinstance(line, JudgedLine)]


def lines_of(trace: Trace, protocol: Protocol, sourced: Sourced = as_transcript) -> tuple[JudgedLine, ...]:
    """The lines of what was said, done, ordered, found and concluded, in order. Empty texts are left out."""
    lines: list[JudgedLine] = []
    turn = 0
    for line in protocol.read(trace):
        if isinstance(line.event, TurnBegan):
            turn = line.event.turn
        for source, text in sourced(line, protocol.under_test):
            lines += lines_said(source, text, turn)
    return tuple(lines)


def lines_said(source: Source, text: str, turn: int = 0) -> tuple[JudgedLine, ...]:
    """A text as one line, or no line if nothing in it is visible."""
    shown = inert(text)
    return (JudgedLine(turn, source, shown),) if shown else ()


def by_examinee(lines: Iterable[JudgedLine]) -> list[JudgedLine]:
    """The lines of what the examinee said, did and concluded."""
    return [each for each in lines if each.source in EXAMINEE]


def quoted(words: str, lines: Sequence[JudgedLine]) -> Quote | None:
    """Find words within one line, as whole words: the quote with its turn, or `None`.

    Case, spacing, kinds of quotation mark and dash, and punctuation at either end do not matter. A very short
    quote counts only if it is the whole line, because such words occur everywhere.
    """
    shown = inert(words, _LONGEST_QUOTE)
    wanted = _folded(_NUMBER.sub("", shown))
    if not any(char.isalnum() for char in wanted):
        return None
    whole = len(wanted) < _SHORT and wanted.isascii()
    for line in lines:
        text = _folded(line.text)
        if wanted == text if whole else _has_words(text, wanted):
            return Quote(line.turn, shown)
    return None


def _has_words(text: str, wanted: str) -> bool:
    at = text.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        begins = at == 0 or not (text[at - 1].isalnum() and wanted[0].isalnum() and text[at].isascii())
        ends = end == len(text) or not (text[end].isalnum() and wanted[-1].isalnum() and text[end].isascii())
        if begins and ends:
            return True
        at = text.find(wanted, at + 1)
    return False


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_ALIKE)
    return " ".join(plain.split()).strip(_EDGES)
