"""An episode to read: who said what and when, what was ordered, what came back, how it ended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.cases.model import Case
from osler.encounter.trace import Trace
from osler.judging.scores import Judgement
from osler.reports.safe_text import safe
from osler.seats.events import (
    Advised,
    ConsultAsked,
    Ended,
    Event,
    Noticed,
    Ordered,
    Released,
    Resulted,
    Said,
    Taken,
    VisitBegan,
)

_STYLES: Final = {"doctor": "bold cyan", "patient": "bold green", "result": "yellow", "conclusion": "bold"}
_SHARES: Final = {
    "fact_coverage": "key facts elicited",
    "finding_coverage": "key findings obtained",
    "exam_recall": "required examinations and tests done",
    "exam_precision": "examinations and tests that were called for",
    "management_met": "decisive steps named",
}
Played = Literal["doctor", "patient"]
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


def asked_missed_unsafe(
    case: Case, trace: Trace, judgement: Judgement, played: Played = "doctor"
) -> RenderableType:
    """For a person at the end: what was elicited, what was missed, what was unsafe; each with quotes.

    `played` is where the person sat: to a patient all of it is said of the doctor.
    """
    lines = []
    for heading, entries in debrief(case, trace, judgement).items():
        if played == "patient":
            heading = heading.replace("Your", "The doctor's").replace("You ", "The doctor ")
            heading = heading.replace(" you ", " the doctor ")
        lines.append(Text(heading, "bold"))
        lines.extend(Text(f"  - {entry}") for entry in entries or ["nothing"])
    return Group(*lines)


def debrief(case: Case, trace: Trace, judgement: Judgement) -> dict[str, list[str]]:
    """The headings of `asked_missed_unsafe` with their entries, safe to show.

    A heading is left out where the case has nothing to say about it.
    """
    released = {event.item for event in trace.of(Released)}
    known = {fact.id: fact.text for fact in case.facts}
    known |= {finding.id: f"{finding.name}: {finding.result}" for finding in case.findings}
    key = [fact.id for fact in case.facts if fact.key] + [f.id for f in case.findings if f.key]
    found = {"Your score": [safe(line) for line in _score_lines(case, trace, judgement)]}
    found["You found out"] = [safe(known[item]) for item in known if item in released]
    if key:
        found["Key facts and findings you missed"] = [safe(known[i]) for i in key if i not in released]
    for heading, name in (
        ("Decisive steps you named", "management_met"),
        ("Critical steps you missed", "critical_missed"),
        ("Unsafe acts you named", "unsafe_acts"),
        ("Tests that would harm", "contraindicated_tests"),
        ("Safety steps you took", "safety_done"),
        ("Questions asked again", "repeated_questions"),
    ):
        if judgement.scores[name].value is not None:
            found[heading] = [safe(quote) for quote in judgement.scores[name].evidence]
    return found


def _score_lines(case: Case, trace: Trace, judgement: Judgement) -> Iterator[str]:
    """Whether the answer is right and why, what the answer was, and the shares that were scored."""
    final, correct = trace.final, judgement.scores["correct"]
    given = final["diagnosis"] if final else "no answer"
    verdict = "not scored" if correct.value is None else "right" if correct.value == 1 else "wrong"
    yield f"{verdict}: {given} ({correct.reason})"
    options = case.task.options or {}
    yield f"the answer: {options.get(case.task.answer, case.task.answer)}"
    for name, words in _SHARES.items():
        if (share := judgement.scores[name].value) is not None:
            yield f"{words}: {share:.0%}"


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
