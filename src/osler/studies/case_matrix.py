"""Compared runs case by case: who was right where, from the values that the comparison itself was made of.

A world that two runs played is a pair, as in `osler.studies.compare`. All of it is held in arrays, 27 bytes
for each episode, so that pages and filters of large runs cost no reading of the store and little memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic_core import from_json

from osler.core.measure import Measure
from osler.reports.run_report import NOT_STATED
from osler.store.store import Store
from osler.studies.compare import PlayedRun, RunsRead, World

State = Literal[
    "not played", "unscored", "nothing to score", "wrong", "right, unsupported", "right", "scored", "differs"
]
"""The state of a run in a case; "differs" if its worlds differ. "scored" stands for a mark, a gain or a
count; a right answer is unsupported if the measure `SUPPORTED` says so."""
Show = Literal["all", "differ", "worse", "better", "worlds", "unscored", "missing"]
"""The cases to show: those in which runs differ in a world that both played, some run is worse or better than
the baseline there, a run's worlds differ, some run is unscored, or has not played."""
Sort = Literal["case", "worse", "better", "points"]
SUPPORTED: Final = "supported"
"""The measure, of protocols that have it, of whether a right answer rests on the evidence it needs."""
_STATES: Final[tuple[State, ...]] = (
    "not played",
    "unscored",
    "nothing to score",
    "wrong",
    "right, unsupported",
    "right",
    "scored",
)
_NOT_PLAYED, _UNSCORED, _NOTHING, _WRONG, _UNSUPPORTED, _RIGHT, _SCORED = range(len(_STATES))
_QUARTERS: Final = (25, 50, 75)
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Wanted(NamedTuple):
    """The cases wanted: to `show`; in which one run is better than another in a world that both played, each
    by its place; of a specialty; in which some episode ended so; whose points lie in a range, ends included;
    whose id holds `text`."""

    show: Show = "all"
    better: int | None = None
    worse: int | None = None
    specialty: str = ""
    ending: str = ""
    least: float | None = None
    most: float | None = None
    text: str = ""


class Cell(NamedTuple):
    """A run in a case: its mean `value` over the `scored` of its episodes, of which `right` are right, and in
    how many worlds it is better or worse than the baseline."""

    state: State
    value: float | None
    played: int
    scored: int
    unscored: int
    right: int
    better: int
    worse: int


class Row(NamedTuple):
    """A case with a cell for each run, and the mean points of its episodes."""

    case: str
    hash: str
    specialty: str
    worlds: int
    points: float
    cells: tuple[Cell, ...]


class Place(NamedTuple):
    """A run in a world: the episode's number, `None` if it was not played, and how it went."""

    ordinal: int | None
    state: State
    value: float | None
    ending: str
    points: int


class Played(NamedTuple):
    """The episodes by (world, run): number (-1: not played), value (NaN: none), state, ending and points."""

    ordinals: Ints
    values: Floats
    states: NDArray[np.int8]
    endings: NDArray[np.int16]
    points: Ints


