"""Runs as tables for analysis: episodes, exchanges and scores, with a Croissant description of all three.

CSV always, Parquet too where pyarrow is installed. Rows go to the files as they are read, so memory stays
flat. There is no wall-clock time in any row: the same episodes give the same bytes.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Final

from pydantic_core import from_json

from osler.encounter.consultation import conclusion_of
from osler.errors import BadInput
from osler.judging.judge import GRADER
from osler.reports.croissant import croissant
from osler.reports.table_columns import EPISODES, EXCHANGES, SCORED, SCORES, TABLES, Table
from osler.reports.whole_file import whole_file
from osler.store.rows import RunInfo
from osler.store.store import Record, Store

Cell = str | int | float | None
DESCRIPTION: Final = "croissant.json"
_BATCH: Final = 2000
_ACTS: Final = ("=", "+", "-", "@", "\t", "\r")


def export_tables(store: Store, runs: Sequence[RunInfo], folder: Path) -> list[Path]:
    """Write the three tables of these runs and `croissant.json` into `folder`; returns the files.

    Text that a spreadsheet would take for a formula (= + - @ at its beginning) stands behind an apostrophe.
    Raises BadInput where the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(
            f"cannot be made: {error.strerror}", where=str(folder), mend="name another folder"
        ) from error
    suffixes = ("csv", "parquet") if find_spec("pyarrow") else ("csv",)
    files = [folder / f"{table.name}.{suffix}" for table in TABLES for suffix in suffixes]
    licences = set[str]()
    with ExitStack() as stack:
        sinks = {
            table.name: [_sink(stack, table, folder / f"{table.name}.{suffix}") for suffix in suffixes]
            for table in TABLES
        }
        for run in runs:
            cases = set[str]()
            for record in store.records(run.id):
                cases.add(record[0].case_hash)
                for table, rows in (
                    (EPISODES, [_episode(run.name, record)]),
                    (EXCHANGES, _exchanges(run.name, record)),
                    (SCORES, _scores(run.name, record)),
                ):
                    for row in rows:
                        for sink in sinks[table.name]:
                            sink.add(row)
            licences |= {_licence(store, case) for case in sorted(cases)}
    described = folder / DESCRIPTION
    text = croissant(runs, files, sorted(licences))
    with whole_file(described) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")
    return [*files, described]


def _episode(run: str, record: Record) -> list[Cell]:
    episode, trace, judgements = record
    mine = next((from_json(j.body) for j in judgements if j.grader == GRADER), None)
    version = next((j.version for j in judgements if j.grader == GRADER), None)
    scores = mine["scores"] if mine else {}
    final = conclusion_of(trace) or {}
    return [
        *(run, episode.ordinal, episode.key, episode.case_id, episode.case_hash),
        *((mine["kind"], mine["chance"]) if mine else (None, None)),
        *(str(episode.status), episode.reason, episode.turns, episode.tests, episode.minutes, episode.cost),
        *(episode.exchanges, final.get("diagnosis"), final.get("answer"), version),
        *(scores.get(name, {}).get("value") for name in SCORED),
    ]


def _exchanges(run: str, record: Record) -> Iterator[list[Cell]]:
    episode, trace, _ = record
    minute = 0
    for row in trace.rows:
        events, reply, attempts = (from_json(text) for text in (row.events, row.reply, row.attempts))
        minute = max([minute, *(event["minute"] for event in events)])
        action = reply.get("action") if isinstance(reply, dict) else None
        refused = sum(attempt.get("at") != "used" for attempt in attempts)
        said = (json.dumps(each) for each in (events, reply, attempts))
        yield [run, episode.ordinal, row.n, minute, row.seat, action, row.request, *said, refused]


def _scores(run: str, record: Record) -> Iterator[list[Cell]]:
    episode, _, judgements = record
    for judgement in judgements:
        for name, score in from_json(judgement.body)["scores"].items():
            evidence = json.dumps(score.get("evidence", []))
            key = (run, episode.ordinal, judgement.grader, judgement.version, name)
            yield [*key, score["value"], score.get("reason"), evidence]


def _licence(store: Store, case_hash: str) -> str:
    body = store.case(case_hash)
    provenance = from_json(body).get("provenance") if body else None
    return str((provenance or {}).get("licence") or "not stated by the case")


class _Csv:
    def __init__(self, table: Table, file: TextIOWrapper) -> None:
        self._writer = csv.writer(file, lineterminator="\n")
        self._writer.writerow([column.name for column in table.columns])

    def add(self, row: Sequence[Cell]) -> None:
        self._writer.writerow([_inert(cell) if isinstance(cell, str) else cell for cell in row])

    def close(self) -> None:
        """The file is closed by whoever opened it."""


class _Parquet:
    """Rows in batches, typed as their columns say."""

    def __init__(self, table: Table, path: Path) -> None:
        self._arrow: Any = import_module("pyarrow")
        parquet: Any = import_module("pyarrow.parquet")
        types = {
            "text": self._arrow.string(),
            "integer": self._arrow.int64(),
            "number": self._arrow.float64(),
        }
        fields = [(column.name, types[column.kind]) for column in table.columns]
        self._schema = self._arrow.schema(fields)
        self._writer = parquet.ParquetWriter(str(path), self._schema)
        self._rows: list[list[Cell]] = []

    def add(self, row: Sequence[Cell]) -> None:
        self._rows.append([_encodable(cell) if isinstance(cell, str) else cell for cell in row])
        if len(self._rows) >= _BATCH:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        columns = zip(*self._rows, strict=True)
        arrays = [
            self._arrow.array(column, field.type)
            for column, field in zip(columns, self._schema, strict=False)
        ]
        if arrays:
            self._writer.write_batch(self._arrow.record_batch(arrays, schema=self._schema))
        self._rows = []


def _sink(stack: ExitStack, table: Table, path: Path) -> _Csv | _Parquet:
    partial = stack.enter_context(whole_file(path))
    if path.suffix == ".csv":
        file = stack.enter_context(partial.open("w", encoding="utf-8", newline=""))
        return _Csv(table, file)
    sink = _Parquet(table, partial)
    stack.callback(sink.close)
    return sink


def _encodable(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _inert(text: str) -> str:
    """Text that no spreadsheet takes for a formula, and that no reader of CSV stumbles over."""
    text = _encodable(text).replace("\0", "\\x00")
    return f"'{text}" if text.startswith(_ACTS) else text
