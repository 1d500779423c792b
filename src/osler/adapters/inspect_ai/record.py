"""The record of an encounter in a log of Inspect: enough to replay it, and to check it against its replay.

It is written by the solver into the sample's store, and read from logs that anybody may have written: its
model bounds everything, and it names no path.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import Field

from osler.core.events import Frozen
from osler.core.trace import ExchangeRow, InnerRow, Outcome, Trace, trace_of
from osler.errors import Status
from osler.runs.played import EndedEpisode

STORED: Final = "osler"
"""The key of the record in a sample's store, of the head in a log's metadata."""
SCHEMA: Final = 1
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,100}$")]
Short = Annotated[str, Field(max_length=300)]
Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{1,64}$")]
Text = Annotated[str, Field(max_length=4_000_000)]
Count = Annotated[int, Field(ge=0, le=2**53)]


class Exchange(Frozen):
    """An exchange; see `ExchangeRow`."""

    n: Count
    seat: Short
    request: Hash
    events: Text
    reply: Text
    attempts: Text


class Inner(Exchange):
    """An inner exchange; see `InnerRow`."""

    path: Annotated[str, Field(pattern=r"^[0-9]{1,6}(\.[0-9]{1,6}){0,9}$")]
    player: Short


class Head(Frozen):
    """The part of a log that all its encounters share: their configuration, without the model under test, and
    what else determines them."""

    schema_: Annotated[int, Field(alias="schema", ge=1, le=SCHEMA)]
    protocol: Short
    configuration: dict[str, Any]
    cases_fingerprint: Short
    eyes: bool
    schemas: bool
    osler: Short
    knowledge: Short


class Record(Frozen):
    """An ended encounter: `place` is that of its case among those of the task, `player` the name of the model
    under test, `serving` and `roles` (by name) what determines models' answers. `unscored` is the reason why
    it may not be scored, empty if it may; `measures` are the values behind Inspect's table, a ratio's as its
    part and whole."""

    schema_: Annotated[int, Field(alias="schema", ge=1, le=SCHEMA)]
    place: Count
    repeat: Count
    case: Hash
    player: Name
    serving: Annotated[str, Field(max_length=20_000)]
    roles: dict[Name, Annotated[str, Field(max_length=20_000)]]
    key: Hash
    status: Status
    reason: Annotated[str, Field(max_length=20_000)]
    minutes: Count
    exchanges: Count
    counts: dict[Short, int]
    tail: Text
    rows: Annotated[tuple[Exchange, ...], Field(max_length=100_000)]
    inner: Annotated[tuple[Inner, ...], Field(max_length=100_000)]
    grader: Short
    version: Short
    judgement: Text
    unscored: Annotated[str, Field(max_length=20_000)]
    measures: dict[Short, float | tuple[float, float] | None]

    @property
    def trace(self) -> Trace:
        """The trace of the encounter."""
        rows = (ExchangeRow(r.n, r.seat, r.request, r.events, r.reply, r.attempts) for r in self.rows)
        inner = (
            InnerRow(r.n, r.path, r.seat, r.player, r.request, r.events, r.reply, r.attempts)
            for r in self.inner
        )
        outcome = Outcome(
            self.status, self.reason, self.minutes, self.exchanges, dict(self.counts), self.tail
        )
        return trace_of(rows, outcome, inner)


def of_played(episode: EndedEpisode) -> dict[str, Any]:
    """The fields of a record that an ended encounter gives."""
    outcome = episode.trace.outcome
    return {
        "schema": SCHEMA,
        "key": episode.key,
        "status": str(outcome.status),
        "reason": outcome.reason,
        "minutes": outcome.minutes,
        "exchanges": outcome.exchanges,
        "counts": dict(outcome.counts),
        "tail": outcome.tail,
        "rows": [_without_calls(row) for row in episode.trace.rows],
        "inner": [_without_calls(row) for row in episode.trace.inner],
        "grader": episode.grader,
        "version": episode.version,
        "judgement": episode.judgement,
    }


def _without_calls(row: ExchangeRow | InnerRow) -> dict[str, Any]:
    result = row._asdict()
    del result["calls"]
    return result
