"""Reading a log of Inspect by Inspect's own reader: its JSON is packed in ways that the standard library does
not unpack. Nothing of a log is trusted here but its form."""

from __future__ import annotations

import zipfile
from math import isfinite
from pathlib import Path
from typing import Final, NamedTuple

from inspect_ai.log import EvalLog, EvalSample, read_eval_log, read_eval_log_samples
from pydantic import ValidationError

from osler.adapters.inspect_ai.record import STORED, Head, Record
from osler.errors import BadInput, in_short

MOST_BYTES: Final = 1 << 30
"""The largest log, and the largest part of one when it is unpacked."""
_HINT: Final = "give a log that inspect eval osler/PROTOCOL wrote"


class Entry(NamedTuple):
    """A sample of a log: its id and epoch, the record of its encounter, or the reason why there is none."""

    id: str
    epoch: int
    record: Record | None
    why: str


class Log(NamedTuple):
    """A log of a task of Osler's: what names it, its head, how often each case was to be played, the ids of
    the cases, the samples, and Inspect's metrics by measure."""

    about: dict[str, str]
    head: Head
    epochs: int
    ids: tuple[str, ...]
    entries: tuple[Entry, ...]
    metrics: dict[str, dict[str, float | None]]


def read_log(path: Path) -> Log:
    """Read a log. Raises BadInput for a file that is none, or not one of Osler's."""
    _check_size(path)
    where = str(path)
    try:
        log = read_eval_log(where, header_only=True)
        head = Head.model_validate((log.eval.metadata or {}).get(STORED))
        result = list(read_eval_log_samples(where, all_samples_required=False, resolve_attachments=True))
        entries = tuple(map(_entry, result))
    except ValidationError as error:
        what = f"it is no log of Osler's, or damaged: {in_short(error, 'head')}"
        raise BadInput(what, where=where, hint=_HINT) from None
    except MemoryError:
        raise
    except Exception as error:  # whatever its reader meets in a file that is none of its own
        what = f"it cannot be read: {type(error).__name__}: {str(error)[:200]}"
        raise BadInput(what, where=where, hint=_HINT) from None
    return Log(_about(log), head, log.eval.config.epochs or 1, _ids(log, entries), entries, _metrics(log))


def _check_size(path: Path) -> None:
    if not path.is_file():
        raise BadInput("there is no such file", where=str(path), hint=_HINT)
    sizes = [path.stat().st_size]
    if zipfile.is_zipfile(path):
        try:
            with zipfile.ZipFile(path) as packed:
                sizes += [part.file_size for part in packed.infolist()]
        except (zipfile.BadZipFile, OSError, ValueError):
            raise BadInput("it cannot be unpacked", where=str(path), hint=_HINT) from None
    if max(sizes) > MOST_BYTES:
        raise BadInput(f"a part of it is larger than {MOST_BYTES:,} bytes", where=str(path))


def _about(log: EvalLog) -> dict[str, str]:
    result = {
        "eval_id": log.eval.eval_id,
        "task": log.eval.task,
        "model": log.eval.model,
        "created": log.eval.created,
        "status": log.status,
        "inspect_ai": (log.eval.packages or {}).get("inspect_ai", ""),
    }
    return {name: str(value)[:300] for name, value in result.items()}


def _ids(log: EvalLog, entries: tuple[Entry, ...]) -> tuple[str, ...]:
    named = log.eval.dataset.sample_ids
    return tuple(dict.fromkeys(map(str, named) if named else (one.id for one in entries)))


def _entry(sample: EvalSample) -> Entry:
    held = sample.store.get(STORED)
    if held is not None:
        return Entry(str(sample.id), sample.epoch, Record.model_validate(held), "")
    if sample.limit is not None:
        return Entry(str(sample.id), sample.epoch, None, f"a limit of Inspect: {sample.limit.type}")
    return Entry(str(sample.id), sample.epoch, None, "an error" if sample.error else "stopped")


def _metrics(log: EvalLog) -> dict[str, dict[str, float | None]]:
    result: dict[str, dict[str, float | None]] = {}
    for score in log.results.scores if log.results else ():
        held = result.setdefault(score.name, {})
        for name, one in score.metrics.items():
            held[name.removeprefix("osler/")] = float(one.value) if isfinite(one.value) else None
    return result
