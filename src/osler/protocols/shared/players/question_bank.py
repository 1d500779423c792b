"""A bank of questions that doctors asked, each with the statement that answers it, as vectors of the encoder.

`knowledge/question_bank.npz` is built by `benchmarks/reader` from labelled lines. It holds no words: the
vectors of questions and of statements, which question a statement answers, and a digest of each statement. A
case of the bank is answered by its own questions, too; any other by those of like statements and by its
facts' own vectors.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from osler.protocols.shared.players.weighing import Known
from osler.reading.encoder import SCALE, SIZE, Encoder, encoder
from osler.text.utterance_class import packed_lines

Array = npt.NDArray[np.float32]
Rows = npt.NDArray[np.intp]
# The statements most like a fact whose questions may be asked for it, too.
_LIKE: Final = 24
_LEAST_CHANCE: Final = -12.0
_SQUARE: Final = np.float32(SCALE * SCALE)


class Reading(NamedTuple):
    """The reading of a question before the facts of a case, by the encoder.

    Of each fact: its cosine to the question (`cosine`), that of the nearest question asked for it before
    (`own`), the mean of the nearest three (`near`), the support of questions for like statements of other
    cases (`alike`), and the log-probability of its cosine among all others' (`chance`); that of none of them
    is `none`.
    """

    cosine: tuple[float, ...]
    own: tuple[float, ...]
    near: tuple[float, ...]
    alike: tuple[float, ...]
    chance: tuple[float, ...]
    none: float


def key_of(fact: Known) -> str:
    """The key of a statement in the bank: a digest of its topic and words."""
    return hashlib.sha256(f"{fact.topic}|{fact.text}".encode()).hexdigest()[:16]


def words_of(fact: Known) -> str:
    """The words of a fact as the encoder reads them."""
    return f"{fact.topic}: {fact.text}"


class Bank:
    """The bank as arrays, by the encoder whose vectors they are: `asked` and `stated` are those of questions
    and statements, `answers` pairs the row of a question with that of a statement that answers it, `keys` are
    the keys of the statements."""

    def __init__(self, arrays: Mapping[str, Any], by: Encoder) -> None:
        self._by: Final = by
        self._row_of: Final = {key: row for row, key in enumerate(packed_lines(arrays["keys"]))}
        # Integers as floats: their products are exact in any order, for no sum passes 2 to the 24th.
        self._asked: Final = arrays["asked"].astype(np.float32)
        self._stated: Final = arrays["stated"].astype(np.float32)
        self._none: Final = by.none.astype(np.float32)
        asked_for: list[list[int]] = [[] for _ in self._row_of]
        for question, statement in arrays["answers"]:
            asked_for[int(statement)].append(int(question))
        self._asked_for: Final = [np.array(rows, dtype=np.intp) for rows in asked_for]

    @lru_cache(maxsize=256)  # noqa: B019 - one bank lives as long as the process
    def case(self, facts: tuple[Known, ...]) -> _Case:
        """The questions and vectors for the facts of a case."""
        at = [self._row_of.get(key_of(fact), -1) for fact in facts]
        vectors = [
            self._stated[row] if row >= 0 else self._heard(words_of(fact), "")
            for fact, row in zip(facts, at, strict=True)
        ]
        stated = np.array(vectors, dtype=np.float32).reshape(len(facts), SIZE)
        own = tuple(self._asked_for[row] if row >= 0 else _NO_ROWS for row in at)
        # Whole numbers: one product for all facts has the very sums of one for each.
        alike = tuple(map(self._alike, stated @ self._stated.T / _SQUARE, at))
        return _Case(stated, own, alike)

    def holds(self, facts: tuple[Known, ...]) -> bool:
        """Whether questions were asked for the facts of this very case."""
        return sum(map(len, self.case(facts).own)) > len(facts)

    def _alike(self, likeness: Array, own: int) -> tuple[Rows, Array]:
        """The questions for the statements most like one, and the likeness of each one's statement."""
        if own >= 0:
            likeness[own] = -1.0
        nearest = np.argsort(-likeness, kind="stable")[:_LIKE]
        rows = [self._asked_for[row] for row in nearest]
        return np.concatenate([_NO_ROWS, *rows]), np.repeat(likeness[nearest], [len(each) for each in rows])

    @lru_cache(maxsize=20_000)  # noqa: B019
    def _heard(self, text: str, earlier: str) -> Array:
        return self._by.vector(text, earlier).astype(np.float32)

    def reading(self, text: str, earlier: str, facts: tuple[Known, ...]) -> Reading:
        """The support of each fact of a case as the answer to a question, asked after `earlier`
        words."""
        case = self.case(facts)
        spoken = self._heard(text, earlier)
        cosine = case.stated @ spoken / _SQUARE
        to_questions = self._asked @ spoken / _SQUARE
        own, near, alike = [], [], []
        for rows, (others, like) in zip(case.own, case.alike, strict=True):
            best = np.sort(to_questions[rows])[::-1][:3]
            own.append(float(best[0]) if len(best) else 0.0)
            near.append(float(best.mean()) if len(best) else 0.0)
            alike.append(float((to_questions[others] * like).max()) if len(others) else 0.0)
        none = self._none @ spoken / _SQUARE + self._by.none_bias
        scores = self._by.sharp * np.append(cosine, none).astype(float)
        scores -= scores.max()
        chance = np.maximum(scores - np.log(np.exp(scores).sum()), _LEAST_CHANCE).tolist()
        return Reading(
            tuple(cosine.tolist()), tuple(own), tuple(near), tuple(alike), tuple(chance[:-1]), chance[-1]
        )


class _Case(NamedTuple):
    stated: Array
    own: tuple[Rows, ...]
    alike: tuple[tuple[Rows, Array], ...]


_NO_ROWS: Final[Rows] = np.array([], dtype=np.intp)


@cache
def bank() -> Bank:
    """The bank that Osler ships."""
    with resources.files("osler.knowledge").joinpath("question_bank.npz").open("rb") as file:
        return Bank(dict(np.load(file)), encoder())
