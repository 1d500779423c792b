"""An encounter as a class may see it: only what was said and done openly, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from osler.core.trace import Outcome, Trace, trace_of
from osler.errors import BadInput, Status
from osler.runs.run import protocol_of
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.web.schemas import LogItem, TextLine


def room_view(store: Store, run: RunInfo, ordinal: int) -> list[LogItem]:
    """The open lines of an episode in order, whether it has ended or not. Nothing else of it is in them."""
    return list(_items(_trace(store, run, ordinal), run))


def _items(trace: Trace, run: RunInfo) -> Iterator[LogItem]:
    ended = trace.outcome.status is not Status.PENDING
    place, at = 0, -1
    for read_line in protocol_of(run).read(trace):
        if not read_line.wording.public or (read_line.event is None and not ended):
            continue
        place, at = (place + 1, at) if read_line.n == at else (1, read_line.n)
        wording = read_line.wording
        line = TextLine(label=wording.label, kind=wording.kind, text=wording.text, by=wording.by)
        mark = "order" if wording.kind == "order" else None
        yield LogItem(
            id=f"{read_line.n}.{place}", n=read_line.n, minute=read_line.minute, lines=[line], mark=mark
        )


def _trace(store: Store, run: RunInfo, ordinal: int) -> Trace:
    """The record so far; what stands with the open question comes last."""
    try:
        return store.trace(run.id, ordinal) if _has_ended(store, run) else _so_far(store, run, ordinal)
    except BadInput:  # nothing is recorded yet
        return _so_far(store, run, ordinal)


def _has_ended(store: Store, run: RunInfo) -> bool:
    return next(store.episodes(run.id), None) is not None


def _so_far(store: Store, run: RunInfo, ordinal: int) -> Trace:
    rows = store.recorded(run.id, ordinal)
    asked_rows = store.asked(run.id, ordinal)
    tail = asked_rows[-1].events if asked_rows else "[]"
    return trace_of(rows, Outcome(Status.PENDING, "", 0, len(rows), {}, tail))
