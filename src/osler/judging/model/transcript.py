"""The transcript of a trace for a blinded judge, and the check that a quote occurs in it.

Left out: the player's name, rationale, differential and confidence, what the table says, and the case's own
ids. Each line keeps its source, since a patient's words do not prove what the doctor did.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from typing import Final, Literal, NamedTuple

from osler.core.events import Seat
from osler.core.protocol import Protocol
from osler.core.trace import Trace
from osler.core.wording import SAID, Wording
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
]
LONGEST_QUOTE: Final = 1000
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


class Line(NamedTuple):
    """One line of the transcript; `text` has been made inert."""

    source: Source
    text: str


def lines_of(trace: Trace, protocol: Protocol) -> tuple[Line, ...]:
    """The lines of what was said, ordered, found and concluded, in order. Empty texts are left out."""
    return tuple(
        line
        for read in protocol.read(trace)
        for source, text in _sourced(read.wording)
        for line in lines_said(source, text)
    )


def lines_said(source: Source, text: str) -> tuple[Line, ...]:
    """A text as one line, or no line if nothing in it is visible."""
    shown = inert(text)
    return (Line(source, shown),) if shown else ()


def stands_in(quote: str, lines: Collection[Line], sources: Collection[Source]) -> bool:
    """Whether a quote occurs within one line of these sources, on whole words.

    Case, spacing, kinds of quotation mark and dash, and punctuation at either end do not matter. A very short
    quote counts only if it is the whole line, because such words occur everywhere.
    """
    wanted = _folded(_NUMBER.sub("", inert(quote, LONGEST_QUOTE)))
    if not any(char.isalnum() for char in wanted):
        return False
    said = (_folded(line.text) for line in lines if line.source in sources)
    if len(wanted) < _SHORT and wanted.isascii():
        return any(wanted == text for text in said)
    return any(_has_words(text, wanted) for text in said)


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


def _sourced(wording: Wording) -> Iterator[tuple[Source, str]]:
    """The source and text of a wording as shown to a judge; nothing for one that judges are not shown."""
    if not wording.public:
        return
    if wording.kind in _KINDS:
        answer = "answer: " if wording.kind == "answer" else ""
        yield _KINDS[wording.kind], f"{answer}{wording.text}"
    elif wording.kind == SAID and wording.by.startswith("student_"):
        yield "student", f"{wording.speaker}: {wording.text}"
    elif wording.kind == SAID and wording.by in _SPEAKERS:
        yield _SPEAKERS[wording.by], wording.text