class CaseMatrix:
    """The matrix of cases and runs, the baseline first. `apart` are the pairs of runs, by their places, that
    must not be compared: neither is better or worse than the other anywhere."""

    def __init__(
        self, read: RunsRead, store: Store, apart: Collection[tuple[int, int]] = frozenset()
    ) -> None:
        self.measure: Measure = read.measures[0]
        self.runs = len(read.runs)
        self._apart = frozenset(apart)
        played = [read.played[run.id] for run in read.runs]
        ids = {case_hash: case for one in played for case, case_hash in one.hashes.items()}
        worlds = sorted(set[World]().union(*(one.values for one in played)), key=lambda one: _order(one, ids))
        self._worlds = worlds
        self._hashes = [case_hash for case_hash, _ in groupby(world[0] for world in worlds)]
        self._place = {case_hash: at for at, case_hash in enumerate(self._hashes)}
        self._ids = [ids[case_hash] for case_hash in self._hashes]
        self._specialties = [specialty_of(store, case_hash) for case_hash in self._hashes]
        self._endings = list[str]()
        self._table = self._filled(read, store, played)
        cases = np.array([self._place[world[0]] for world in worlds], np.int64)
        self._starts = np.searchsorted(cases, np.arange(len(self._hashes) + 1))
        self._better, self._worse = self._against_baseline()
        self._counts = np.stack([self._by_case(self._table.states == at) for at in range(len(_STATES))])
        self._sums = self._by_case(np.nan_to_num(self._table.values))
        self._mixed = self._differing_worlds()

    @property
    def right_or_wrong(self) -> bool:
        """Whether every score is right or wrong."""
        return not bool((self._table.states == _SCORED).any())

    # Building

    def _filled(self, read: RunsRead, store: Store, played: Sequence[PlayedRun]) -> Played:
        shape = (len(self._worlds), self.runs)
        at = {world: place for place, world in enumerate(self._worlds)}
        table = Played(
            np.full(shape, -1, np.int64),
            np.full(shape, np.nan),
            np.zeros(shape, np.int8),
            np.zeros(shape, np.int16),
            np.zeros(shape, np.int64),
        )
        for run, one in enumerate(played):
            rows = [at[world] for world in one.values]
            held = np.frombuffer(b"".join(one.values.values())).reshape(len(rows), len(read.measures), 2)
            table.ordinals[rows, run] = [one.ordinals[world] for world in one.values]
            table.values[rows, run], table.states[rows, run] = _scored(read.measures, held)
            self._add_endings(read.runs[run].id, store, run, table)
        _without_marks(read.measures[0], table)
        return table

    def _add_endings(self, run_id: int, store: Store, run: int, table: Played) -> None:
        """Add how each episode of a run ended and its points; of one that ended meanwhile, nothing."""
        known = {int(ordinal): row for row, ordinal in enumerate(table.ordinals[:, run]) if ordinal >= 0}
        for episode in store.episodes(run_id):
            if (row := known.get(episode.ordinal)) is not None:
                table.endings[row, run] = self._ending(str(episode.status))
                table.points[row, run] = episode.cost

    def _ending(self, status: str) -> int:
        if status not in self._endings:
            self._endings.append(status)
        return self._endings.index(status)

    def _against_baseline(self) -> tuple[Ints, Ints]:
        """In how many worlds of each case each run is better, and worse, than the baseline."""
        both = [self._pair(0, run) for run in range(self.runs)]
        better = np.stack([self._by_case(more) for more, _ in both], axis=1)
        worse = np.stack([self._by_case(less) for _, less in both], axis=1)
        return better, worse

    def _pair(self, first: int, second: int) -> tuple[Flags, Flags]:
        """For each world whether the second run is better than the first there, and whether it is worse."""
        values = self._table.values
        if (min(first, second), max(first, second)) in self._apart:
            none = np.zeros(len(values), np.bool_)
            return none, none
        gap = values[:, second] - values[:, first]
        up, down = gap > 0, gap < 0
        return (down, up) if self.measure.better == "less" else (up, down)

    def _differing_worlds(self) -> Flags:
        """For each case and run whether the run's worlds differ, in state or in value."""
        values = self._table.values
        if not len(values):
            return np.zeros((0, self.runs), np.bool_)
        least, most = (of.reduceat(values, self._starts[:-1], axis=0) for of in (np.fmin, np.fmax))
        with np.errstate(invalid="ignore"):
            differing: Flags = ((self._counts[1:] > 0).sum(axis=0) > 1) | (most > least)
        return differing

    def _by_case(self, values: NDArray[Any]) -> NDArray[Any]:
        """Sums over the worlds of each case; of flags, how many hold."""
        numbers = values.astype(np.int64) if values.dtype == np.bool_ else values
        if not len(self._hashes):
            return np.zeros((0, *values.shape[1:]), numbers.dtype)
        return np.add.reduceat(numbers, self._starts[:-1], axis=0)

    # Asking

    def places(self, wanted: Wanted, sort: Sort = "case") -> list[int]:
        """The places of the wanted cases, sorted."""
        keep = self._fits(wanted.show)
        if wanted.better is not None and wanted.worse is not None:
            keep &= self._by_case(self._pair(wanted.worse, wanted.better)[0]) > 0
        if wanted.specialty:
            keep &= np.array([one == wanted.specialty for one in self._specialties], np.bool_)
        if wanted.ending:
            keep &= self._in_some(self._ended(wanted.ending))
        points = self._points()
        if wanted.least is not None:
            keep &= points >= wanted.least
        if wanted.most is not None:
            keep &= points <= wanted.most
        if wanted.text:
            text = wanted.text.casefold()
            keep &= np.array([text in one.casefold() for one in self._ids], np.bool_)
        places = np.flatnonzero(keep)
        order = {"worse": self._worse.sum(axis=1), "better": self._better.sum(axis=1), "points": points}
        if sort != "case":
            places = places[np.argsort(-order[sort][places], kind="stable")]
        return [int(place) for place in places]

    def rows(self, places: Sequence[int]) -> Iterator[Row]:
        """Yield the cases at some places."""
        points = self._points()
        for place in places:
            first, end = self._starts[place], self._starts[place + 1]
            yield Row(
                self._ids[place],
                self._hashes[place],
                self._specialties[place],
                int(end - first),
                round(float(points[place]), 3),
                tuple(self._cell(place, run) for run in range(self.runs)),
            )

    def worlds(self, case_hash: str, most: int) -> list[tuple[str, list[Place]]]:
        """The first `most` worlds of a case in words, each with every run's place in it. Raises KeyError."""
        place = self._place[case_hash]
        first, end = self._starts[place], min(self._starts[place + 1], self._starts[place] + most)
        return [
            (world_words(self._worlds[row]), [self._at(row, run) for run in range(self.runs)])
            for row in range(first, end)
        ]

    def case_at(self, case_hash: str) -> tuple[str, int]:
        """The id of a case and how many worlds it has. Raises KeyError."""
        place = self._place[case_hash]
        return self._ids[place], int(self._starts[place + 1] - self._starts[place])

    def counts(self) -> dict[Show, int]:
        """The number of cases for each choice of what to show."""
        shows: tuple[Show, ...] = ("all", "differ", "worse", "better", "worlds", "unscored", "missing")
        return {show: int(self._fits(show).sum()) for show in shows}

    def specialties(self) -> dict[str, int]:
        """The number of cases of each specialty."""
        return dict(sorted(Counter(self._specialties).items()))

    def endings(self) -> dict[str, int]:
        """The number of cases in which some episode ended so, by how."""
        return {one: int(self._in_some(self._ended(one)).sum()) for one in self._endings}

    def bands(self) -> list[tuple[float, float]]:
        """The quarters of the cases by their points, ends included; none where nothing costs any."""
        points = self._points()
        if not len(points) or points.min() == points.max():
            return []
        ends = [float(points.min()), *map(float, np.percentile(points, _QUARTERS)), float(points.max())]
        return [pair for pair in pairwise(ends) if pair[0] < pair[1]]

    def _fits(self, show: Show) -> Flags:
        match show:
            case "all":
                return np.ones(len(self._hashes), np.bool_)
            case "differ":
                return _any(self._worse + self._better)
            case "worse":
                return _any(self._worse)
            case "better":
                return _any(self._better)
            case "worlds":
                return _any(self._mixed)
            case "unscored":
                return _any(self._counts[_UNSCORED])
            case "missing":
                return _any(self._counts[1:].sum(axis=0) == 0)

    def _ended(self, ending: str) -> Flags:
        if ending not in self._endings:
            return np.zeros(self._table.endings.shape, np.bool_)
        flags = (self._table.endings == self._endings.index(ending)) & (self._table.ordinals >= 0)
        return np.asarray(flags)

    def _in_some(self, flags: Flags) -> Flags:
        """For each case whether a flag of (world, run) is set in one of its episodes."""
        return np.asarray(self._by_case(_any(flags)) > 0)

    def _points(self) -> Floats:
        """The mean points of each case over its episodes."""
        there = self._by_case((self._table.ordinals >= 0).sum(axis=1))
        total = self._by_case(self._table.points.sum(axis=1))
        return np.asarray(total / np.maximum(there, 1))

    def _cell(self, place: int, run: int) -> Cell:
        counts = self._counts[:, place, run]
        played, scored = int(counts[1:].sum()), int(counts[_WRONG:].sum())
        name: State = "not played"
        if played:
            name = "differs" if self._mixed[place, run] else _STATES[1 + int(counts[1:].argmax())]
        return Cell(
            name,
            round(float(self._sums[place, run]) / scored, 6) if scored else None,
            played,
            scored,
            int(counts[_UNSCORED]),
            int(counts[_UNSUPPORTED] + counts[_RIGHT]),
            int(self._better[place, run]),
            int(self._worse[place, run]),
        )

    def _at(self, row: int, run: int) -> Place:
        table = self._table
        ordinal, value = int(table.ordinals[row, run]), float(table.values[row, run])
        if ordinal < 0:
            return Place(None, "not played", None, "", 0)
        ending = self._endings[table.endings[row, run]] if self._endings else ""
        state = _STATES[table.states[row, run]]
        points = int(table.points[row, run])
        return Place(ordinal, state, None if np.isnan(value) else round(value, 6), ending, points)


