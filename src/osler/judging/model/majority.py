"""Majority vote over k samples: quotes are checked, the majority taken and agreement counted for each item.

An item's verdict in one sample is a number, or nothing with a reason. The modal verdict wins; a tie leaves
the item unscored, `tied`. A part is scored if all its items are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from osler.judging.model.items import SOURCES, TOP, Item, Part
from osler.judging.model.sampling import Sample
from osler.judging.model.transcript import Line, stands_in
from osler.judging.model.verdicts import Verdict
from osler.judging.scores import NOT_IN_CASE, Score
from osler.text.hostile import inert

QUOTE_NOT_FOUND: Final = "quote_not_found"
TIED: Final = "tied"
QUOTE: Final = 200
_WHAT: Final = 300


class Result(NamedTuple):
    """An item's outcome over all samples.

    `value` is the majority verdict, or `None` with the `reason`; `verdicts` holds each sample's, `agreement`
    is the share of samples with the modal verdict. `quotes` and `why` are those of the first such sample.
    """

    id: str
    part: Part
    what: str
    value: int | None
    reason: str
    verdicts: tuple[int | None, ...]
    agreement: float
    quotes: tuple[str, ...] = ()
    why: str = ""


class _Ballot(NamedTuple):
    value: int | None
    reason: str
    quotes: tuple[str, ...] = ()
    why: str = ""


def settle(item: Item, samples: Sequence[Sample], lines: Sequence[Line]) -> Result:
    """The result of one item by majority vote."""
    ballots = [_ballot(item, sample, lines) for sample in samples]
    (most, times), *others = Counter(ballot.value for ballot in ballots).most_common()
    tied = bool(others) and others[0][1] == times
    first = next(ballot for ballot in ballots if ballot.value == most)
    chosen = _Ballot(None, TIED) if tied else first
    return Result(
        item.id,
        item.part,
        inert(item.what, _WHAT),
        chosen.value,
        chosen.reason,
        tuple(ballot.value for ballot in ballots),
        times / len(ballots),
        chosen.quotes,
        chosen.why,
    )


def proven(item: Item, given: Verdict, lines: Sequence[Line]) -> bool:
    """Whether a verdict needs no quote, or all its quotes are found in lines that may count for it."""
    if given.verdict == 0:
        return True
    sources = SOURCES[item.part]
    return bool(given.quotes) and all(stands_in(quote, lines, sources) for quote in given.quotes)


def unproven(items: Sequence[Item], lines: Sequence[Line]) -> Callable[[dict[str, Verdict]], list[str]]:
    """A function that lists the ids in a complete verdict set for `items` that are not proven."""
    return lambda given: [item.id for item in items if not proven(item, given[item.id], lines)]


def share(results: Sequence[Result]) -> Score:
    """The share of attainable credit that was earned; `None` unless every item has a verdict."""
    if not results:
        return Score(None, NOT_IN_CASE)
    values = [result.value for result in results if result.value is not None]
    if len(values) < len(results):
        return _missing(results)
    return Score(sum(values) / (TOP * len(values)), "", _evidence(results))


def worst(results: Sequence[Result]) -> Score:
    """The highest verdict relative to the maximum: harm is neither averaged nor hidden by unscored items."""
    values = [result.value for result in results if result.value is not None]
    if len(values) < len(results) and max(values, default=0) < TOP:
        return _missing(results)
    return Score(max(values) / TOP, "", _evidence(results))


def _missing(results: Sequence[Result]) -> Score:
    return Score(None, next(result.reason for result in results if result.value is None))


def _evidence(results: Sequence[Result]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(quote for result in results for quote in result.quotes))


def _ballot(item: Item, sample: Sample, lines: Sequence[Line]) -> _Ballot:
    if sample.verdicts is None:
        return _Ballot(None, sample.reason)
    given = sample.verdicts[item.id]
    why = inert(given.why, QUOTE)
    if given.verdict == 0:
        return _Ballot(0, "", (), why)
    if not proven(item, given, lines):
        return _Ballot(None, QUOTE_NOT_FOUND)
    return _Ballot(given.verdict, "", tuple(inert(quote, QUOTE) for quote in given.quotes), why)
