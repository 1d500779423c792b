"""Which facts of a case a question means, and how surely: a conditional logit over them, and none of them.

Its features are what question and fact name, and the likeness of both, and of the question to those that
doctors asked before, by the sentence encoder. The weights are in confidence.yaml.

`knowledge/question_bank.npz` holds the questions asked before, without their words: the vectors of questions
and of statements, which question a statement answers, and a digest of each statement. A case of the bank is
answered by its own questions, too; any other by those of like statements and by its facts' own vectors. Both
files are built by `benchmarks/reader` from labelled lines.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from math import log
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import yaml

from osler.knowledge.vocabulary import Topic
from osler.reading.encoder import SCALE, SIZE, Encoder, encoder
from osler.reading.questions import BODILY, ComparedFact, QuestionReading, generals
from osler.text.utterance_kind import packed_lines

Array = npt.NDArray[np.float32]
Table = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]
# The statements most like a fact whose questions may be asked for it, too.
_LIKE: Final = 24
_LEAST_CHANCE: Final = -12.0
_SQUARE: Final = np.float32(SCALE * SCALE)
_MOST: Final = 3
MAY_BE: Final = 0.4
"""A question that a fact answers with this probability is not answered with a denial."""


class Meaning(NamedTuple):
    """The probability that each fact of a case answers a question; the least that answers surely enough, and
    the least of a fact that is told besides likelier ones."""

    chances: tuple[float, ...]
    least: float
    besides: float

    @property
    def surely(self) -> tuple[int, ...]:
        """The smallest set of facts, at most three, of which one answers the question surely enough; none
        where no three do."""
        order, total = self.likeliest, 0.0
        for size, at in enumerate(order[:_MOST], 1):
            total += self.chances[at]
            if self.chances[at] < self.besides:
                return ()
            if total >= self.least:
                return order[:size]
        return ()

    @property
    def likeliest(self) -> tuple[int, ...]:
        """The places of the facts, the likeliest first."""
        return tuple(sorted(range(len(self.chances)), key=lambda at: -self.chances[at]))


@lru_cache(maxsize=8192)
def meanings(heard: QuestionReading, facts: tuple[ComparedFact, ...]) -> Meaning:
    """Return the facts of a case that a question means, by the bank and the weights that Osler ships."""
    model, held = _model(), bank().holds(facts)
    weights = model["weights" if held else "weights_of_other_cases"]
    chances = probabilities(features(bank(), heard, facts), np.array([weights[name] for name in NAMES]))
    return Meaning(chances, model["least"], model["besides"])


def probabilities(table: Table, weights: Table) -> tuple[float, ...]:
    """The probability of each fact against the others and against none, whose features are the last row."""
    scores = table @ weights
    raised = np.exp(scores - scores.max())
    return tuple((raised / raised.sum())[:-1].tolist())


@cache
def _model() -> dict[str, Any]:
    text = resources.files("osler.knowledge").joinpath("confidence.yaml").read_text(encoding="utf-8")
    model: dict[str, Any] = yaml.safe_load(text)
    return model


# What question and fact name


# The topics under which each side of a complaint is told, the likeliest first.
_SIDES: Final[Mapping[tuple[Topic, ...], str]] = {
    ("course", "complaint"): "onset doing often progress how_happened began",
    ("course", "character"): "sudden pattern lasting",
    ("course", "past_medical"): "before",
    ("complaint", "character"): "site",
    ("character", "course"): "radiate",
    ("character", "complaint"): "quality severity size distance other_side",
    ("modifiers", "character"): "worse better",
    ("modifiers", "course"): "daytime",
    ("modifiers", "medications"): "tried",
}
_TOLD_UNDER: Final = {side: topics for topics, sides in _SIDES.items() for side in sides.split()}
_WHETHER: Final = frozenset("do does did have has had is are was were any can could ever been got".split())
_UNHEARD: Final = 3.0
_LONG: Final = 14


_OF_NAMES: Final = (
    "topic_first_sure",
    "topic_first_bodily",
    "topic_first_hint",
    "topic_other",
    "topic_touched",
    "topic_of_another_kind",
    "topic_of_body",
    "holds_named",
    "lacks_named",
    "names_what_it_lacks",
    "holds_sides",
    "lacks_sides",
    "suits_sides",
    "explained",
    "unexplained",
    "shared",
    "holds_people",
    "lacks_people",
    "holds_times",
    "lacks_times",
)
_ALIKE: Final = ("cosine", "own", "near", "alike")
_OF_VECTORS: Final = (*_ALIKE, *(f"{name}_ahead" for name in _ALIKE), "chance", "likely")
_OF_FACT: Final = (*_OF_NAMES, *_OF_VECTORS)
_MOST_OF: Final = (*_ALIKE, "likely", "holds_named", "holds_sides", "shared", "topic_first_sure")
_LEAST_OF: Final = ("unexplained", "lacks_named")
_OF_NONE: Final = (
    "none",
    "none_chance",
    *(f"none_{name}" for name in (*_MOST_OF, *_LEAST_OF)),
    "none_leans",
    "none_without_topic",
    "none_names",
    "none_whether",
    "none_long",
)
NAMES: Final = (*_OF_FACT, *_OF_NONE)
"""The features in the order of a table's columns: those of a fact, then those of none of them."""
_AT: Final = {name: at for at, name in enumerate(_OF_FACT)}


