"""The weights of all-MiniLM-L6-v2: read from an ONNX file to start with, and written as Osler ships them.

Every table has 8-bit rows times a scale for each, in the names and shapes that `osler.reading.encoder` reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import onnx
from onnx import numpy_helper

from osler.reading.encoder import LAYERS, MOST_PIECES, SIZE

Arrays = Mapping[str, Any]
# The products of a layer in the order of the file, and their biases' names there.
_PRODUCTS: Final = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "out": "attention.output.dense",
    "up": "intermediate.dense",
    "down": "output.dense",
}
_NORMS: Final = {"after": "attention.output.LayerNorm", "last": "output.LayerNorm"}


def read(path: Path, vocabulary: Sequence[str]) -> dict[str, Any]:
    """The weights as float32 arrays, of the pieces that are written in ASCII; `vocabulary` are all pieces of
    the file, in order. A table's rows are its outputs."""
    graph = onnx.load(str(path)).graph
    held = {each.name: numpy_helper.to_array(each) for each in graph.initializer}
    kept = [row for row, piece in enumerate(vocabulary) if _is_kept(piece)]

    def table(name: str) -> Any:
        return (held[f"{name}_q"] * held[f"{name}_scale"]).astype(np.float32)

    places = table("inner.embeddings.position_embeddings.weight")[:MOST_PIECES]
    found = {
        "pieces": [vocabulary[row] for row in kept],
        "words": table("inner.embeddings.word_embeddings.weight")[kept],
        "places": places + held["inner.embeddings.token_type_embeddings.weight"][0],
        "first.weight": held["inner.embeddings.LayerNorm.weight"],
        "first.bias": held["inner.embeddings.LayerNorm.bias"],
    }
    products = [name[:-2] for name in held if name.startswith("val_") and name.endswith("_q")]
    for layer in range(LAYERS):
        inside = f"inner.encoder.layer.{layer}"
        of_layer = products[layer * len(_PRODUCTS) :]
        for product, name in zip(_PRODUCTS, of_layer, strict=False):
            found[f"{layer}.{product}.weight"] = table(name).T.copy()
            found[f"{layer}.{product}.bias"] = held[f"{inside}.{_PRODUCTS[product]}.bias"]
        for norm, name in _NORMS.items():
            for part in ("weight", "bias"):
                found[f"{layer}.{norm}.{part}"] = held[f"{inside}.{name}.{part}"]
    none = np.random.default_rng(0).normal(size=SIZE).astype(np.float32)
    found["none"] = none / np.sqrt((none * none).sum())
    found["none.bias"], found["sharp"] = np.float32(0.3), np.float32(20.0)
    return found


def _is_kept(piece: str) -> bool:
    """Whether a piece can occur in English; the encoder reads others as unknown."""
    return piece.isascii() and not piece.startswith("[unused")


def write(path: Path, weights: Arrays) -> None:
    """Write the weights as Osler ships them."""
    arrays: dict[str, Any] = {"pieces": np.frombuffer("\n".join(weights["pieces"]).encode(), dtype=np.uint8)}
    for name, value in weights.items():
        if name == "pieces":
            continue
        if np.ndim(value) == 2:
            scale = np.abs(value).max(1, keepdims=True) / 127 + 1e-12
            arrays[name] = np.round(value / scale).astype(np.int8)
            arrays[f"{name}.scale"] = scale.astype(np.float32)
        else:
            arrays[name] = np.asarray(value, dtype=np.float32)
    np.savez_compressed(path, **arrays)
