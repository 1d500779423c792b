"""Canonical JSON Lines of a run: the same bytes whenever and wherever the same episodes were played.

The first line holds the run's configuration, every further line one ended episode, in the order of their
ordinals. Keys are sorted, text is ASCII with escapes (so nothing in it can act on a screen or break a line),
and there is no wall-clock time and no name of a run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from osler.encounter.trace import ExchangeRow
from osler.errors import BadInput
from osler.store.rows import EpisodeRow, Judgement
from osler.store.store import Store

SCHEMA: Final = 1
_ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))


def export_lines(store: Store, run_id: int) -> Iterator[str]:
    """The lines of a run's export, without line ends, read from the store as they are wanted."""
    info = store.info(run_id)
    yield _ENCODER.encode({"schema": SCHEMA, "configuration": info.manifest.get("configuration", {})})
    for episode, trace, judged in store.records(run_id):
        yield _ENCODER.encode(_object(episode, trace.rows, judged))


def episode_object(store: Store, run_id: int, ordinal: int) -> dict[str, Any]:
    """One episode as its line of the export says it; of one that has not ended, what is recorded so far."""
    episode, trace, judged = store.record(run_id, ordinal)
    return _object(episode, trace.rows, judged)


def export_run(store: Store, run_id: int, out: Path) -> int:
    """Write a run's export to `out`, which is never there half written; returns the number of episodes."""
    # A pipe or a device is written to as it was named, never replaced.
    direct = out.exists() and not out.is_file()
    out = out if direct else out.resolve()
    partial = out if direct else out.with_name(f".{out.name}.{os.getpid()}.part")
    count = -1  # the first line is no episode
    try:
        try:
            with partial.open("w", encoding="ascii", newline="\n") as file:
                for line in export_lines(store, run_id):
                    file.write(line + "\n")
                    count += 1
                file.flush()
                if not direct:
                    os.fsync(file.fileno())
            if not direct:
                partial.replace(out)
        finally:
            if not direct:
                partial.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise BadInput(f"cannot be written: {reason}", where=str(out), mend="check the folder") from error
    return count


def _object(episode: EpisodeRow, rows: Sequence[ExchangeRow], judged: Sequence[Judgement]) -> dict[str, Any]:
    outcome = episode.outcome
    return {
        "schema": SCHEMA,
        "episode": episode.key,
        "ordinal": episode.ordinal,
        "case": episode.case_hash,
        "case_id": episode.case_id,
        "status": outcome.status,
        "reason": outcome.reason,
        "turns": outcome.turns,
        "tests": outcome.tests,
        "minutes": outcome.minutes,
        "cost": outcome.cost,
        "exchanges": [_exchange(row) for row in rows],
        "tail": json.loads(outcome.tail),
        "judgements": {j.grader: {**json.loads(j.body), "version": j.version} for j in judged},
    }


def _exchange(row: ExchangeRow) -> dict[str, Any]:
    return {
        "n": row.n,
        "seat": row.seat,
        "request": row.request,
        "events": json.loads(row.events),
        "reply": json.loads(row.reply),
        "attempts": json.loads(row.attempts),
    }
