"""The common form of writers, and the names of the files they write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from osler.training.pictures import Album
from osler.training.samples import Kind, Sample
from osler.training.splits import SPLITS

Format = Literal["parquet", "sharegpt", "jsonl"]
Rows = Callable[[str, str], Iterator[Sample]]


class Content(NamedTuple):
    """All that a writer is given: the rows of a kind and a split, which of these there are, and pictures."""

    rows: Rows
    parts: tuple[tuple[Kind, str], ...]
    album: Album
    folder: Path


def splits_in(parts: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    """The splits that have rows, in their order."""
    return tuple(split for split in SPLITS if any(split == one for _, one in parts))


def data_file(split: str) -> str:
    """The path of a Parquet file in a data set."""
    return f"data/{split}-00000-of-00001.parquet"


def sharegpt_file(kind: str, split: str) -> str:
    """The path of a file in ShareGPT's form."""
    return f"sharegpt/{kind}_{split}.json"


def lines_file(kind: str, split: str) -> str:
    """The path of a file of our own lines."""
    return f"rows/{kind}_{split}.jsonl"
