"""A written data set read back, whatever form it is in: rows, their pictures, the manifest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from osler.errors import BadInput, in_words
from osler.training.filters import IMAGE
from osler.training.pictures import name_of
from osler.training.samples import KINDS, Kind, Sample, from_row
from osler.training.splits import SPLITS
from osler.training.state import ImageRef, said
from osler.training.writers.form import READ_BACK, data_file, lines_file, sharegpt_file
from osler.training.writers.lines import PICTURES
from osler.training.writers.parquet import REFUSED, arrow
from osler.training.writers.sharegpt import RECORD
from osler.training.written import CASES, MANIFEST, is_data_set

Pictured = tuple[Sample, tuple[bytes, ...]]
"""A row, and the bytes of its pictures in order."""
_TYPES: Final = {"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif"}
_OBJECTS: Final = ("context", "tokens", "about", "provenance")


def manifest_of(folder: Path) -> dict[str, Any]:
    """The manifest of a data set. Raises BadInput where there is none."""
    if not is_data_set(folder):
        raise BadInput("is no data set", where=str(folder), hint="osler dataset build RUN --out DIR")
    value: dict[str, Any] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    for name in ("settings", "files"):
        if not isinstance(value.get(name) or {}, dict):
            raise BadInput(f"its {name} are no object", where=str(folder / MANIFEST))
    return value


def case_lines(path: Path) -> Iterator[Any]:
    """The cases of a data set as JSON, a line each. Raises OSError, ValueError and RecursionError."""
    # Bytes end a line at a line feed alone; a text would also at U+2028, which a case may hold.
    return map(json.loads, path.read_bytes().splitlines())


def cases_of(folder: Path) -> dict[str, list[str]]:
    """The cases of a data set in their own words, by content hash. Raises BadInput."""
    path = folder / CASES
    try:
        return {str(one["case_hash"]): [str(text) for text in one["texts"]] for one in case_lines(path)}
    except (OSError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"cannot be read: {error}"[:300], where=str(path)) from None


def rows(folder: Path, kind: Kind = "single", split: str = "train") -> Iterator[Sample]:
    """The rows of a kind and a split, in order of their ids. Raises BadInput for what cannot be read."""
    return (sample for sample, _ in pictured(folder, kind, split))


def every(folder: Path) -> Iterator[Pictured]:
    """All rows of a data set with their pictures, by kind and split."""
    for kind in KINDS:
        for split in SPLITS:
            yield from pictured(folder, kind, split)


def pictured(folder: Path, kind: Kind = "single", split: str = "train") -> Iterator[Pictured]:
    """The rows of a kind and a split with the bytes of their pictures. Raises BadInput."""
    formats = manifest_of(folder).get("formats")
    if isinstance(formats, list) and not READ_BACK.intersection(map(str, formats)):
        raise BadInput(
            f"holds no whole rows, only {', '.join(map(str, formats))[:80] or 'nothing'}",
            where=str(folder),
            hint="osler dataset build --format jsonl, and others beside it",
        )
    for path, reader in (
        (folder / lines_file(kind, split), _lines),
        (folder / data_file(split), _parquet),
        (folder / sharegpt_file(kind, split), _sharegpt),
    ):
        if path.is_file():
            return (one for one in reader(path, folder) if one[0].kind == kind)
    return iter(())


def _lines(path: Path, folder: Path) -> Iterator[Pictured]:
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            yield _with_bytes(_row(line, f"{path}:{number}"), folder)


def _row(line: str | bytes, where: str) -> Sample:
    try:
        return from_row(json.loads(line))
    except ValidationError as error:
        raise BadInput(f"is no row: {in_words(error)}", where=where) from None
    except (ValueError, RecursionError) as error:
        raise BadInput(f"is no JSON: {error}"[:300], where=where) from None


def _with_bytes(sample: Sample, folder: Path) -> Pictured:
    try:
        return sample, tuple((folder / PICTURES / name_of(one)).read_bytes() for one in sample.images)
    except OSError as error:
        raise BadInput(
            f"a picture of the row {sample.id} is missing: {error.strerror}", where=str(folder)
        ) from None


def _parquet(path: Path, folder: Path) -> Iterator[Pictured]:
    pa = arrow()
    try:
        file = pa.parquet.ParquetFile(path)
        for batch in file.iter_batches(64):
            for row in batch.to_pylist():
                yield _from_parquet(row)
    except (pa.ArrowException, KeyError, TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"cannot be read: {error}"[:300], where=str(path)) from None


def _from_parquet(row: Mapping[str, Any]) -> Pictured:
    result = {**row, **{name: json.loads(row[name]) for name in _OBJECTS}}
    result["messages"] = [json.loads(one) for one in row["messages"]]
    if result.get(REFUSED):
        result[REFUSED] = json.loads(row[REFUSED])
    else:
        result.pop(REFUSED, None)
    if row["kind"] != "multi":
        result |= {"messages": result["messages"][:-1], "target_spans": [], "weights": []}
    result["images"] = [_ref(str(one["path"])).model_dump() for one in row["images"]]
    raw = tuple(one["bytes"] for one in row["images"])
    if not all(isinstance(one, bytes) for one in raw):
        raise ValueError("a picture has no bytes")
    return from_row(result), raw


def _ref(name: str) -> ImageRef:
    sha256, _, ending = name.partition(".")
    return ImageRef(sha256=sha256, media_type=_TYPES.get(ending, f"image/{ending}"))


def _sharegpt(path: Path, folder: Path) -> Iterator[Pictured]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        for number, row in enumerate(value, 1):
            chat = [_message(str(one["role"]), str(one["content"])) for one in row["messages"]]
            record = json.loads(row[RECORD])
            last = chat[-1] if record["kind"] == "multi" else chat.pop()
            whole = {**record, "messages": chat, "target": _text(last)}
            yield _with_bytes(_row(json.dumps(whole), f"{path}, row {number}"), folder)
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        raise BadInput(f"is not in ShareGPT's form: {error}"[:300], where=str(path)) from None


def _message(role: str, content: str) -> dict[str, Any]:
    """A message from its text and the markers after it."""
    text = content.rstrip()
    markers = 0
    while text.endswith(IMAGE):
        text, markers = text.removesuffix(IMAGE), markers + 1
    result = said(role, content[: len(content) - len(IMAGE) * markers] if markers else content)
    return {**result, "content": [*result["content"], *({"type": "image"} for _ in range(markers))]}


def _text(message: Mapping[str, Any]) -> str:
    return str(message["content"][0]["text"])
