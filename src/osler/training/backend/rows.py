"""The rows of a written data set, as a trainer reads them: one at a time, from memory-mapped files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

from osler.errors import BadInput
from osler.files import feed

_ROLES: Final = ("system", "user", "assistant")


class Row(NamedTuple):
    """A sample: the whole chat, the messages that carry loss as (index, weight), and the pictures of the
    chat's image blocks, in order, as bytes."""

    id: str
    messages: tuple[dict[str, Any], ...]
    spans: tuple[tuple[int, float], ...]
    images: tuple[bytes, ...] = ()


class Rows:
    """One split of a data set. `kind` is that of the rows taken: single, multi, revision or all; `published`
    gives every row the weight 1."""

    def __init__(
        self, folder: Path, split: str, cache: Path, *, kind: str = "all", published: bool = False
    ) -> None:
        from pyarrow import parquet

        self.files = sorted((folder / "data").glob(f"{split}-*.parquet"))
        if not self.files:
            raise BadInput(
                f"no split {split!r} in Parquet", where=str(folder), hint="osler dataset build writes one"
            )
        self.folder, self._cache, self._published = folder, cache, published
        self._table: Any = None
        try:
            kinds = [
                one
                for path in self.files
                for one in parquet.ParquetFile(path).read(["kind"])["kind"].to_pylist()
            ]
        except Exception as error:  # a file from anywhere, read by others' code
            raise _unreadable(error, self.files[0]) from None
        self._chosen = [n for n, one in enumerate(kinds) if kind in ("all", one)]

    @property
    def hash(self) -> str:
        """The hash over the bytes of its files."""
        digest = blake2b(digest_size=16)
        for path in self.files:
            feed(digest, path)
        return digest.hexdigest()

    def __len__(self) -> int:
        return len(self._chosen)

    def __getitem__(self, at: int) -> Row:
        if self._table is None:
            self._table = self._mapped()
        n = self._chosen[at]
        return row_of(self._table[n : n + 1].to_pylist()[0], self.folder, published=self._published)

    def _mapped(self) -> Any:
        """The files as one table that is mapped into memory, and so takes none."""
        from datasets import Dataset

        try:
            whole = Dataset.from_parquet([str(one) for one in self.files], cache_dir=str(self._cache))
            return whole.with_format("arrow")
        except Exception as error:  # a file from anywhere, read by others' code
            raise _unreadable(error, self.files[0]) from None

    def __iter__(self) -> Iterator[Row]:
        return (self[at] for at in range(len(self)))


def _unreadable(error: Exception, path: Path) -> BadInput:
    return BadInput(f"cannot be read as a data set: {' '.join(str(error).split())[:200]}", where=str(path))


def _spans(given: Mapping[str, Any], last: int, published: bool) -> tuple[tuple[int, float], ...]:
    """The places of the messages to learn, and the weight of each; without any it is the `last` message."""
    places = [int(one) for one in given.get("target_spans") or ()] or [last]
    whole = 1.0 if published else float(given.get("weight") or 0)
    shares = [float(one) for one in given.get("weights") or ()]
    if published or len(shares) != len(places):
        shares = [1.0] * len(places)
    return tuple((at, whole * share) for at, share in zip(places, shares, strict=True))


def row_of(given: Mapping[str, Any], folder: Path, *, published: bool = False) -> Row:
    """A row of the files. Raises BadInput where it has no target, or its pictures are not those it names."""
    where = f"row {str(given.get('id', ''))[:40]}"
    messages = [_message(one, where) for one in _parsed(given.get("messages"))]
    target = given.get("target")
    if given.get("kind") != "multi" and (not messages or messages[-1]["role"] != "assistant"):
        if not isinstance(target, str) or not target.strip():
            raise BadInput("has no target", where=where, hint="build the data set again")
        messages.append({"role": "assistant", "content": [{"type": "text", "text": target}]})
    spans = _spans(given, len(messages) - 1, published)
    for at, _ in spans:
        message = messages[at] if 0 < at < len(messages) else {"role": "", "content": ()}
        if message["role"] != "assistant" or not text_of(message).strip():
            raise BadInput("has no target", where=where, hint="build the data set again")
    images = tuple(_bytes(one, folder, where) for one in given.get("images") or ())
    markers = sum(block["type"] == "image" for one in messages for block in one["content"])
    if markers != len(images):
        raise BadInput(f"has {len(images)} pictures for {markers} places", where=where)
    return Row(str(given.get("id", "")), tuple(messages), spans, images)


def with_targets_of(row: Row, other: Row) -> Row:
    """A row whose targets are another row's, turn by turn and from the first again if it has fewer."""
    turns = [other.messages[at] for at, _ in other.spans]
    messages = list(row.messages)
    for n, (at, _) in enumerate(row.spans):
        messages[at] = turns[n % len(turns)]
    return row._replace(messages=tuple(messages))


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, as a server joins it for a model that takes no pictures."""
    return " ".join(block["text"] for block in message["content"] if block["type"] == "text")


def _parsed(value: Any) -> list[Any]:
    data = json.loads(value) if isinstance(value, str | bytes) else value
    return [json.loads(one) if isinstance(one, str | bytes) else one for one in data or ()]


def _message(given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """A message as blocks, without the fields that a table fills with nothing."""
    content = given.get("content")
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else _parsed(content)
    if given.get("role") not in _ROLES:
        raise BadInput(f"a message has the role {str(given.get('role'))[:20]!r}", where=where)
    kept = []
    for block in blocks:
        if block["type"] == "image":
            kept.append({"type": "image"})
        elif block["type"] == "text" and isinstance(block.get("text"), str):
            kept.append({"type": "text", "text": block["text"]})
        else:
            raise BadInput(f"a block of a message is {str(block['type'])[:20]!r}", where=where)
    return {"role": given["role"], "content": kept}


def _bytes(given: Any, folder: Path, where: str) -> bytes:
    if isinstance(given, bytes):
        return given
    raw, path = given.get("bytes"), given.get("path")
    if isinstance(raw, bytes):
        return raw
    file = (folder / str(path)).resolve()
    if not file.is_relative_to(folder.resolve()) or not file.is_file():
        raise BadInput(f"its picture {str(path)[:80]!r} is missing", where=where)
    return file.read_bytes()
