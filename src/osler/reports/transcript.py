"""An episode to read: who said what and when, what was ordered, what came back, how it ended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final, NamedTuple

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.encounter.consultation import conclusion_of
from osler.encounter.trace import InnerRow, Trace
from osler.reports.safe_text import safe
from osler.seats import round_events, scenario_events
from osler.seats.consultation_events import Advised, ConsultAsked, VisitBegan
from osler.seats.events import Ended, Event, Noticed, Said
from osler.seats.order_events import Ordered, Resulted, Taken

_STYLES: Final = {"doctor": "bold cyan", "patient": "bold green", "result": "yellow", "conclusion": "bold"}
_DAY: Final = 24 * 60


def clock(minute: int) -> str:
    """Simulated time: "0:07", and "day 8 2:00" from the second day on."""
    days, rest = divmod(minute, _DAY)
    hours, minutes = divmod(rest, 60)
    return f"day {days + 1} {hours}:{minutes:02}" if days else f"{hours}:{minutes:02}"


class Line(NamedTuple):
    """A line of a transcript, safe to show: it came of exchange `n`, or of none where that is 0."""

    n: int
    time: str
    who: str
    words: str


def transcript_lines(trace: Trace) -> Iterator[tuple[str, str, str]]:
    """(simulated time, who or what, words) of everything a reader wants, in order, safe to show."""
    return ((line.time, line.who, line.words) for line in numbered_lines(trace))


def numbered_lines(trace: Trace) -> Iterator[Line]:
    """The same lines, each with its exchange."""
    minute = n = 0
    exam = ""
    for n, told in trace.told():
        for event in told:
            if isinstance(event, round_events.ExamSet):
                if event.when == exam:  # each student is set the same
                    continue
                exam = event.when
            minute = event.minute
            for who, words in _told(event):
                yield Line(n, clock(minute), who, safe(words))
    for who, words in _conclusion(trace):
        yield Line(n, clock(minute), who, safe(words))


def render_transcript(
    trace: Trace, title: str | None = None, *, kept: int | None = None, numbered: bool = False
) -> RenderableType:
    """The transcript for a terminal; `numbered` by exchange, with a mark after those that a branch `kept` and
    what composite players asked inside them."""
    table = Table.grid(padding=(0, 1))
    if numbered:
        table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    before = None
    inside = list(trace.inner) if numbered else []
    for n, time, who, words in numbered_lines(trace):
        while inside and inside[0].n <= n:
            _inside(table, inside.pop(0))
        if kept is not None and n > kept and (before is None or before <= kept):
            _row(table, numbered, "", "", "branch", f"what follows exchange {kept} was played anew")
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
    """The plain values of a reply, or why there is none."""
    reply = json.loads(row.reply)
    if reply is None:
        refused = [attempt["error"] for attempt in json.loads(row.attempts) if "error" in attempt]
        return f"no valid reply: {refused[-1] if refused else 'unknown'}"
    return " ".join(str(value) for value in reply.values() if isinstance(value, str | int | float) and value)


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
        case round_events.Line():
            yield _speaker(event), event.text
        case round_events.Reviewed():
            verdict = "approves" if event.approved else f"rejects it ({event.issue}): {event.feedback}"
            yield event.by, verdict
        case round_events.Unguided():
            yield "no guidance", event.reason
        case round_events.RoundBegan():
            yield "round", f"number {event.round} begins"
        case scenario_events.Spoke():
            yield event.who, event.text
        case scenario_events.Acted():
            yield from (("does", act) for act in event.actions)
            if event.eos:
                yield "examinee", "all that is due for now is done"
        case scenario_events.Assessed():
            meant = f" as {event.action}" if event.action else ""
            why = f" ({event.rationale})" if event.rationale else ""
            yield "assessed", f"{event.raw}: {event.status}{meant}{why}"
        case scenario_events.Happened():
            yield "happens", event.text
        case scenario_events.Observed():
            signs = (f"{name} {value}" for name, value in event.vitals.items())
            yield "seen", "; ".join((event.status, *signs))
        case scenario_events.StateEntered():
            yield "state", f"{event.progress}: {event.state or 'the opening'} ({event.why.replace('_', ' ')})"
        case scenario_events.Present():
            yield "people", f"{event.who} ({event.role}) {'is here' if event.here else 'leaves'}"
        case scenario_events.Cue() if event.text:
            yield "cue", event.text
        case round_events.ExamSet():
            yield "exam", f"{event.when} the rounds, for each student alone, {len(event.items)} items"
        case Ended():
            yield "ended", f"{event.status}: {event.reason}"
        case _:
            return


def _speaker(line: round_events.Line) -> str:
    """Who says a line of a ward round, and to whom where not all hear it."""
    match line.part:
        case "analysis":
            return f"{line.speaker}, to the tutor"
        case "draft":
            return "draft"
        case "query":
            return f"{line.speaker}, to the expert"
        case "explanation":
            return "expert"
    return line.by if line.by in ("tutor", "patient") else line.speaker


def _conclusion(trace: Trace) -> Iterator[tuple[str, str]]:
    final = conclusion_of(trace)
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
