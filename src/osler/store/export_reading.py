"""Reading exports back, from any version of Osler; an unreadable one is refused with its version."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from osler.core.trace import ExchangeRow, InnerRow, Outcome, trace_of
from osler.errors import BadInput, Status
from osler.store.export import SCHEMA
from osler.store.records import COUNTED, EpisodeRow, Judgement
from osler.store.store import Record

_MEND: Final = "give a file written by osler export"


def read_configuration(path: Path) -> dict[str, Any]:
    """The run's configuration, from the first line. Raises BadInput if the export cannot be read."""
    for line in _objects(path):
        if "configuration" not in line:
            raise BadInput("the first line is not that of an export", where=str(path), mend=_MEND)
        configuration: dict[str, Any] = line["configuration"]
        return configuration
    raise BadInput("the file is empty", where=str(path), mend=_MEND)


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
                mend="use that version",
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
        raise BadInput(f"cannot be read: {why}", where=str(path), mend=_MEND) from None


def _object(path: Path, number: int, text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("schema"), int):
        raise BadInput(f"line {number} is not a line of an export", where=str(path), mend=_MEND)
    if found["schema"] > SCHEMA:
        raise BadInput(
            f"the export was written by a newer Osler (schema {found['schema']}; this one knows {SCHEMA})",
            where=str(path),
            mend="upgrade Osler",
        )
    return found


def _record(line: dict[str, Any]) -> Record:
    rows = [_row(entry) for entry in line["exchanges"]]
    inner = [_inner(entry, one) for entry in line["exchanges"] for one in entry.get("inner", ())]
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
    told = (_text(entry["events"]), _text(entry["reply"]), _text(entry.get("attempts", [])))
    return ExchangeRow(entry["n"], entry["seat"], entry["request"], *told)


def _inner(entry: dict[str, Any], one: dict[str, Any]) -> InnerRow:
    told = (_text(one["events"]), _text(one["reply"]), _text(one["attempts"]))
    return InnerRow(entry["n"], one["path"], entry["seat"], one["player"], one["request"], *told)


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
