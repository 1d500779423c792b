"""Canonical JSON Lines export of a run: the same episodes give the same bytes, whenever and wherever played.

The first line holds the run's configuration, every further line one ended episode, in order of ordinal. Keys
are sorted, text is ASCII with escapes (so it can neither control a terminal nor break a line), and there is
no wall-clock time and no run name. A branch names its parent by the episode's key.

Schema 2 omits what an endpoint reports about itself (`cached_tokens`), which depends on the order in which
requests reached it; the store keeps it for usage and cost. Schema 1 included it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from osler.core.trace import ExchangeRow, InnerRow, Trace
from osler.files import whole_file
from osler.store.records import COUNTED, Judgement, has_more
from osler.store.store import Record, Store

SCHEMA: Final = 2
MEASURED: Final = ("cached_tokens",)
"""Counts of a reply that depend on when an endpoint was asked; they are not part of the episode."""
_ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def export_lines(store: Store, run_id: int) -> Iterator[str]:
    """Yield the lines of a run's export, without line ends, reading lazily from the store."""
    configuration = store.info(run_id).manifest.get("configuration", {})
    yield _ENCODER.encode({"schema": SCHEMA, "configuration": configuration})
    for record in store.records(run_id, earlier=True):
        yield _ENCODER.encode(_canonical(record_object(record, configuration)))


def episode_object(store: Store, run_id: int, ordinal: int) -> dict[str, Any]:
    """One episode with everything recorded of it, so far if it has not ended."""
    configuration = store.info(run_id).manifest.get("configuration", {})
    return record_object(store.record(run_id, ordinal, earlier=True), configuration)


def export_run(store: Store, run_id: int, out: Path) -> int:
    """Write a run's export to `out` atomically; return the number of episodes."""
    count = -1  # the first line is no episode
    with whole_file(out) as partial, partial.open("w", encoding="ascii", newline="\n") as file:
        for line in export_lines(store, run_id):
            file.write(line + "\n")
            count += 1
        file.flush()
        if partial != out:  # neither a pipe nor a device
            os.fsync(file.fileno())
    return count


def record_object(record: Record, configuration: dict[str, Any]) -> dict[str, Any]:
    """An episode (read with `earlier` judgements) as its export line, plus what endpoints reported."""
    episode, trace, judged = record
    outcome = episode.outcome
    last = {j.grader: _judgement(j) for j in judged}
    earlier = [{"grader": j.grader, **_judgement(j)} for j in judged if _judgement(j) != last[j.grader]]
    found = {
        "schema": SCHEMA,
        "episode": episode.key,
        "ordinal": episode.ordinal,
        "case": episode.case_hash,
        "case_id": episode.case_id,
        "status": outcome.status,
        "reason": outcome.reason,
        "minutes": outcome.minutes,
        **exported_counts(outcome.counts),
        "exchanges": [_exchange(row, trace) for row in trace.rows],
        "tail": json.loads(outcome.tail),
        "judgements": last,
    }
    if earlier:
        found["earlier_judgements"] = earlier
    if branch := configuration.get("branch"):
        found["branch"] = {name: branch[name] for name in ("episode", "ordinal", "at")}
    return found


def exported_counts(counts: Mapping[str, int]) -> dict[str, Any]:
    """The counts under their export keys: `counts` if a protocol counts more than turns, tests and cost,
    otherwise these three."""
    return {"counts": dict(counts)} if has_more(counts) else {name: counts.get(name, 0) for name in COUNTED}


def _canonical(episode: dict[str, Any]) -> dict[str, Any]:
    for exchange in episode["exchanges"]:
        for asked in (exchange, *exchange.get("inner", ())):
            asked["attempts"] = [
                {key: value for key, value in one.items() if key not in MEASURED} for one in asked["attempts"]
            ]
    return episode


def _judgement(judgement: Judgement) -> dict[str, Any]:
    return {**json.loads(judgement.body), "version": judgement.version}


def _exchange(row: ExchangeRow, trace: Trace) -> dict[str, Any]:
    found = {
        "n": row.n,
        "seat": row.seat,
        "request": row.request,
        "events": json.loads(row.events),
        "reply": json.loads(row.reply),
        "attempts": json.loads(row.attempts),
    }
    if inner := trace.inside(row.n):
        found["inner"] = [_inner(one) for one in inner]
    return found


def _inner(row: InnerRow) -> dict[str, Any]:
    return {
        "path": row.path,
        "player": row.player,
        "request": row.request,
        "events": json.loads(row.events),
        "reply": json.loads(row.reply),
        "attempts": json.loads(row.attempts),
    }
