"""Export of runs as analysis tables: episodes, exchanges and scores, by their protocol's measures.

There is no wall-clock time in any row: the same episodes give the same bytes. Memory use is constant.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic_core import from_json

from osler.core.measure import Ratio, Scored, Value, plain_value
from osler.core.protocol import Protocol
from osler.core.summary import LABEL
from osler.files import sha256_of
from osler.judging.grader_notes import FORMATIVE, agreement_of
from osler.reports.croissant_terms import Column, dataset, file_object, record_set
from osler.reports.table_columns import Table, counts_of, scores_of, tables_of
from osler.reports.tables_export import Cell, write_tables
from osler.runs.measured import Measured, measured
from osler.store.permitted_store import for_reader
from osler.store.records import RunInfo
from osler.store.store import Record, Store
from osler.studies.comparable import check_one_protocol
from osler.studies.report_parts import Parts, body_of, parts_of


def export_tables(store: Store, runs: Sequence[RunInfo], folder: Path) -> list[Path]:
    """Write the three tables of these runs and `croissant.json` into `folder`, and return the files.

    Raises BadInput if the folder cannot be written, or the runs are of several protocols.
    """
    protocol, store = check_one_protocol(*runs), for_reader(store, "tables")
    parts = parts_of(protocol)
    tables = tables_of(protocol, parts.of_case, parts.of_end)
    licences = set[str]()

    def rows() -> Iterator[tuple[str, list[Cell]]]:
        for run in runs:
            cases = set[str]()
            for name, row in _rows(protocol, parts(run, store), cases):
                yield name, [run.name, *row]
            licences.update(_licence(store, case) for case in sorted(cases))

    return write_tables(
        folder, tables, rows(), lambda files: croissant(runs, files, sorted(licences), tables)
    )


def _rows(protocol: Protocol, parts: Parts, cases: set[str]) -> Iterator[tuple[str, list[Cell]]]:
    run, store = parts.run, parts.store
    both = zip(measured(run, store, scores_of(protocol)), store.records(run.id, earlier=True), strict=True)
    for one, record in both:
        cases.add(one.row.case_hash)
        yield "episodes", _episode(protocol, parts, one, record)
        yield from (("exchanges", row) for row in _exchanges(record))
        yield from (("scores", row) for row in _scores(record))


def _episode(protocol: Protocol, parts: Parts, one: Measured, record: Record) -> list[Cell]:
    row, trace, judgements = record
    own = parts.cells(trace, body_of(protocol, one, judgements))
    ended = Scored(row, None, lambda: trace)
    counts = {measure.name: measure.of(ended) for measure in counts_of(protocol)}
    counts.setdefault("minutes", float(row.minutes))
    return [
        *(row.ordinal, row.key, row.case_id, row.case_hash),
        *(own.get(column.name) for column in parts.of_case),
        *(str(row.status), row.reason),
        *(None if (value := plain_value(count)) is None else int(value) for count in counts.values()),
        row.exchanges,
        *(own.get(column.name) for column in parts.of_end),
        one.version or None,
        *(
            cell
            for measure, value in zip(scores_of(protocol), one.values, strict=True)
            for cell in _cells(measure.ratio, value)
        ),
    ]


def _cells(ratio: bool, value: Value) -> list[Cell]:
    """Return the cells of a score; a ratio also has its numerator and denominator."""
    plain: Cell = plain_value(value)
    if not ratio:
        return [plain]
    return [plain, *(value if isinstance(value, Ratio) else (None, None))]


def _exchanges(record: Record) -> Iterator[list[Cell]]:
    episode, trace, _ = record
    minute = 0
    for row in trace.rows:
        events, reply, attempts = (from_json(text) for text in (row.events, row.reply, row.attempts))
        minute = max([minute, *(event["minute"] for event in events)])
        action = reply.get("action") if isinstance(reply, dict) else None
        refused = sum(attempt.get("at") != "used" for attempt in attempts)
        said = (json.dumps(each) for each in (events, reply, attempts))
        yield [episode.ordinal, row.n, minute, row.seat, action, row.request, *said, refused]


def _scores(record: Record) -> Iterator[list[Cell]]:
    """Yield the scores of each grader's latest judgement."""
    episode, _, judgements = record
    for judgement in {one.grader: one for one in judgements}.values():
        scores: Mapping[str, Any] = from_json(judgement.body)["scores"]
        for name, score in scores.items():
            evidence = json.dumps(score.get("evidence", []))
            key = (episode.ordinal, judgement.grader, judgement.version, name)
            note = (FORMATIVE, agreement_of(judgement.grader))
            yield [*key, score["value"], score.get("reason"), evidence, *note]


def _licence(store: Store, case_hash: str) -> str:
    body = store.case(case_hash)
    provenance = from_json(body).get("provenance") if body else None
    return str((provenance or {}).get("licence") or "not stated by the case")


# croissant.json


_TYPES: Final = {"text": "sc:Text", "integer": "sc:Integer", "number": "sc:Float"}


def croissant(
    runs: Sequence[RunInfo], files: Sequence[Path], licences: Sequence[str], tables: Sequence[Table]
) -> str:
    """Return the metadata as JSON text. The files must exist already: it holds their sizes and checksums.

    The licences are those of the cases, whose words are in the tables. Each run's configuration says how the
    tables were made.
    """
    made = [{"run": run.name, "configuration": run.manifest["configuration"]} for run in runs]
    names = [run.name for run in runs]
    described = dataset(
        "osler-" + "-".join(names)[:200],
        f"Simulated clinical encounters: episodes, exchanges and scores. {LABEL}",
        license="; ".join(licences),
        citeAs="Osler, simulated clinical encounters: " + ", ".join(names),
        creator={"@type": "sc:Organization", "name": "Osler"},
        datePublished=f"{max(run.created_at for run in runs):%Y-%m-%d}",
        **{"rai:dataCollection": "Played and judged by Osler: " + json.dumps(made, sort_keys=True)},
        distribution=[_file(path) for path in files],
        recordSet=[_records(table) for table in tables],
    )
    return json.dumps(described, indent=2) + "\n"


def _file(path: Path) -> dict[str, Any]:
    return file_object(path.name, sha256_of(path), contentSize=f"{path.stat().st_size} B")


def _records(table: Table) -> dict[str, Any]:
    columns = [Column(column.name, _TYPES[column.kind], column.what) for column in table.columns]
    return record_set(table.name, f"{table.name}.csv", columns, description=f"One row is {table.row}.")
