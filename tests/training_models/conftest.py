"""Tiny bases and trainings, each made once for all tests; torch is imported once, with one thread."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["HF_HUB_OFFLINE"] = "1"
WHY = "the extra `train` is not installed: make test-train"
NO_PICTURES = "torchvision is not installed: pip install -e '.[train-vision]'"
READY = find_spec("trl") is not None and find_spec("torch") is not None
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip all without the extra; what its libraries warn of is no fault of ours."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("default"))
            if not READY:
                item.add_marker(pytest.mark.skip(reason=WHY))


@pytest.fixture(scope="session", autouse=True)
def torch() -> Iterator[Any]:
    """torch on one thread, or nothing where it is not installed."""
    if not READY:
        yield None
        return
    from osler.training.backend import libraries

    libraries.need()
    import torch

    torch.set_num_threads(1)
    yield torch


@pytest.fixture(scope="session")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for what is made once."""
    return tmp_path_factory.mktemp("trained")


@pytest.fixture(scope="session")
def sayings(room: Path) -> Path:
    """A data set of 32 short chats, two of a user's turns in each fourth."""
    return written(room / "sayings", [saying(n) for n in range(32)])


@pytest.fixture(scope="session")
def base(room: Path, sayings: Path) -> Path:
    """A tiny base of random weights."""
    from osler.training.backend.tiny_models import tiny

    tiny(room / "base", data=sayings, copies=False)
    return room / "base"


def block(role: str, *texts: str, images: int = 0) -> dict[str, Any]:
    """A message."""
    content = [{"type": "text", "text": text} for text in texts] + [{"type": "image"}] * images
    return {"role": role, "content": content}


WORDS = "ash birch cedar elm fir hazel larch maple oak pine rowan spruce willow yew beech alder".split()


def saying(n: int) -> dict[str, Any]:
    """A row of the data set; each fourth is a conversation of two turns of which both are learnt."""
    word, other = WORDS[n % 16], WORDS[(n * 7 + 3) % 16]
    messages = [block("system", "You name trees."), block("user", f"Tree {n}: {word}?")]
    row: dict[str, Any] = {"id": f"row-{n:02}", "kind": "single", "images": [], "weight": 1.0}
    first = f"<think_tree>{word}</think_tree>\n\nThe {word} is a tree."
    if n % 4:
        return {**row, "messages": messages, "target": first, "target_spans": [], "weights": []}
    later = [
        block("assistant", first),
        block("user", f"And {other}?"),
        block("assistant", f"So is the {other}."),
    ]
    spans = {"target": f"So is the {other}.", "target_spans": [2, 4], "weights": [0.5, 1.0]}
    return {**row, "kind": "multi", "messages": messages + later, **spans}


def written(folder: Path, rows: Sequence[dict[str, Any]], split: str = "train") -> Path:
    """A data set as Parquet, as far as a trainer reads it."""
    import pyarrow as pa
    from pyarrow import parquet

    part = pa.struct([("type", pa.string()), ("text", pa.string())])
    message = pa.struct([("role", pa.string()), ("content", pa.list_(part))])
    picture = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    schema = pa.schema(
        [
            *(("id", pa.string()), ("kind", pa.string()), ("messages", pa.list_(message))),
            *(("images", pa.list_(picture)), ("target", pa.string()), ("weight", pa.float64())),
            *(("target_spans", pa.list_(pa.int64())), ("weights", pa.list_(pa.float64()))),
        ]
    )
    (folder / "data").mkdir(parents=True, exist_ok=True)
    parquet.write_table(
        pa.Table.from_pylist(list(rows), schema), folder / "data" / f"{split}-00000-of-00001.parquet"
    )
    return folder


Trains = Callable[..., dict[str, Any]]


def trained(data: Path, base: Path, out: Path, *changes: str, **more: Any) -> dict[str, Any]:
    """Train with the settings of `tiny`, changed."""
    from osler.training.backend.sft import sft
    from osler.training.config import sft_config

    return sft(data, str(base), out, sft_config("tiny", changes), **more)


@pytest.fixture(scope="session")
def learnt(room: Path, sayings: Path, base: Path) -> Path:
    """The tiny base after full SFT on the sayings."""
    trained(sayings, base, room / "learnt", "steps=300", "batch=16", "per_device=16", "learning_rate=0.008")
    return room / "learnt"


@pytest.fixture(scope="session")
def adapted(room: Path, sayings: Path, learnt: Path) -> Path:
    """Adapters on what was learnt."""
    changes = ("steps=6", 'weights="lora"', "rank=4", "alpha=8", "warmup=0")
    trained(sayings, learnt, room / "adapted", *changes)
    return room / "adapted"
