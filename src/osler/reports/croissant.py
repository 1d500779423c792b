"""The Croissant metadata of exported tables, for dataset tools to read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from osler.core.summary import LABEL
from osler.files import sha256_of
from osler.reports.croissant_terms import Column, dataset, file_object, record_set
from osler.reports.table_columns import Table
from osler.store.records import RunInfo

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