def features(by: Bank, question_reading: QuestionReading, facts: tuple[ComparedFact, ...]) -> Table:
    """The features of each fact as the answer to a question, a row each, and of none in the last row."""
    reading, rarity = by.reading(question_reading.text, question_reading.earlier, facts), rarity_of(facts)
    table = np.zeros((len(facts) + 1, len(NAMES)))
    reached = [0.0] * (len(_MOST_OF) + len(_LEAST_OF))
    if facts:
        wanted = [frozenset((name, *generals().get(name, ()))) for name in question_reading.things]
        table[:-1, : len(_OF_NAMES)] = [_named(question_reading, wanted, fact, rarity) for fact in facts]
        table[:-1, len(_OF_NAMES) : len(_OF_FACT)] = reading.table
        most, least = table[:-1].max(0), table[:-1].min(0)
        reached = [*(most[_AT[name]] for name in _MOST_OF), *(least[_AT[name]] for name in _LEAST_OF)]
    spoken = question_reading.text.split()
    of_question = (
        bool(question_reading.earlier),
        not question_reading.topics,
        bool(question_reading.things),
        bool(spoken) and spoken[0] in _WHETHER,
        len(spoken) > _LONG,
    )
    table[-1, len(_OF_FACT) :] = [1.0, reading.none, *reached, *of_question]
    return table


@lru_cache(maxsize=1024)
def rarity_of(facts: tuple[ComparedFact, ...]) -> Mapping[str, float]:
    """The inverse document frequency of each word over the facts."""
    spread = Counter(word for fact in facts for word in fact.words)
    return {word: log(1 + len(facts) / count) for word, count in spread.items()}


def _named(
    reading: QuestionReading,
    wanted: Sequence[frozenset[str]],
    fact: ComparedFact,
    rarity: Mapping[str, float],
) -> tuple[float, ...]:
    """The features of what a question and a fact name; a fact holds what is `wanted` by any of its names."""
    sides, asked = reading.aspects, len(wanted)
    held = sum(not fact.things.isdisjoint(names) for names in wanted)
    first = reading.topics[:1] == (fact.topic,) or (reading.topics[:1] == ("complaint",) and fact.volunteered)
    tagged = fact.topic in reading.topics
    bodily = BODILY.issuperset(reading.topics)
    weight = sum(rarity.get(word, _UNHEARD) for word in reading.words)
    missing = reading.rest - fact.words
    told = sides & fact.aspects
    return (
        first and reading.sure and not bodily,
        first and reading.sure and bodily,
        first and not reading.sure,
        tagged and not first,
        not tagged and not fact.topics.isdisjoint(reading.topics),
        bool(reading.topics) and not bodily and not tagged,
        bodily and fact.topic in BODILY,
        held / asked if asked else 0.0,
        min(2, asked - held),
        bool(asked) and not held,
        len(told) / len(sides) if sides else 0.0,
        min(2, len(sides) - len(told)),
        sum(fact.topic in _TOLD_UNDER.get(side, ()) for side in told) / max(1, len(sides)),
        min(2, len(reading.rest) - len(missing)),
        min(3, len(missing)),
        sum(rarity[word] for word in reading.words & fact.words) / weight if weight else 0.0,
        not reading.people.isdisjoint(fact.things),
        bool(reading.people) and reading.people.isdisjoint(fact.things),
        not reading.times.isdisjoint(fact.things),
        bool(reading.times) and reading.times.isdisjoint(fact.things),
    )


# What was asked before


class Reading(NamedTuple):
    """A question before the facts of a case, by the encoder.

    `table` has a row for each fact: its `cosine` to the question, that of the nearest question asked for it
    before (`own`), the mean of the nearest three (`near`), the support of questions for like statements of
    other cases (`alike`), each less the best of the other facts (`_ahead`), and the logarithm and value of
    its probability by the cosines alone (`chance`, `likely`). The logarithm of that of none is `none`.
    """

    table: Table
    none: float


def key_of(fact: ComparedFact) -> str:
    """The key of a statement in the bank: a digest of its topic and words."""
    return hashlib.sha256(f"{fact.topic}|{fact.text}".encode()).hexdigest()[:16]


def words_of(fact: ComparedFact) -> str:
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
    def case(self, facts: tuple[ComparedFact, ...]) -> _Case:
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

    def holds(self, facts: tuple[ComparedFact, ...]) -> bool:
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

    def reading(self, text: str, earlier: str, facts: tuple[ComparedFact, ...]) -> Reading:
        """The support of each fact of a case as the answer to a question, asked after `earlier`
        words."""
        case = self.case(facts)
        spoken = self._heard(text, earlier)
        cosine = case.stated @ spoken / _SQUARE
        to_questions = self._asked @ spoken / _SQUARE
        nearests = [_nearest(to_questions, *one) for one in zip(case.own, case.alike, strict=True)]
        columns = np.array([*zip(*nearests, strict=True)]).reshape(3, len(facts))
        likeness = np.concatenate([cosine[None].astype(float), columns])
        none = self._none @ spoken / _SQUARE + self._by.none_bias
        scores = self._by.sharp * np.append(cosine, none).astype(float)
        scores -= scores.max()
        chance = np.maximum(scores - np.log(np.exp(scores).sum()), _LEAST_CHANCE)
        ranked = np.sort(np.pad(likeness, ((0, 0), (1, 0))), axis=1)
        second, best = ranked[:, -2:-1], ranked[:, -1:]
        ahead = likeness - np.where(likeness == best, second, best)
        rows = [likeness, ahead, chance[None, :-1], np.exp(chance[None, :-1])]
        return Reading(np.concatenate(rows).T, float(chance[-1]))


def _nearest(to_questions: Array, own: Rows, like: tuple[Rows, Array]) -> tuple[float, float, float]:
    """The nearest question for a fact, the mean of the nearest three, and the nearest for like statements."""
    best = np.sort(to_questions[own])[::-1][:3]
    others, likeness = like
    support = float((to_questions[others] * likeness).max()) if len(others) else 0.0
    return (float(best[0]), float(best.mean()), support) if len(best) else (0.0, 0.0, support)


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
