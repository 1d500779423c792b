"""A readable transcript of an episode: speech, orders, results and the end, with simulated times."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final, NamedTuple

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.core.protocol import Protocol
from osler.core.trace import InnerRow, Trace
from osler.core.wording import SAID, clock
from osler.text.hostile import safe

_STYLES: Final = {"doctor": "bold cyan", "patient": "bold green", "result": "yellow", "diagnosis": "bold"}
_PASSED_OVER: Final = frozenset({"turn"})
"""Kinds of line that are left out, as numbered transcripts show them by their numbers."""


class TranscriptLine(NamedTuple):
    """A line of a transcript, safe to show; `n` is the exchange it came from, 0 if none."""

    n: int
    time: str
    who: str
    words: str


def transcript_lines(trace: Trace, protocol: Protocol) -> Iterator[tuple[str, str, str]]:
    """Yield (simulated time, speaker or kind, words) for each line in order, safe to show."""
    return ((line.time, line.who, line.words) for line in numbered_lines(trace, protocol))


def numbered_lines(trace: Trace, protocol: Protocol) -> Iterator[TranscriptLine]:
    """Yield the lines with their exchange numbers. What several seats are told alike is shown once."""
    before = None
    for n, minute, _, wording in protocol.read(trace):
        if wording.kind in _PASSED_OVER or (wording == before and wording.kind != SAID):
            continue
        before = wording
        yield TranscriptLine(n, clock(minute), safe(wording.label), safe(wording.text))


def render_transcript(
    trace: Trace,
    protocol: Protocol,
    title: str | None = None,
    *,
    kept: int | None = None,
    numbered: bool = False,
) -> RenderableType:
    """Return the transcript for a terminal. `numbered` shows exchange numbers, marks where the exchanges that
    a branch `kept` end, and includes the inner requests of composite players."""
    table = Table.grid(padding=(0, 1))
    if numbered:
        table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    before = None
    inside = list(trace.inner) if numbered else []
    for n, time, who, words in numbered_lines(trace, protocol):
        while inside and inside[0].n <= n:
            _inside(table, inside.pop(0))
        if kept is not None and n > kept and (before is None or before <= kept):
            _row(table, numbered, "", "", "branch", f"everything after exchange {kept} was played again")
        _row(table, numbered, "" if n == before else str(n), time, who, words)
        before = n
    for row in inside:
        _inside(table, row)
    return Group(Text(safe(title), "bold"), table) if title else table


def _row(table: Table, numbered: bool, n: str, time: str, who: str, words: str) -> None:
    cells = [Text(n)] if numbered else []
    table.add_row(*cells, Text(time), Text(who, _STYLES.get(who, "dim")), Text(words))


def _inside(table: Table, row: InnerRow) -> None:
    _row(table, True, f"{row.n}.{row.path}", "", "inside", f"{safe(row.player)}: {safe(_brief(row))}")


def _brief(row: InnerRow) -> str:
    """Return the plain values of a reply, or the reason why there is none."""
    reply = json.loads(row.reply)
    if reply is None:
        refused = [attempt["error"] for attempt in json.loads(row.attempts) if "error" in attempt]
        return f"no valid reply: {refused[-1] if refused else 'unknown'}"
    return " ".join(str(value) for value in reply.values() if isinstance(value, str | int | float) and value)
