"""The description of a data set as Croissant, a JSON-LD vocabulary that search engines and hubs read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from osler.training.writers.card import licence_of
from osler.training.writers.form import data_file, splits_in

_CONTEXT: Final[dict[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
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
_FIELDS: Final = (
    ("id", "sc:Text", "The id of the row."),
    ("kind", "sc:Text", "A single turn, or a whole conversation."),
    ("target", "sc:Text", "The turn to learn."),
    ("case_id", "sc:Text", "The case of the encounter."),
    ("cluster", "sc:Text", "The cluster of nearly the same cases."),
    ("split", "sc:Text", "The split."),
    ("turn", "sc:Integer", "The accepted turns of the seat before this one."),
    ("context", "sc:Text", "Facts for rewards, as JSON, which are in no prompt."),
    ("provenance", "sc:Text", "Players, prompt, seed and licence, as JSON."),
)
_LINKS: Final = {
    "mit": "https://opensource.org/license/mit",
    "apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0",
    "cc-by-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "cc-by-nc-4.0": "https://creativecommons.org/licenses/by-nc/4.0/",
    "cc-by-sa-4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
    "cc0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
}


def croissant(
    manifest: Mapping[str, Any], files: Mapping[str, str], parts: Sequence[tuple[str, str]], *, parquet: bool
) -> str:
    """The description; `files` are SHA-256 by path."""
    licences = manifest["sessions_by"].get("licence", {})
    licence = licence_of(licences)
    found: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": f"osler-{manifest['protocol'].partition('/')[0]}-{manifest['seat']}",
        "description": f"Turns of the {manifest['seat']} in simulated {manifest['many']}, with their prompts."
        " For education and research only.",
        "license": _LINKS.get(licence, "; ".join(licences) or "not stated"),
        "version": "1.0.0",
        "url": "https://example.org/",
        "isLiveDataset": False,
        "rai:dataCollection": "Simulated encounters between language models or built-in players, replayed"
        " from their record; each prompt is proved by a hash.",
        "rai:dataBiases": "Players, personas and cases are those of a simulation and no sample of any"
        " population; see the share of turns kept by each filter in the card.",
        "rai:personalSensitiveInformation": "No real patient. Words of people only with their permission for"
        " training.",
        "rai:dataUseCases": "Training and evaluating tutors and clinicians in simulation. Not for care.",
        "distribution": [_file(path, digest) for path, digest in sorted(files.items())],
    }
    if parquet:
        found["recordSet"] = [_records(split) for split in splits_in(parts)]
    return f"{json.dumps(found, ensure_ascii=False, indent=2)}\n"


def _file(path: str, digest: str) -> dict[str, Any]:
    kinds = {"parquet": "application/x-parquet", "json": "application/json", "jsonl": "application/jsonlines"}
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "encodingFormat": kinds.get(path.rpartition(".")[2], "application/octet-stream"),
        "sha256": digest,
    }


def _records(name: str) -> dict[str, Any]:
    path = data_file(name)
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "key": {"@id": f"{name}/id"},
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{column}",
                "name": column,
                "description": about,
                "dataType": type_,
                "source": {"fileObject": {"@id": path}, "extract": {"column": column}},
            }
            for column, type_, about in _FIELDS
        ],
    }
