"""The built-in doctor's belief: a posterior over conditions, and the information gain of each next move.

Naive Bayes over the findings heard, with leak probabilities, and a prior by age and sex. A finding implied by
another affirmed one is not counted twice. The gain is the mutual information in nats between a move's
findings and the condition, summed over the findings that one order would show.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from osler.knowledge.conditions import Knowledge, Vector
from osler.knowledge.findings import Finding, Kind
from osler.knowledge.formulary import formulary
from osler.protocols.consultation.players.doctor_notes import SEPARATOR, Step, read_answer, read_result

Sex = Literal["female", "male"]
Integers = npt.NDArray[np.int64]
_REMEMBERED: Final = 4096  # cached stories
_WEIGHED: Final = 16  # conditions that gains are computed over
_RANKED: Final = 30  # conditions that are ranked
_NOT_MENTIONED: Final = 0.5  # weight of an examination that does not mention a sign
# Findings are not independent and words can be misread: reported findings weigh less than measured ones.
_TRUST: Final[dict[Kind, float]] = {"symptom": 0.75, "history": 0.7, "sign": 0.85, "test": 1.0}
_ADVICE: Final = 0.7  # log odds added to the consultant's suggestion
_SHOWN: Final = 2.0  # log odds added to conditions among the options
_QUESTION_EFFORT: Final = 1.0
_EXAMINATION_EFFORT: Final = 1.2
_TEST_EFFORT: Final = 1.6
_COST_EFFORT: Final = 0.03  # per tariff point


class Action(NamedTuple):
    """A question or an order, the columns of the findings it shows, and its effort in question-minutes.

    `words` are the doctor's, `name` the formulary's; for a question they are the same.
    """

    words: str
    name: str
    kind: str
    columns: tuple[int, ...]
    effort: float
    cost: int


class Tables:
    """Tables precomputed from a `Knowledge`: actions, and matrices laid out for fast sums."""

    def __init__(self, knowing: Knowledge) -> None:
        self.knowing = knowing
        self.actions = _actions(knowing.findings)
        self.at = {name: i for i, action in enumerate(self.actions) for name in (action.words, action.name)}
        self.effort: Vector = np.array([action.effort for action in self.actions])
        self.is_told = np.array([item.kind in ("symptom", "history") for item in knowing.findings])
        self.is_ask = np.array([action.kind == "ask" for action in self.actions])
        self.is_exam = np.array([action.kind == "examination" for action in self.actions])
        self.action_of: Integers = np.zeros(len(knowing.findings), dtype=np.int64)
        for i, action in enumerate(self.actions):
            self.action_of[list(action.columns)] = i
        trust = np.array([_TRUST[item.kind] for item in knowing.findings])[:, None]
        absent = trust * knowing.log_absent.T
        # Three blocks of rows: log evidence of a finding present, then absent, then not mentioned.
        evidence = np.vstack([trust * knowing.log_present.T, absent, _NOT_MENTIONED * absent])
        self.evidence = evidence.astype(np.float32, order="C")  # accessed by row
        self.stories: dict[tuple[Step, ...], Story] = {}
        self.both = np.hstack([knowing.present, knowing.entropy]).astype(np.float32)
        column = knowing.column
        self.implied = {
            i: tuple(column[name] for name in item.implies)
            for i, item in enumerate(knowing.findings)
            if item.implies
        }
        self.names = tuple(condition.name for condition in knowing.conditions)
        self.usual: Vector = knowing.present.mean(axis=0)
        self.asks_for = {item.ask: item.id for item in knowing.findings if item.ask}
        self.urgency: Vector = np.array([1.5 if c.must_not_miss else 1.0 for c in knowing.conditions])
        self.lift: Vector = knowing.present / self.usual
        self.telling = tuple(self._tests_for(row) for row in range(len(knowing.conditions)))

    def _tests_for(self, row: int) -> tuple[int, ...]:
        """The orders that best confirm a condition, best first: findings likely in it and rare elsewhere."""
        knowing, result = self.knowing, dict[int, float]()
        for column, item in enumerate(knowing.findings):
            p = knowing.present[row, column]
            if item.order and p >= 0.7:
                action = int(self.action_of[column])
                lift = float(np.log(self.lift[row, column])) / float(self.effort[action]) ** 0.25
                result[action] = max(result.get(action, 0.0), lift)
        return tuple(sorted(result, key=lambda action: -result[action])[:3])


class Story(NamedTuple):
    """The accumulated notes.

    `known` maps finding columns to present or absent, `weak` are those merely not mentioned; `done` are
    actions by index; `pending` orders with the names of their results; `backed` rows the consultant named.

    Under a bias: `leans` nats towards row `towards`, `settles` the posterior at which the doctor concludes,
    `doubts` the share by which the patient's word is discounted.
    """

    known: Mapping[int, bool] = MappingProxyType({})
    weak: frozenset[int] = frozenset()
    done: frozenset[int] = frozenset()
    pending: frozenset[tuple[str, str]] = frozenset()
    backed: frozenset[int] = frozenset()
    results: int = 0
    called: bool = False
    advised: str = ""
    towards: int | None = None
    leans: float = 0.0
    settles: float = 0.0
    doubts: float = 0.0


class Belief(NamedTuple):
    """A story with the posterior over conditions, and the row numbers of the likeliest, best first."""

    story: Story
    posterior: Vector
    ranked: list[int]


@lru_cache(maxsize=16)
def tables(knowing: Knowledge) -> Tables:
    """The tables of a `Knowledge`, cached."""
    return Tables(knowing)


def _actions(items: tuple[Finding, ...]) -> tuple[Action, ...]:
    """One action for each question, and one for each orderable item, whatever its names."""
    asks = [Action(f.ask, f.ask, "ask", (i,), _QUESTION_EFFORT, 0) for i, f in enumerate(items) if f.ask]
    columns: dict[str, list[int]] = {}
    words: dict[str, str] = {}
    for i, item in enumerate(items):
        if item.order:
            entry = formulary().find(item.order)
            key = entry.name if entry else item.order
            words.setdefault(key, item.order)
            columns.setdefault(key, []).append(i)
    return (*asks, *(_order(words[key], tuple(of)) for key, of in columns.items()))


def _order(words: str, columns: tuple[int, ...]) -> Action:
    entry = formulary().find(words)
    if entry is None:
        return Action(words, words, "test", columns, _TEST_EFFORT + 1, 50)
    if entry.kind == "examination":
        return Action(words, entry.name, "examination", columns, _EXAMINATION_EFFORT, entry.cost)
    return Action(
        words, entry.name, entry.kind, columns, _TEST_EFFORT + _COST_EFFORT * entry.cost, entry.cost
    )


@lru_cache(maxsize=1024)
def _prior(knowing: Knowledge, age: float | None, sex: Sex | None, options: tuple[str, ...]) -> Vector:
    prior = knowing.prior(age, sex)
    for option in options:
        row = knowing.find(option)
        if row is not None:
            prior[row] += _SHOWN
    return prior


def believe(
    of: Tables, age: float | None, sex: Sex | None, options: tuple[str, ...], steps: tuple[Step, ...]
) -> Belief:
    """Compute the belief after the steps so far, for a patient of this age and sex."""
    story = _story(of, steps)
    posterior = _posterior(of, _prior(of.knowing, age, sex, options), story)
    return Belief(story, posterior, (-posterior).argsort(kind="stable")[:_RANKED].tolist())


def _story(of: Tables, steps: tuple[Step, ...]) -> Story:
    """Accumulate the steps, starting from their longest cached prefix."""
    stories = of.stories
    for told in range(len(steps), 0, -1):
        if (story := stories.get(steps[:told])) is not None:
            break
    else:
        told, story = 0, Story()
    for step in steps[told:]:
        story = _after(of, story, step)
    if len(stories) > _REMEMBERED:
        stories.clear()
    stories[steps] = story
    return story


def _after(of: Tables, story: Story, step: Step) -> Story:
    what, name, words = step
    if what == "heard":
        return story._replace(
            known=_learned(of, story.known, read_answer(words, of.asks_for.get(name), name))
        )
    if what == "result":
        return _after_result(of, story, name, words)
    if what in ("asked", "ordered"):
        return story._replace(done=story.done | {of.at[name]}) if name in of.at else story
    if what == "pending":
        return story._replace(pending=story.pending | {(name, words.partition(SEPARATOR)[0])})
    if what == "called":
        return story._replace(called=True)
    if what == "leaning":
        leans, settles, doubts = map(float, words.split())
        return story._replace(towards=of.knowing.find(name), leans=leans, settles=settles, doubts=doubts)
    if what == "advised":
        row = of.knowing.find(name)
        backed = story.backed if row is None else story.backed | {row}
        return story._replace(advised=words, backed=backed)
    return story


def _after_result(of: Tables, story: Story, ordered: str, words: str) -> Story:
    """Learn a result. An examination that does not mention a sign it covers is weak evidence against it."""
    name, _, text = words.partition(SEPARATOR)
    items, action = of.knowing.findings, of.at.get(ordered)
    columns = of.actions[action].columns if action is not None else ()
    known = _learned(of, story.known, read_result(name, text, tuple(items[i].id for i in columns)))
    silent = [i for i in columns if i not in known and not items[i].analytes]
    return story._replace(
        known=known | dict.fromkeys(silent, False),
        weak=frozenset(i for i in (*story.weak, *silent) if not known.get(i, False)),
        pending=story.pending - {(ordered, name)},
        results=story.results + 1,
    )


def _learned(of: Tables, known: Mapping[int, bool], found: Iterable[tuple[str, bool]]) -> dict[int, bool]:
    """Merge findings into those known: an affirmation overrides a denial, whichever came first."""
    more, column = dict(known), of.knowing.column
    for name, present in found:
        more[column[name]] = more.get(column[name], False) or present
    return more


def _posterior(of: Tables, logs: Vector, story: Story) -> Vector:
    count, known, weak = len(of.action_of), story.known, story.weak
    implied = {j for i in known.keys() & of.implied.keys() if known[i] for j in of.implied[i]}
    rows = [
        i if present else i + (2 * count if i in weak else count)
        for i, present in known.items()
        if not (present and i in implied)
    ]
    if rows:
        evidence = of.evidence.take(rows, axis=0)
        if story.doubts:
            told = np.array([of.is_told[row % count] for row in rows])
            evidence = evidence * np.where(told, 1 - story.doubts, 1)[:, None]
        logs = logs + np.add.reduce(evidence)
    if story.leans and story.towards is not None:
        logs = logs.copy()
        logs[story.towards] += story.leans
    for row in story.backed:
        logs = logs.copy()
        logs[row] += _ADVICE
    likelihood: Vector = np.exp(logs - np.maximum.reduce(logs))
    likelihood /= np.add.reduce(likelihood)
    return likelihood


def gains(of: Tables, belief: Belief) -> Vector:
    """The expected information gain of each action in nats per minute of effort, shape (actions,); 0 if done.

    Conditions that must not be missed are weighted by 1.5.
    """
    weighed = belief.posterior * of.urgency
    rows = belief.ranked[:_WEIGHED]
    p = weighed.take(rows).astype(np.float32)
    means = (p / np.add.reduce(p)) @ of.both.take(rows, axis=0)
    count = len(of.action_of)
    mean, expected = means[:count], means[count:]
    gain = -(mean * np.log(mean) + (1 - mean) * np.log1p(-mean)) - expected
    if belief.story.known:
        gain[list(belief.story.known)] = 0
    total: Vector = np.bincount(of.action_of, weights=gain, minlength=len(of.actions)) / of.effort
    if belief.story.done:
        total[list(belief.story.done)] = 0
    return total