def _any(values: NDArray[Any]) -> Flags:
    """For each row whether one of its columns is set."""
    return np.asarray(values.any(axis=1))


def world_words(world: World) -> str:
    """A world of a case in words: its seed, the repeat, and which of several such it is.

    >>> world_words(("hash", "0/1", 1))
    'seed 0, repeat 2'
    """
    seed, _, repeat = str(world[1]).partition("/")
    again = f", occurrence {world[2]}" if world[2] > 1 else ""
    return f"seed {seed}, repeat {int(repeat) + 1}{again}"


def specialty_of(store: Store, case_hash: str) -> str:
    """The specialty of a stored case, `NOT_STATED` if it names none."""
    body = store.case(case_hash)
    return str((from_json(body).get("specialty") if body else None) or NOT_STATED)


def _order(world: World, ids: Mapping[str, str]) -> tuple[Any, ...]:
    seed, _, repeat = str(world[1]).partition("/")
    return (ids[world[0]], world[0], seed, int(repeat), *world[2:])


def _scored(measures: Sequence[Measure], held: Floats) -> tuple[Floats, NDArray[np.int8]]:
    """The value and the state of each episode by the first measure; `held` is (episodes, measures, part and
    whole), as `osler.studies.compare.parts_of` gives them."""
    parts, wholes = held[:, 0, 0], held[:, 0, 1]
    with np.errstate(invalid="ignore", divide="ignore"):
        values = np.where(wholes > 0, parts / wholes, np.nan)
    states = np.full(len(values), _SCORED, np.int8)
    states[np.isnan(values)] = _NOTHING
    states[np.isnan(parts)] = _UNSCORED
    states[values == 0], states[values == 1] = _WRONG, _RIGHT
    supported = next((at for at, measure in enumerate(measures) if measure.name == SUPPORTED), None)
    if supported is not None:
        states[(values == 1) & (held[:, supported, 0] == 0) & (held[:, supported, 1] == 1)] = _UNSUPPORTED
    return values, states


def _without_marks(measure: Measure, table: Played) -> None:
    """Replace right and wrong by plain scores unless every score is one of them: a mark of 1 is a mark."""
    right_or_wrong = measure.interval == "proportion" and not measure.ratio
    if not right_or_wrong or bool((table.states == _SCORED).any()):
        table.states[np.isin(table.states, (_WRONG, _UNSUPPORTED, _RIGHT))] = _SCORED
