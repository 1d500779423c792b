"""Canonical JSON Lines export of a run: the same episodes give the same bytes, whenever and wherever played.

The first line holds the run's configuration and what its marks are for (`marks`: the use, each grader with
its agreement), every further line one ended episode, in order of ordinal. Keys
are sorted, text is ASCII with escapes (so it can neither control a terminal nor break a line), and there is
no wall-clock time and no run name. A branch names its parent by the episode's key.

An export is read back by the versions of Osler that know its schema; any other is refused with its version.

What an endpoint reports about itself (`cached_tokens`) is left out, since it depends on the order in which
requests reached it; the store keeps it for usage and cost. The calls themselves, with the raw answers, have
an export of their own (`export_calls`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from osler.core.trace import ExchangeRow, InnerRow, Outcome, Trace, trace_of
from osler.errors import BadInput, Status
from osler.files import whole_file
from osler.judging.grader_notes import notes_on
from osler.store.canonical import (
    SCHEMA,
    Lines,
    branch_object,
    earlier_judgements,
    encode,
    exported_counts,
    judgement_object,
)
from osler.store.permitted_store import for_reader
from osler.store.queries import MAX_ORDINAL
from osler.store.records import COUNTED, EpisodeRow, Judgement
from osler.store.store import Record, Store

_HINT: Final = "give a file written by osler export"


def export_lines(store: Store, run_id: int) -> Iterator[str]:
    """Yield the lines of a run's export, without line ends, reading lazily from the store. The first says how
    many episodes are left out because their people do not permit it."""
    store = for_reader(store, "export")
    yield head_line(store, run_id)
    yield from episode_lines(store, run_id)


def head_line(store: Store, run_id: int) -> str:
    """The first line of a run's export, by a store that shows what may be exported."""
    configuration = store.info(run_id).manifest.get("configuration", {})
    marks = notes_on(grader for grader, _ in store.graders(run_id))
    head = {"schema": SCHEMA, "configuration": configuration, "marks": marks}
    if left_out := store.left_out(run_id):
        head["left_out"] = left_out
    return encode(head)


def episode_lines(store: Store, run_id: int, *, first: int = 0, last: int = MAX_ORDINAL) -> Iterator[str]:
    """Yield the lines of the episodes from ordinal `first` to `last`, by such a store."""
    configuration = store.info(run_id).manifest.get("configuration", {})
    return store.each(run_id, Lines(configuration).of, earlier=True, first=first, last=last)


def export_run(store: Store, run_id: int, out: Path) -> int:
    """Write a run's export to `out` atomically; return the number of episodes."""
    return write_lines(export_lines(store, run_id), out) - 1  # the first line is no episode


def call_lines(store: Store, run_id: int) -> Iterator[str]:
    """Yield a JSON object for each recorded call to a model, without line ends: those of players in the order
    of their exchanges, then those of judges. Timings are among them, so two runs never give the same."""
    store = for_reader(store, "calls")
    for row in store.calls(run_id):
        place = {"ordinal": row.ordinal, "n": row.n, "path": row.path, "call": row.call}
        yield encode({**row.body, **place})
    for row in store.judge_calls(run_id):
        named = {"ordinal": row.ordinal, "judge": row.grader, "version": row.version, "call": row.call}
        yield encode({**row.body, **named})


def export_calls(store: Store, run_id: int, out: Path) -> int:
    """Write a run's calls to models to `out` atomically; return their number."""
    return write_lines(call_lines(store, run_id), out)


def write_lines(lines: Iterator[str], out: Path) -> int:
    """Write ASCII lines to a file atomically, for its owner alone; return their number. Raises BadInput if
    that fails."""
    count = 0
    whole = whole_file(out, private=True)
    with whole as partial, partial.open("w", encoding="ascii", newline="\n") as file:
        for line in lines:
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
    result = {
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
        "judgements": {one.grader: judgement_object(one) for one in judged},
    }
    if earlier := earlier_judgements(judged):
        result["earlier_judgements"] = earlier
    if branch := branch_object(configuration):
        result["branch"] = branch
    return result


def _exchange(row: ExchangeRow, trace: Trace) -> dict[str, Any]:
    exchange = {
        "n": row.n,
        "seat": row.seat,
        "request": row.request,
        "events": json.loads(row.events),
        "reply": json.loads(row.reply),
        "attempts": json.loads(row.attempts),
    }
    if inner := trace.inside(row.n):
        exchange["inner"] = [_inner(one) for one in inner]
    return exchange


