"""A bank of questions that doctors asked, each with the statement that answers it, and vectors learned.

`knowledge/question_bank.npz` is built by `benchmarks/patient_reader` from the labelled lines in
`tests/fixtures/patient_lines`. It holds the questions and statements in normal form, and two tables of
vectors, one for the tokens of questions and one for those of statements, trained so that a question lies
near the statement that answers it (a two-tower model). A case of the bank is answered by its own questions,
too; any other by those of like statements and by the vectors.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from osler.protocols.shared.players.weighing import Known, hear
from osler.text.phrases import words
from osler.text.sentence_index import SentenceIndex
from osler.text.spelling import mended
from osler.text.topics import clauses
from osler.text.utterance_class import packed_lines

Array = npt.NDArray[np.float32]
# A like statement supports an answer with this share of its likeness, and so much besides.
_LIKENESS: Final = 0.25
# The weight of three letters against that of a word.
_OF_LETTERS: Final = 0.34
_SHARP: Final = 8.0
_NO_QUESTION: Final = -0.5
_LEAST_CHANCE: Final = -8.0


class Reading(NamedTuple):
    """The likeness of a question to those asked for each fact (`own`, and the mean of the best three,
    `near`), to those for like statements of other cases (`alike`), and the learned log-probability of each
    fact (`chance`) and of none."""

    own: tuple[float, ...]
    near: tuple[float, ...]
    alike: tuple[float, ...]
    chance: tuple[float, ...]
    none: float


@lru_cache(maxsize=20_000)
def tokens_of(text: str) -> Mapping[str, float]:
    """The tokens of a question or statement with their counts: words, pairs, letter trigrams and concepts."""
    spoken = words(mended(text))
    found = Counter(f"u:{word}" for word in spoken)
    trigrams = Counter(trigram for word in spoken if len(word) > 3 for trigram in _trigrams(word))
    found.update(f"b:{one} {other}" for one, other in pairwise(spoken))
    for clause in clauses(text):
        heard = hear(clause)
        found.update(f"t:{name}" for name in heard.things | heard.people | heard.times)
        found.update(f"a:{name}" for name in heard.aspects)
        found.update(f"f:{name}" for name in heard.findings)
        found.update(f"T:{name}" for name in heard.topics[:2])
    return {**found, **{name: _OF_LETTERS * count for name, count in trigrams.items()}}


def _trigrams(word: str) -> list[str]:
    marked = f"<{word}>"
    return [f"c:{marked[start : start + 3]}" for start in range(len(marked) - 2)]


def key_of(fact: Known) -> str:
    """The key of a statement in the bank: a digest of its topic and words."""
    return hashlib.sha256(f"{fact.topic}|{fact.text}".encode()).hexdigest()[:16]


class Tower(NamedTuple):
    """A table of token vectors: `rows` by token, `vectors` of 8-bit integers times `scale`, and weights."""

    rows: Mapping[str, int]
    vectors: npt.NDArray[np.int8]
    scale: Array
    weight: Array

    def vector(self, tokens: Mapping[str, float]) -> Array:
        """The weighted sum of the vectors of known tokens, the weights of length 1."""
        known = [(self.rows[token], min(count, 1.0)) for token, count in tokens.items() if token in self.rows]
        at = np.array([row for row, _ in known], dtype=np.intp)
        weights = np.array([count for _, count in known], dtype=np.float32) * self.weight[at]
        length = float(np.sqrt((weights * weights).sum())) or 1.0
        weights = weights / length * self.scale[at]
        summed: Array = weights @ self.vectors[at].astype(np.float32)
        return summed


class Bank:
    """The bank as arrays; see `tests/fixtures/patient_lines` for what they were made from.

    `questions` and `statements` are words in normal form; `answers` pairs a question's row with the row of a
    statement that answers it; `keys` and `topics` are those of the statements.
    """

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        self.questions: Final = [line.split() for line in packed_lines(arrays["questions"])]
        self.statements: Final = [line.split() for line in packed_lines(arrays["statements"])]
        self.keys: Final = packed_lines(arrays["keys"])
        self.topics: Final = packed_lines(arrays["topics"])
        self.row_of: Final = {key: row for row, key in enumerate(self.keys)}
        self.asked_for: Final[dict[int, list[int]]] = defaultdict(list)
        for question, statement in arrays["answers"]:
            self.asked_for[int(statement)].append(int(question))
        self.of_questions: Final = _tower(arrays, "question")
        self.of_statements: Final = _tower(arrays, "statement")
        self.asked: Final[Array] = arrays["asked"].astype(np.float32) / 127.0
        self.mix: Final = [float(value) for value in arrays["mix"]]
        self.none: Final[Array] = arrays["none"].astype(np.float32)
        self.index: Final = SentenceIndex(self.questions)
        self.like: Final = SentenceIndex(self.statements)

    @lru_cache(maxsize=256)  # noqa: B019 - one bank lives as long as the process
    def case(self, facts: tuple[Known, ...]) -> _Case:
        """The questions and vectors for the facts of a case."""
        own = [self.asked_for.get(self.row_of.get(key_of(fact), -1), []) for fact in facts]
        alike = [self._alike(fact) for fact in facts]
        keys = np.array([self.of_statements.vector(_statement_tokens(fact)) for fact in facts])
        rows = np.array([row for each in own for row in each], dtype=np.intp)
        starts = np.cumsum([0, *(len(each) for each in own)])
        return _Case(tuple(own), tuple(alike), keys, self.asked[rows], tuple(int(at) for at in starts))

    def holds(self, facts: tuple[Known, ...]) -> bool:
        """Whether questions were asked for the facts of this very case."""
        return len(self.case(facts).asked) > len(facts)

    def _alike(self, fact: Known) -> tuple[npt.NDArray[np.intp], Array]:
        """The questions for statements of the same topic, and the likeness of each statement."""
        likeness = self.like.similarities(words(fact.text))
        key = key_of(fact)
        found = [
            (question, likeness[row])
            for row, topic in enumerate(self.topics)
            if topic == fact.topic and self.keys[row] != key
            for question in self.asked_for[row]
        ]
        return (
            np.array([question for question, _ in found], dtype=np.intp),
            np.array([like for _, like in found], dtype=np.float32),
        )

    def reading(self, text: str, facts: tuple[Known, ...]) -> Reading:
        """The support of each fact of a case as an answer, by what was asked before."""
        case = self.case(facts)
        likeness = self.index.similarities(words(mended(text)))
        own, near, alike = [], [], []
        for rows, (others, weight) in zip(case.own, case.alike, strict=True):
            best = sorted((float(likeness[row]) for row in rows), reverse=True)
            own.append(best[0] if best else 0.0)
            near.append(sum(best[:3]) / min(3, len(best)) if best else 0.0)
            alike.append(float((likeness[others] * (_LIKENESS + weight)).max()) if len(others) else 0.0)
        chance, none = self._chances(text, case)
        return Reading(tuple(own), tuple(near), tuple(alike), chance, none)

    def _chances(self, text: str, case: _Case) -> tuple[tuple[float, ...], float]:
        """The log-probability of each fact, and of none, by the two towers."""
        vector = self.of_questions.vector(tokens_of(text))
        if not len(case.keys):
            return (), 0.0
        by_statement, by_questions = self.mix
        scores = by_statement * (case.keys @ vector)
        length = float(np.sqrt((vector * vector).sum())) or 1.0
        cosine = case.asked @ (vector / length)
        for row, (start, end) in enumerate(pairwise(case.starts)):
            near = (
                np.log(np.exp(_SHARP * cosine[start:end]).sum() + 1e-6) / _SHARP
                if end > start
                else _NO_QUESTION
            )
            scores[row] += by_questions * _SHARP * near
        none = float(self.none[:-1] @ vector + self.none[-1])
        every = np.append(scores, none)
        every = every - every.max()
        every = every - np.log(np.exp(every).sum())
        return tuple(max(float(value), _LEAST_CHANCE) for value in every[:-1]), float(every[-1])


class _Case(NamedTuple):
    own: tuple[list[int], ...]
    alike: tuple[tuple[npt.NDArray[np.intp], Array], ...]
    keys: Array
    asked: Array
    starts: tuple[int, ...]


def _statement_tokens(fact: Known) -> Mapping[str, float]:
    return {**tokens_of(fact.text), f"TOPIC:{fact.topic}": 1.0}


def _tower(arrays: Mapping[str, Any], name: str) -> Tower:
    rows = {token: row for row, token in enumerate(packed_lines(arrays[f"{name}_tokens"]))}
    scale, weight = arrays[f"{name}_scale"], arrays[f"{name}_weight"]
    return Tower(rows, arrays[f"{name}_vectors"], scale.astype(np.float32), weight.astype(np.float32))


@cache
def bank() -> Bank:
    """The bank that Osler ships."""
    with resources.files("osler.knowledge").joinpath("question_bank.npz").open("rb") as file:
        return Bank(dict(np.load(file)))
