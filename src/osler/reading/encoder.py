"""A sentence encoder: all-MiniLM-L6-v2, fine-tuned by `benchmarks/reader` on what doctors ask of patients.

It runs on numpy alone. Its weights are 8-bit integers times a scale for each row, its arithmetic is float32,
and a finished vector is rounded to 8-bit integers before it is compared with any other, so that small
differences between processors seldom show. Every product is cut into parts so small that numpy's library
computes each in one thread: the same text has the same vector whatever else the process does.
"""

from __future__ import annotations

import re
import unicodedata
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from importlib import resources
from io import BytesIO
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import yaml

from osler.errors import BadInput

Array = npt.NDArray[np.float32]
Vector = npt.NDArray[np.int8]
SIZE: Final = 384
LAYERS: Final = 6
MOST_PIECES: Final = 64
# A vector's numbers are those of a vector of length 1 times this, rounded.
SCALE: Final = 400.0
HEADS: Final = 12
_FILE: Final = "encoder.npz"
_MEND: Final = "install Osler anew"
_EPSILON: Final = 1e-12
_PARTS: Final = ("query", "key", "value", "out", "up", "down")
# Rows, and products of a part: below this size OpenBLAS starts no threads.
_ROWS: Final = 16
_PRODUCTS: Final = 196_608


class _Layer(NamedTuple):
    """A layer: its products as parts, ready to multiply, each with its bias, and its two normalizations."""

    seen: Product
    out: Product
    up: Product
    down: Product
    after: tuple[Array, Array]
    last: tuple[Array, Array]


