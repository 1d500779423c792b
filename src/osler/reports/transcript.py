"""An episode to read: who said what and when, what was ordered, what came back, how it ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.encounter.trace import Trace
from osler.reports.safe_text import safe
from osler.seats.events import (
    Advised,
    ConsultAsked,
    Ended,
    Event,
    Noticed,
    Ordered,
    Resulted,
    Said,
    Taken,
    VisitBegan,
)

_STYLES: Final = {"doctor": "bold cyan", "patient": "bold green", "result": "yellow", "conclusion": "bold"}
_DAY: Final = 24 * 60


def clock(minute: int) -> str:
    """Simulated time: "0:07", and "day 8 2:00" from the second day on."""
    days, rest = divmod(minute, _DAY)
    hours, minutes = divmod(rest, 60)
    return f"day {days + 1} {hours}:{minutes:02}" if days else f"{hours}:{minutes:02}"


def transcript_lines(trace: Trace) -> Iterator[tuple[str, str, str]]:
    """(simulated time, who or what, words) of everything a reader wants, in order, safe to show."""
    minute = 0
    for event in trace.events:
        minute = event.minute
        for who, words in _told(event):
            yield clock(minute), who, safe(words)
    for who, words in _conclusion(trace):
        yield clock(minute), who, safe(words)


def render_transcript(trace: Trace, title: str | None = None) -> RenderableType:
    """The transcript for a terminal."""
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    for time, who, words in transcript_lines(trace):
        table.add_row(Text(time), Text(who, _STYLES.get(who, "dim")), Text(words))
    return Group(Text(safe(title), "bold"), table) if title else table


def _told(event: Event) -> Iterator[tuple[str, str]]:
    match event:
        case VisitBegan():
            yield "visit", f"number {event.visit} begins"
        case Said():
            yield event.by, event.text
        case Ordered():
            yield "order", event.name
        case Taken():
            yield "order", f"{event.name} will be ready at {clock(event.ready_minute)}"
        case Resulted():
            yield "result" if event.returned else "no result", f"{event.name}: {event.text}"
        case ConsultAsked():
            lines = "; ".join(line.name for line in event.working_diagnoses)
            yield "to the consultant", " | ".join(part for part in (event.question, lines) if part)
        case Advised():
            yield "consultant", " ".join(part for part in (event.note, event.next_question) if part)
        case Noticed():
            yield "notice", event.text
        case Ended():
            yield "ended", f"{event.status}: {event.reason}"
        case _:
            return


def _conclusion(trace: Trace) -> Iterator[tuple[str, str]]:
    final = trace.final
    if final is None:
        return
    answer = f" (answer {final['answer']})" if final.get("answer") else ""
    sure = f", confidence {final['confidence']:.0%}" if final.get("confidence") is not None else ""
    yield "conclusion", f"{final['diagnosis']}{answer}{sure}"
    for name in ("evidence", "plan"):
        for entry in final.get(name) or ():
            yield name, str(entry)
    if final.get("followup"):
        yield "follow-up", str(final["followup"])
