"""What the doctor makes of it: a posterior over conditions, and what each next move could teach.

Naive Bayes over the findings heard, with leaks, and prior by age and sex. A finding that another affirmed
one implies is not counted twice. Gains are mutual information in nats between a move's findings and the
condition, added up over the findings that one order would show.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from osler.knowledge.conditions import Knowledge, Vector
from osler.knowledge.findings import Finding
from osler.knowledge.formulary import formulary
from osler.players.baseline.doctor_notes import Step, read_answer, read_result

Integers = npt.NDArray[np.int64]
_WEIGHED: Final = 20  # conditions that gains are worked out over
_NOT_MENTIONED: Final = 0.5  # weight of an examination that says nothing of a sign
_ADVICE: Final = 0.7  # log odds lent to what the consultant suggests
_SHOWN: Final = 2.0  # log odds lent to what stands among the options
_QUESTION_EFFORT: Final = 1.0
_EXAMINATION_EFFORT: Final = 1.2
_TEST_EFFORT: Final = 1.6
_COST_EFFORT: Final = 0.03  # per tariff point


class Action(NamedTuple):
    """A question or an order, the columns of the findings it shows, and its effort in question-minutes."""

    words: str
    kind: str
    columns: tuple[int, ...]
    effort: float
    cost: int


class Tables:
    """All that is worked out once for a `Knowledge`: actions, and the matrices laid out for quick sums."""

    def __init__(self, knowing: Knowledge) -> None:
        self.knowing = knowing
        self.actions = _actions(knowing.findings)
        self.at = {action.words: i for i, action in enumerate(self.actions)}
        self.effort: Vector = np.array([action.effort for action in self.actions])
        self.is_ask = np.array([action.kind == "ask" for action in self.actions])
        self.is_exam = np.array([action.kind == "examination" for action in self.actions])
        self.action_of: Integers = np.zeros(len(knowing.findings), dtype=np.int64)
        for i, action in enumerate(self.actions):
            self.action_of[list(action.columns)] = i
        self.present_by_finding: Vector = np.ascontiguousarray(knowing.log_present.T)
        self.absent_by_finding: Vector = np.ascontiguousarray(knowing.log_absent.T)
        self.both: Vector = np.hstack([knowing.present, knowing.entropy])
        column = knowing.column
        self.implied = tuple(tuple(column[name] for name in item.implies) for item in knowing.findings)
        self.asks_for = {item.ask: item.id for item in knowing.findings if item.ask}
        self.urgency: Vector = np.array([1.5 if c.must_not_miss else 1.0 for c in knowing.conditions])
        self.telling = tuple(self._tests_for(row) for row in range(len(knowing.conditions)))

    def _tests_for(self, row: int) -> tuple[int, ...]:
        """The orders that would best confirm a condition: likely in it and rare elsewhere, best first."""
        knowing, found = self.knowing, dict[int, float]()
        usual = knowing.present.mean(axis=0)
        for column, item in enumerate(knowing.findings):
            p = knowing.present[row, column]
            if item.order and p >= 0.7:
                action = int(self.action_of[column])
                lift = float(np.log(p / usual[column])) / float(self.effort[action]) ** 0.25
                found[action] = max(found.get(action, 0.0), lift)
        return tuple(sorted(found, key=lambda action: -found[action])[:3])


class Belief(NamedTuple):
    """`posterior` over conditions; `known` columns with what they are; `done` actions, by index."""

    posterior: Vector
    known: dict[int, bool]
    done: frozenset[int]
    pending: frozenset[str]
    results: int
    called: bool
    advised: str


@lru_cache(maxsize=16)
def tables(knowing: Knowledge) -> Tables:
    """The tables of a `Knowledge`, made once."""
    return Tables(knowing)


def _actions(items: tuple[Finding, ...]) -> tuple[Action, ...]:
    """One action for each question, and one for each thing that can be ordered under whatever names."""
    asks = [Action(f.ask, "ask", (i,), _QUESTION_EFFORT, 0) for i, f in enumerate(items) if f.ask]
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
        return Action(words, "test", columns, _TEST_EFFORT + 1, 50)
    if entry.kind == "examination":
        return Action(words, "examination", columns, _EXAMINATION_EFFORT, entry.cost)
    return Action(words, entry.kind, columns, _TEST_EFFORT + _COST_EFFORT * entry.cost, entry.cost)


@lru_cache(maxsize=1024)
def _prior(knowing: Knowledge, age: float | None, sex: str | None, options: tuple[str, ...]) -> Vector:
    prior = knowing.prior(age, sex)
    for option in options:
        row = knowing.find(option)
        if row is not None:
            prior[row] += _SHOWN
    return prior


def believe(
    of: Tables, age: float | None, sex: str | None, options: tuple[str, ...], steps: Iterable[Step]
) -> Belief:
    """What follows from the steps so far."""
    knowing = of.knowing
    known: dict[int, bool] = {}
    weak: set[int] = set()
    done: set[int] = set()
    pending: dict[tuple[str, str], None] = {}
    logs = _prior(knowing, age, sex, options)
    results, called, advised = 0, False, ""
    for step in steps:
        match step.what:
            case "heard":
                _learn(known, knowing, read_answer(step.text, of.asks_for.get(step.name)))
            case "result":
                results += 1
                name, _, text = step.text.partition("\x1f")
                pending.pop((step.name, name), None)
                _learn_result(of, known, weak, step.name, name, text)
            case "asked" | "ordered":
                if step.name in of.at:
                    done.add(of.at[step.name])
            case "pending":
                pending[(step.name, step.text)] = None
            case "called":
                called = True
            case "advised":
                advised = step.text
                if (row := knowing.find(step.name)) is not None:
                    logs = logs.copy()
                    logs[row] += _ADVICE
            case "refused":
                pass
    waiting = frozenset(order for order, _ in pending)
    posterior = _posterior(of, logs, known, weak)
    return Belief(posterior, known, frozenset(done), waiting, results, called, advised)


def _learn(known: dict[int, bool], knowing: Knowledge, found: Iterable[tuple[str, bool]]) -> None:
    """An affirmation stands; a denial yields to it."""
    column = knowing.column
    for name, present in found:
        known[column[name]] = known.get(column[name], False) or present


def _learn_result(
    of: Tables, known: dict[int, bool], weak: set[int], ordered: str, name: str, text: str
) -> None:
    knowing, action = of.knowing, of.at.get(ordered)
    columns = of.actions[action].columns if action is not None else ()
    items = knowing.findings
    _learn(known, knowing, read_result(name, text, tuple(items[i].id for i in columns)))
    for i in columns:
        if i not in known and not items[i].analytes:
            known[i] = False
            weak.add(i)


def _posterior(of: Tables, logs: Vector, known: dict[int, bool], weak: set[int]) -> Vector:
    present = {i for i, is_present in known.items() if is_present}
    counted = present.difference(*([of.implied[i] for i in present] or [()]))
    absent = [i for i, is_present in known.items() if not is_present and i not in weak]
    if counted:
        logs = logs + of.present_by_finding[list(counted)].sum(axis=0)
    if absent:
        logs = logs + of.absent_by_finding[absent].sum(axis=0)
    if weak:
        still = [i for i in weak if not known[i]]
        logs = logs + _NOT_MENTIONED * of.absent_by_finding[still].sum(axis=0)
    likelihood: Vector = np.exp(logs - logs.max())
    total: Vector = likelihood / likelihood.sum()
    return total


def gains(of: Tables, belief: Belief) -> Vector:
    """Nats per minute of effort that each action would teach on average, shape (actions,); 0 for what is done.

    Conditions that must not be missed weigh half as much again.
    """
    weighed = belief.posterior * of.urgency
    rows = np.argpartition(weighed, -_WEIGHED)[-_WEIGHED:] if len(weighed) > _WEIGHED else slice(None)
    p = weighed[rows] / weighed[rows].sum()
    means = p @ of.both[rows]
    count = len(of.action_of)
    mean, expected = means[:count], means[count:]
    entropy = -(mean * np.log(mean) + (1 - mean) * np.log1p(-mean))
    gain = np.maximum(entropy - expected, 0)
    if belief.known:
        gain[list(belief.known)] = 0
    total: Vector = np.bincount(of.action_of, weights=gain, minlength=len(of.actions)) / of.effort
    if belief.done:
        total[list(belief.done)] = 0
    return total