def _inner(row: InnerRow) -> dict[str, Any]:
    return {
        "path": row.path,
        "player": row.player,
        "request": row.request,
        "events": json.loads(row.events),
        "reply": json.loads(row.reply),
        "attempts": json.loads(row.attempts),
    }


def read_configuration(path: Path) -> dict[str, Any]:
    """The run's configuration, from the first line. Raises BadInput if the export cannot be read."""
    for line in _objects(path):
        if "configuration" not in line:
            raise BadInput("the first line is not that of an export", where=str(path), hint=_HINT)
        configuration: dict[str, Any] = line["configuration"]
        return configuration
    raise BadInput("the file is empty", where=str(path), hint=_HINT)


def read_export(path: Path) -> Iterator[Record]:
    """Yield every episode of an export with its trace and judgements, in file order, one in memory at a time.

    An export has no wall-clock times, so neither do these records. Raises BadInput.
    """
    wrote = read_configuration(path).get("osler", "an unknown version")
    for number, line in enumerate(_objects(path), start=1):
        if number == 1:
            continue
        try:
            yield _record(line)
        except (KeyError, TypeError, ValueError) as error:
            what = f"lacks {error}" if isinstance(error, KeyError) else str(error)
            raise BadInput(
                f"line {number} {what}; the file was written by Osler {wrote}",
                where=str(path),
                hint="use that version",
            ) from None


def find_exported(path: Path, ordinal: int) -> Record:
    """One episode of an export. Raises BadInput if the export lacks it."""
    for record in read_export(path):
        if record[0].ordinal == ordinal:
            return record
    raise BadInput(f"the export has no episode {ordinal}", where=str(path))


def _objects(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8") as file:
            for number, text in enumerate(file, start=1):
                yield _object(path, number, text)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise BadInput(f"cannot be read: {why}", where=str(path), hint=_HINT) from None


def _object(path: Path, number: int, text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict) or not isinstance(value.get("schema"), int):
        raise BadInput(f"line {number} is not a line of an export", where=str(path), hint=_HINT)
    if value["schema"] != SCHEMA:
        newer = value["schema"] > SCHEMA
        raise BadInput(
            f"the export was written by {'a newer' if newer else 'an unreleased'} Osler"
            f" (schema {value['schema']}; this one reads {SCHEMA})",
            where=str(path),
            hint="upgrade Osler" if newer else "read it with that version",
        )
    return value


def _record(line: dict[str, Any]) -> Record:
    rows = [_row(entry) for entry in line["exchanges"]]
    inner = [_inner_row(entry, one) for entry in line["exchanges"] for one in entry.get("inner", ())]
    outcome = Outcome(
        status=Status(line["status"]),
        reason=line["reason"],
        minutes=int(line["minutes"]),
        exchanges=len(rows),
        counts=_counts(line),
        tail=_text(line["tail"]),
    )
    episode = EpisodeRow(
        ordinal=line["ordinal"],
        key=line["episode"],
        case_hash=line["case"],
        case_id=line["case_id"],
        started=None,
        ended=None,
        **outcome._asdict(),
    )
    earlier = [(one["grader"], one) for one in line.get("earlier_judgements", ())]
    judged = [
        Judgement(line["ordinal"], grader, body["version"], _text(body))
        for grader, body in (*earlier, *sorted(line["judgements"].items()))
    ]
    return episode, trace_of(rows, outcome, inner), tuple(judged)


def _counts(line: dict[str, Any]) -> dict[str, int]:
    held = line["counts"] if "counts" in line else {name: line[name] for name in COUNTED}
    if not isinstance(held, dict):
        raise ValueError("has counts that are no object")
    return {name: int(count) for name, count in held.items()}


def _row(entry: dict[str, Any]) -> ExchangeRow:
    told = (_text(entry["events"]), _text(entry["reply"]), _text(entry["attempts"]))
    return ExchangeRow(entry["n"], entry["seat"], entry["request"], *told)


def _inner_row(entry: dict[str, Any], one: dict[str, Any]) -> InnerRow:
    told = (_text(one["events"]), _text(one["reply"]), _text(one["attempts"]))
    return InnerRow(entry["n"], one["path"], entry["seat"], one["player"], one["request"], *told)


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
