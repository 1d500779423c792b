"""The Croissant 1.0 (JSON-LD) metadata of exported tables, for dataset tools to read.

Source: MLCommons, Croissant Format Specification, version 1.0, 2024.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from osler.core.summary import LABEL
from osler.reports.table_columns import Table
from osler.store.records import RunInfo

_TYPES: Final = {"text": "sc:Text", "integer": "sc:Integer", "number": "sc:Float"}
_ENCODINGS: Final = {".csv": "text/csv", ".parquet": "application/vnd.apache.parquet"}
_CONTEXT: Final[dict[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant(
    runs: Sequence[RunInfo], files: Sequence[Path], licences: Sequence[str], tables: Sequence[Table]
) -> str:
    """Return the metadata as JSON text. The files must exist already: it holds their sizes and checksums.

    The licences are those of the cases, whose words are in the tables. Each run's configuration says how the
    tables were made.
    """
    made = [{"run": run.name, "configuration": run.manifest["configuration"]} for run in runs]
    described = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": "osler-" + "-".join(run.name for run in runs)[:200],
        "description": f"Simulated clinical encounters: episodes, exchanges and scores. {LABEL}",
        "license": "; ".join(licences),
        "citeAs": "Osler, simulated clinical encounters: " + ", ".join(run.name for run in runs),
        "creator": {"@type": "sc:Organization", "name": "Osler"},
        "datePublished": f"{max(run.created_at for run in runs):%Y-%m-%d}",
        "version": "1.0.0",
        "isLiveDataset": False,
        "rai:dataCollection": "Played and judged by Osler: " + json.dumps(made, sort_keys=True),
        "distribution": [_file(path) for path in files],
        "recordSet": [_records(table) for table in tables],
    }
    return json.dumps(described, indent=2) + "\n"


def _file(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "contentUrl": path.name,
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": _ENCODINGS[path.suffix],
        "sha256": digest,
    }


def _records(table: Table) -> dict[str, Any]:
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{table.name}/{column.name}",
            "name": column.name,
            "description": column.what,
            "dataType": _TYPES[column.kind],
            "source": {"fileObject": {"@id": f"{table.name}.csv"}, "extract": {"column": column.name}},
        }
        for column in table.columns
    ]
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": f"One row is {table.row}.",
        "field": fields,
    }