class Product:
    """A matrix and a bias, cut into parts of a few outputs each; `weight` has a row for each output."""

    def __init__(self, weight: Array, bias: Array) -> None:
        outputs, inputs = weight.shape
        wide = _PRODUCTS // _ROWS // inputs
        self._parts: Final = np.ascontiguousarray(
            weight.reshape(outputs // wide, wide, inputs).transpose(0, 2, 1)
        )
        self._bias: Final = bias

    def of(self, rows: Array) -> Array:
        """The product of each row."""
        if len(rows) > _ROWS:
            halves = np.array_split(rows, -(-len(rows) // _ROWS))
            return np.concatenate([self.of(half) for half in halves])
        result: Array = (rows @ self._parts).transpose(1, 0, 2).reshape(len(rows), -1)
        return result + self._bias


class Encoder:
    """The encoder of arrays as `encoder.npz` holds them. Raises KeyError or ValueError where they are
    damaged.

    `none` is the vector that a question lies near where no fact answers it, `none_bias` is added to its
    cosine, and `sharp` times the cosines are the scores of the softmax that it was trained by.
    """

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        pieces = arrays["pieces"].tobytes().decode().split("\n")
        self._pieces: Final = WordPieces(pieces)
        self._words: Final = arrays["words"]
        self._words_scale: Final = arrays["words.scale"]
        if self._words.shape != (len(pieces), SIZE):
            raise ValueError("the vocabulary and its vectors differ in number")
        self._places: Final = _table(arrays, "places")
        self._first: Final = _norm(arrays, "first")
        self._layers: Final = [_layer(arrays, f"{layer}") for layer in range(LAYERS)]
        self.none: Final = _rounded(arrays["none"])
        self.none_bias, self.sharp = float(arrays["none.bias"]), float(arrays["sharp"])

    def vector(self, text: str, earlier: str = "") -> Vector:
        """The vector of a text (384 integers from -127 to 127), said after `earlier` words."""
        rows = self._pieces.rows(text, earlier, most=MOST_PIECES)
        states = self._words[rows] * self._words_scale[rows] + self._places[: len(rows)]
        states = _normed(states, self._first)
        for layer in self._layers:
            states = _normed(states + layer.out.of(_attended(layer.seen.of(states))), layer.after)
            states = _normed(states + layer.down.of(_gelu(layer.up.of(states))), layer.last)
        return _rounded(states.sum(0))


def _rounded(vector: Array) -> Vector:
    exact = vector * (SCALE / float(np.sqrt((vector * vector).sum())))
    return np.clip(np.round(exact), -127, 127).astype(np.int8)


def _attended(seen: Array) -> Array:
    """Return what each piece takes from all others: the attention of 12 heads, side by side."""
    query, key, value = seen.reshape(len(seen), 3, HEADS, -1).transpose(1, 2, 0, 3)
    weight = query @ key.transpose(0, 2, 1)
    weight = np.exp(weight - weight.max(2, keepdims=True))
    weight /= weight.sum(2, keepdims=True)
    result: Array = (weight @ value).transpose(1, 0, 2).reshape(len(seen), SIZE)
    return result


def _normed(states: Array, norm: tuple[Array, Array]) -> Array:
    states = states - states.mean(1, keepdims=True)
    states /= np.sqrt((states * states).mean(1, keepdims=True) + _EPSILON)
    result: Array = states * norm[0] + norm[1]
    return result


def _gelu(values: Array) -> Array:
    result: Array = (
        0.5 * values * (1 + np.tanh(0.7978845608 * (values + 0.044715 * values * values * values)))
    )
    return result


def _table(arrays: Mapping[str, Any], name: str) -> Array:
    table: Array = arrays[name] * arrays[f"{name}.scale"]
    return table


def _norm(arrays: Mapping[str, Any], name: str) -> tuple[Array, Array]:
    return arrays[f"{name}.weight"], arrays[f"{name}.bias"]


def _layer(arrays: Mapping[str, Any], name: str) -> _Layer:
    weights = {part: _table(arrays, f"{name}.{part}.weight") for part in _PARTS}
    biases = {part: arrays[f"{name}.{part}.bias"] for part in _PARTS}
    # The scores of a query are divided by the square root of a head's size.
    for each in (weights, biases):
        each["query"] = each["query"] * np.float32((SIZE / HEADS) ** -0.5)
    pairs = [np.concatenate([each[part] for part in _PARTS[:3]]) for each in (weights, biases)]
    out, up, down = (Product(weights[part], biases[part]) for part in _PARTS[3:])
    after, last = (_norm(arrays, f"{name}.{norm}") for norm in ("after", "last"))
    return _Layer(Product(pairs[0], pairs[1]), out, up, down, after, last)


def encoder_of(content: bytes) -> Encoder:
    """The encoder of a file's content. Raises BadInput where it is damaged."""
    try:
        with np.load(BytesIO(content)) as arrays:
            return Encoder(dict(arrays))
    except (KeyError, ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error) as fault:
        raise BadInput(f"the sentence encoder cannot be read ({fault}); {_MEND}", where=_FILE) from fault


@lru_cache(maxsize=20_000)
def vector(text: str, earlier: str = "") -> Vector:
    """The vector of a text by the encoder that Osler ships; see `Encoder.vector`. Raises BadInput."""
    result = encoder().vector(text, earlier)
    result.flags.writeable = False
    return result


@cache
def encoder() -> Encoder:
    """The encoder that Osler ships. Raises BadInput where its file is another than was tested."""
    try:
        content = resources.files("osler.reading").joinpath(_FILE).read_bytes()
    except OSError as fault:
        raise BadInput(f"the sentence encoder cannot be read ({fault}); {_MEND}", where=_FILE) from fault
    if hash_of(content) != model_hash():
        raise BadInput(
            f"the sentence encoder is damaged: its hash is not {model_hash()}; {_MEND}", where=_FILE
        )
    return encoder_of(content)


@cache
def model_hash() -> str:
    """The hash of the encoder's file: with another, built-in players understand otherwise."""
    text = resources.files("osler.reading").joinpath("encoder.yaml").read_text(encoding="utf-8")
    return str(yaml.safe_load(text)["hash"])


def hash_of(content: bytes) -> str:
    """16 hex digits over a file's content (blake2b)."""
    return blake2b(content, digest_size=8).hexdigest()


# The pieces of a sentence that the encoder has vectors for: WordPiece (BERT's, uncased)

START: Final = "[CLS]"
END: Final = "[SEP]"
UNKNOWN: Final = "[UNK]"
# No more characters of a text, nor of a word, are looked at.
_LONGEST_TEXT: Final = 2000
_LONGEST_WORD: Final = 40
# Nor more pieces of what was said earlier.
_MOST_EARLIER: Final = 20
_WORD: Final = re.compile(r"[^\W_]+|[^\s\w]|_")


class WordPieces:
    """A vocabulary, whose pieces are numbered by their order; a piece inside a word begins with `##`.

    Raises KeyError where it lacks [CLS], [SEP] or [UNK].
    """

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._rows: Final = {piece: row for row, piece in enumerate(vocabulary)}
        self._start, self._end = self._rows[START], self._rows[END]
        self._unknown = self._rows[UNKNOWN]

    def rows(self, text: str, earlier: str = "", *, most: int) -> list[int]:
        """The rows of a sentence's pieces between [CLS] and [SEP], at most so many; of what was said
        `earlier`, which stands ahead with a [SEP] of its own, as much of its end as there is room for."""
        of_text = self._pieces(text)[: most - 2]
        room = min(_MOST_EARLIER, most - len(of_text) - 3)
        before = self._pieces(earlier)[-room:] if earlier and room > 0 else []
        ahead = [*before, self._end] if before else []
        return [self._start, *ahead, *of_text, self._end]

    def _pieces(self, text: str) -> list[int]:
        return [row for word in _words(text) for row in self._of_word(word)]

    def _of_word(self, word: str) -> list[int]:
        """The longest piece that the word begins with, then the longest that its rest does, and so on."""
        result: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            for end in range(len(word), start, -1):
                row = self._rows.get(mark + word[start:end])
                if row is not None:
                    break
            else:
                return [self._unknown]
            result.append(row)
            start = end
        return result


def _words(text: str) -> list[str]:
    """The words and marks of a text in lower case, without accents and control characters."""
    parted = unicodedata.normalize("NFD", text[:_LONGEST_TEXT].lower())
    bare = "".join(sign for sign in parted if unicodedata.category(sign) not in ("Mn", "Cf"))
    return [word[:_LONGEST_WORD] for word in _WORD.findall(bare)]
