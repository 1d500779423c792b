"""The common form of writers, and the names of the files they write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from osler.training.filters import IMAGE
from osler.training.pictures import Album
from osler.training.samples import Kind, Sample
from osler.training.splits import SPLITS
from osler.training.state import images_in, text_of

Format = Literal["parquet", "sharegpt", "jsonl", "openai", "verl"]
READ_BACK: Final[frozenset[Format]] = frozenset({"parquet", "sharegpt", "jsonl"})
"""The forms that hold whole rows and are read back; others hold what their trainers take."""
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


def openai_file(kind: str, split: str) -> str:
    """The path of a file in the form of OpenAI's fine-tuning."""
    return f"openai/{kind}_{split}.jsonl"


def verl_file(split: str) -> str:
    """The path of a file of prompts for verl."""
    return f"verl/{split}.parquet"


def marked(sample: Sample, messages: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Messages as role and text, each with a marker after its text for each of its images. Raises ValueError
    if the markers are not the row's images, as where a text holds one."""
    result = [
        {"role": str(one["role"]), "content": f"{text_of(one)}{IMAGE * images_in([one])}"} for one in messages
    ]
    markers = sum(one["content"].count(IMAGE) for one in result)
    if markers != len(sample.images):
        raise ValueError(f"{sample.id}: {markers} markers for {len(sample.images)} images")
    return result
