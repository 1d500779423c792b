"""Whether words order something: the sentences of what is said that do, apart from talk about tests.

A refusal, a plan for later, a report, a reason, an explanation or a question about the past orders nothing. A
logistic regression over the sentence encoder's vector and the words, alone, in twos and in threes, with names
of tests as one word and parts of the body as another: what is said of a test counts, not which it is. Weights
and wordings stand in `orders.npz`, their figures in `orders.yaml`; `benchmarks/reader/orders.py` fits them.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from io import BytesIO
from itertools import pairwise
from math import sqrt
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from osler.errors import BadInput
from osler.knowledge.body_regions import regions_in
from osler.knowledge.order_names import words
from osler.reading.encoder import vector
from osler.reading.order_bank import Array, Bank, units
from osler.reading.order_parts import OrderPart, part_of

LEAST: Final = 1.7
"""The least logit of a sentence that orders: a wrong act is worse than none."""
VECTOR: Final = 5.0
PHRASES: Final = 8.0
"""The scale of the vector and of the phrases before the weights that are learned."""
_JOINS: Final = frozenset(
    "a an and can check could d for get i let like me now or order please plus s send stat the then to today "
    "urgent urgently us we with you".split()
)
"""Words beside the names of tests that make nothing but an order of them."""
_LIKELY: Final = 1.2
"""The least likeness, by the encoder and by words together, of words to a wording that they stand for."""
_FILE: Final = "orders.npz"
_LONGEST: Final = 1000  # characters of what is said
_MOST: Final = 45  # words of a sentence
_SENTENCE: Final = re.compile(r"(?<!\b[a-z]\.)(?<=[.?!;:])\s+|\n+|\s[-–—]\s|,?\s+(?=but\b)")
_TOKEN: Final = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+|[?,;:.!]")
_LENGTHS: Final = (2, 4, 7, 12)


class Weights(NamedTuple):
    """The learned model of orders: the weights of a sentence's phrases and vector, with the bias; wordings of
    tests; and the weights by which a finding is matched (`osler.protocols...order_match.FEATURES`)."""

    phrases: Mapping[str, float]
    vector: Array
    bias: float
    bank: Bank
    match: Array


def ordering(said: str, own: frozenset[str] = frozenset()) -> tuple[OrderPart, ...]:
    """The sentences that order something. `own`: the keys of the names of a case's findings."""
    return tuple(part for part in sentences(said, own) if _only_names(part) or logit(part) >= LEAST)


def _only_names(part: OrderPart) -> bool:
    """Whether a sentence is just the names of tests, or asks for them: an order at the desk."""
    text = part.text
    for name in sorted(part.named, key=lambda one: -len(one.text)):
        text = text.replace(name.text, " ", 1)
    return bool(part.named) and _JOINS.issuperset(re.findall(r"[^\W_]+", text))


def sentences(said: str, own: frozenset[str] = frozenset()) -> tuple[OrderPart, ...]:
    """Split what is said into sentences."""
    plain = said[:_LONGEST].lower().replace("’", "'")
    return tuple(part_of(text, own) for one in _SENTENCE.split(plain) if (text := one.strip()))


@lru_cache(maxsize=4096)
def order_meant(said: str) -> str | None:
    """The tests and examinations that are ordered, in a list; `None` if nothing is."""
    names = [name for part in ordering(said) for name in _names(part)]
    return ", ".join(dict.fromkeys(names)) or None


def _names(part: OrderPart) -> list[str]:
    texts = [name.text for name in part.named if not name.negated]
    if texts or not part.rest:
        return texts
    bank = weights().bank
    likely = bank.near(vector(part.text)) + bank.alike(part.text)
    return [bank.names[int(likely.argmax())]] if likely.max() >= _LIKELY else []


@lru_cache(maxsize=4096)
def logit(part: OrderPart) -> float:
    """The logarithm of the odds that a sentence orders something."""
    by = weights()
    known = [by.phrases[phrase] for phrase in sorted(phrases(part)) if phrase in by.phrases]
    total = PHRASES * sum(known) / sqrt(len(known)) if known else 0.0
    return by.bias + total + VECTOR * float(dense(part, by.bank) @ by.vector)


def dense(part: OrderPart, bank: Bank, without: npt.NDArray[np.bool_] | None = None) -> Array:
    """The encoder's vector of a sentence, of length 1, and its likeness to orders in ordinary words, by the
    encoder and by words; the two again where it names no test."""
    said = vector(part.text)
    like = np.array([bank.near(said, without).max(), bank.alike(part.text, without).max()], dtype=np.float32)
    return np.concatenate([units(said[None])[0], like, like * np.float32(not part.named)])


def phrases(part: OrderPart) -> frozenset[str]:
    """The words of a sentence alone, in twos, with a gap and in threes, from its beginning to its end."""
    text = part.text
    for name in sorted(part.named, key=lambda one: -len(one.text)):
        text = text.replace(name.text, " testnamed ", 1)
    said = ["^"]
    for heard in _TOKEN.findall(text)[:_MOST]:
        word = "T" if heard == "testnamed" else "0" if heard.isdigit() else heard
        if word.isalpha() and word != "T" and regions_in(words(word)):
            word = "B"
        if word not in ("T", "B") or said[-1] != word:
            said.append(word)
    said.append("$")
    threes = list(zip(said, said[1:], said[2:], strict=False))
    length = next((most for most in _LENGTHS if len(said) - 2 <= most), 99)
    return frozenset(
        [
            *said,
            *(f"{one} {two}" for one, two in pairwise(said)),
            *(f"{one} _ {three}" for one, _, three in threes),
            *(f"{one} {two} {three}" for one, two, three in threes),
            f"<={length}",
        ]
    )


@cache
def weights() -> Weights:
    """The weights of orders that Osler ships. Raises BadInput where its file is damaged."""
    try:
        content = resources.files("osler.reading").joinpath(_FILE).read_bytes()
        with np.load(BytesIO(content)) as arrays:
            return _weights(dict(arrays))
    except (KeyError, ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error) as fault:
        raise BadInput(
            f"what was learned of orders cannot be read ({fault}); install Osler anew", where=_FILE
        ) from fault


def _weights(arrays: Mapping[str, Any]) -> Weights:
    def lines(name: str) -> list[str]:
        text: npt.NDArray[np.uint8] = arrays[name]
        return text.tobytes().decode().split("\n")

    by = arrays["phrase_weights"].tolist()
    bank = Bank(lines("wordings"), lines("meant"), arrays["wording_vectors"])
    return Weights(
        dict(zip(lines("phrases"), by, strict=True)),
        arrays["vector_weights"],
        float(arrays["bias"]),
        bank,
        arrays["match"],
    )
