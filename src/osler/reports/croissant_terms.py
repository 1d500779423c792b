"""The vocabulary of Croissant 1.0 (JSON-LD), in which data sets describe themselves to search engines.

Source: MLCommons, Croissant Format Specification, version 1.0, 2024.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, Final, NamedTuple

_OF_CROISSANT: Final = (
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty", "fileSet"),
    *("format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet"),
    *("references", "regex", "repeated", "replace", "samplingRate", "separator", "source", "subField"),
    "transform",
)
_CONTEXT: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "@language": "en",
        "@vocab": "https://schema.org/",
        "cr": "http://mlcommons.org/croissant/",
        "dct": "http://purl.org/dc/terms/",
        "rai": "http://mlcommons.org/croissant/RAI/",
        "sc": "https://schema.org/",
        "conformsTo": "dct:conformsTo",
        "data": {"@id": "cr:data", "@type": "@json"},
        "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
        "examples": {"@id": "cr:examples", "@type": "@json"},
        **{name: f"cr:{name}" for name in _OF_CROISSANT},
    }
)
_ENCODINGS: Final = {
    ".csv": "text/csv",
    ".gif": "image/gif",
    ".jpg": "image/jpeg",
    ".json": "application/json",
    ".jsonl": "application/jsonlines",
    ".parquet": "application/x-parquet",
    ".png": "image/png",
    ".webp": "image/webp",
}


class Column(NamedTuple):
    """A column of a table, with a type of schema.org, such as `sc:Text`."""

    name: str
    type: str
    about: str


def dataset(name: str, description: str, **more: Any) -> dict[str, Any]:
    """The head of a description, with `more` properties."""
    return {
        "@context": dict(_CONTEXT),
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": name,
        "description": description,
        "version": "1.0.0",
        "isLiveDataset": False,
        **more,
    }


def file_object(path: str, sha256: str, **more: Any) -> dict[str, Any]:
    """A file by its path in the data set, with its hash in hexadecimal."""
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "encodingFormat": _ENCODINGS.get(PurePosixPath(path).suffix, "application/octet-stream"),
        "sha256": sha256,
        **more,
    }


def record_set(name: str, path: str, columns: Iterable[Column], **more: Any) -> dict[str, Any]:
    """The records of a file, by its columns."""
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"{name}/{column.name}",
            "name": column.name,
            "description": column.about,
            "dataType": column.type,
            "source": {"fileObject": {"@id": path}, "extract": {"column": column.name}},
        }
        for column in columns
    ]
    return {"@type": "cr:RecordSet", "@id": name, "name": name, **more, "field": fields}
