"""The transcript as rubric judges see it: numbered turns, and the source of each line.

Only what the examinee said, did and concluded proves what the examinee did; what others said does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple

from osler.core.events import Seat, TurnBegan
from osler.core.protocol import Protocol, Read
from osler.core.trace import Trace
from osler.core.wording import DONE
from osler.errors import BadInput
from osler.judging.model import transcript
from osler.text.hostile import inert

Source = Literal["examinee", "action", "conclusion", "patient", "environment"]
EXAMINEE: Final[frozenset[Source]] = frozenset({"examinee", "action", "conclusion"})
_ROLES: Final[dict[str, Source]] = {
    "examinee": "examinee",
    "examinee_actions": "action",
    "sp": "patient",
    "environment": "environment",
    "system_event": "environment",
}
_SAYING: Final[transcript.Source] = "doctor"  # any source will do: the lines are filtered here
_PASSED_OVER: Final = ("system",)


class Line(NamedTuple):
    """One line; `text` has been made inert. Turns count from 1; turn 0 is whatever precedes the first."""

    turn: int
    source: Source
    text: str


class Quote(NamedTuple):
    """Words quoted from a line, and its turn."""

    turn: int
    text: str


def line(turn: int, source: Source, text: str) -> tuple[Line, ...]:
    """A text as one line, or no line if nothing in it is visible."""
    shown = inert(text)
    return (Line(turn, source, shown),) if shown else ()


def lines_of_trace(trace: Trace, protocol: Protocol) -> tuple[Line, ...]:
    """The lines of what was said, done, ordered, found and concluded, in order, without private thoughts, ids
    and labels."""
    found: list[Line] = []
    turn = 0
    for read in protocol.read(trace):
        if isinstance(read.event, TurnBegan):
            turn = read.event.turn
        for source, text in sourced(read, protocol.under_test):
            found += line(turn, source, text)
    return tuple(found)


def lines_of_transcript(entries: object) -> tuple[Line, ...]:
    """The lines of a published `transcript.json`, a list of {role, content}. Raises BadInput.

    A turn begins when the examinee speaks or acts after another speaker.
    """
    if not isinstance(entries, list):
        raise BadInput("is not a transcript: it must be a list of {role, content}")
    found: list[Line] = []
    turn, mine = 0, False
    for number, entry in enumerate(entries, start=1):
        role, text = _entry(entry, number)
        if role in _PASSED_OVER:
            continue
        source = _ROLES[role]
        turn += source in EXAMINEE and not mine
        mine = source in EXAMINEE
        found += line(turn, source, text)
    return tuple(found)


def by_examinee(lines: Sequence[Line]) -> list[Line]:
    """The lines of what the examinee said, did and concluded."""
    return [each for each in lines if each.source in EXAMINEE]


def quoted(words: str, lines: Sequence[Line]) -> Quote | None:
    """Find words, as whole words within one line: the quote with its turn, or `None`."""
    for each in lines:
        if transcript.stands_in(words, [transcript.Line(_SAYING, each.text)], (_SAYING,)):
            return Quote(each.turn, inert(words, transcript.LONGEST_QUOTE))
    return None


def sourced(read: Read, tested: Seat) -> Iterator[tuple[Source, str]]:
    """A line of an episode as shown to a judge of the seat `tested`; nothing for one that judges are not
    shown."""
    wording = read.wording
    if not wording.public:
        return
    if read.event is None:
        yield "conclusion", f"{wording.kind}: {wording.text}"
    elif wording.kind == "order" or (wording.kind == DONE and wording.by == tested):
        yield "action", wording.text
    elif wording.by == tested:
        yield "examinee", wording.text
    else:
        yield "patient" if wording.by == "patient" else "environment", wording.named


def _entry(entry: Any, number: int) -> tuple[str, str]:  # Any: JSON
    if not isinstance(entry, dict) or not all(
        isinstance(entry.get(name), str) for name in ("role", "content")
    ):
        raise BadInput(f"entry {number} must have a role and a content, both texts")
    if entry["role"] not in (*_ROLES, *_PASSED_OVER):
        known = ", ".join((*_PASSED_OVER, *_ROLES))
        raise BadInput(
            f"entry {number}: the role {entry['role'][:40]!r} is not known", mend=f"one of {known}"
        )
    return entry["role"], entry["content"]
