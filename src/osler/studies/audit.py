"""The audit of a case set in any protocol, after trivial players, probes and the oracle have played it.

A protocol adds to these checks, or replaces some, with an `Audit` subclass (`Protocol.audit`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any, Final, Literal, NamedTuple

from osler.core.config import Config
from osler.core.events import Frozen
from osler.core.lazy import subclass
from osler.core.measure import Measure, Ratio
from osler.core.protocol import Protocol
from osler.core.source import Source
from osler.errors import Status
from osler.runs.measured import Measured, estimates
from osler.stats.intervals import Bounded, Estimate, bounds
from osler.store.records import RunInfo
from osler.store.store import Store

NOTHING: Final = "nothing"
"""The entry in `looks_at` of a trivial player, which looks at nothing."""
MOSTLY: Final = 0.9
"""The share from which an item holds in part."""
ENOUGH: Final = 16
"""The fewest cases that can show a gain: with 0 of 16 right the interval of a share ends at 0.19, so fewer
cases cannot show a gain of 20 percentage points."""
_CLOSE: Final = 1e-9
_MOST_NAMED: Final = 3
_PINNED: Final = ("osler", "knowledge", "cases_fingerprint", "protocol")

Level = Literal["error", "warning"]
Mark = Literal[0, 1, 2]
Judged = tuple[Mark, str]
"""Whether an item of the checklist holds (2), holds in part (1) or does not (0), and why in one line."""


class Flaw(Frozen):
    """A defect of a case set. `cases` are ids; `where` is a path such as `facts[f3].spoken`."""

    code: str
    level: Level
    cases: tuple[str, ...]
    where: str
    message: str


class WatchedRun(NamedTuple):
    """A player's run, with each episode's values of the `watched` measures."""

    run: RunInfo
    rows: tuple[Measured, ...]


class Evidence(NamedTuple):
    """The evidence for an audit. `cases` are by content hash, `again` are the hashes of a second reading of
    the source; `replayed` is (episodes with the same result when played again, episodes played again)."""

    config: Config
    source: Source[Any]
    cases: Mapping[str, Any]
    again: tuple[str, ...]
    played: Mapping[str, WatchedRun]
    store: Store
    replayed: tuple[int, int]


def watched(config: Config) -> tuple[Measure, ...]:
    """Return the measures that the battery reads: the headline, and those that count against a player."""
    headline, *others = config.plays.measures
    return headline, *(one for one in others if one.judged and one.better == "less")


def audit_of(protocol: Protocol) -> type[Audit]:
    """The class of a protocol's audit."""
    return subclass(protocol.audit or Audit, Audit)


class Audit:
    """The checks common to every protocol. A probe is clear of the floor if its 95 % interval is."""

    over = "the floor of the headline measure: doing nothing is worth no more"
    """The baseline of `lift`, in words."""

    @classmethod
    def probing(cls, config: Config, player: str) -> Config:
        """Return the configuration of a validity check: `player` under test, built-in players in all other
        seats."""
        return config.seated({config.plays.under_test: player})

    @classmethod
    def shows(cls, looked_at: str, cases: Iterable[Any]) -> bool:
        """Return whether any of the cases contains what a probe looks at."""
        return True

    def __init__(self, evidence: Evidence) -> None:
        self.seen = evidence
        self.protocol = evidence.config.plays
        self.probes = self.protocol.probes
        self.headline = self.protocol.measures[0]
        self.role = self.protocol.role(self.protocol.under_test)
        self._measures = watched(evidence.config)
        self.found = {name: estimates(one.rows, self._measures) for name, one in evidence.played.items()}

    @property
    def label(self) -> str:
        """The notice on what these figures are evidence of."""
        return self.protocol.notice

    @property
    def floor(self) -> float:
        """The score of doing nothing: the least value of the measure, or 0 for a gain."""
        return 0.0 if self.headline.kind == "gain" else self.headline.least

    def players(self) -> dict[str, Bounded]:
        """Return each player's headline figure; a probe with nothing to look at is unscored throughout."""
        return {name: self._player(name) for name in players_of(self.seen.config)}

    def _player(self, name: str) -> Bounded:
        if name not in self.seen.played:
            unscored = len(self.seen.cases) * self.seen.config.repeats
            return Bounded(value=None, low=None, high=None, n=0, unscored=unscored)
        result = self.found[name][self.headline.name]
        values = [row.values[0] for row in self.seen.played[name].rows]
        total = sum(value for value in values if isinstance(value, float))
        edges = bounds(total, result.n, result.unscored) if self.headline.share else None
        return Bounded(**asdict(result), bounds=edges)

    def against(self) -> dict[str, dict[str, Estimate]]:
        """Return, by player, the figures that count against it (leaks, harm) and are above their minimum."""
        counted = {name: dict(list(each.items())[1:]) for name, each in self.found.items()}
        return {
            name: {measure: one for measure, one in each.items() if one.value}
            for name, each in counted.items()
        }

    def lift(self) -> dict[str, Estimate]:
        """Return the gain over the floor of each player that is not privileged."""
        return {
            name: _less(each[self.headline.name], self.floor)
            for name, each in self.found.items()
            if name not in self.role.privileged
        }

    def findings(self, lift: Mapping[str, Estimate]) -> Iterator[Flaw]:
        """Yield the flaws: gains of players that should have none, and cases that cannot be finished."""
        for name, looked in self.probes.items():
            if name in lift:
                yield from self._gained(name, looked, lift[name])
        for name in self.role.privileged & self.seen.played.keys():
            yield from self._missed(name)

    def checklist(self, lift: Mapping[str, Estimate], flaws: tuple[Flaw, ...]) -> dict[str, Judged]:
        """Return the items of the benchmark checklist that a program can check for any protocol."""
        result = {
            "traceability": self._traceability(),
            "frozen_environment": self._frozen(),
            "trivial_near_chance": self._trivial(flaws),
            "non_determinism_reported": self._determinism(),
            "resampling_unit_stated": self._resampling(),
            "versions_pinned": self._versions(),
        }
        if self.role.privileged & self.seen.played.keys():
            result["oracle_reaches_100"] = self._oracle(flaws)
        return result

    def more(self) -> dict[str, Any]:
        """Return what the protocol's own audit adds, as plain JSON."""
        return {}

    def notes(self) -> tuple[str, ...]:
        """Return the sentences below the table of players."""
        return ()

    def _gained(self, name: str, looked: str, lift: Estimate) -> Iterator[Flaw]:
        rows = self.seen.played[name].rows
        cases = dict.fromkeys(row.row.case_id for row in rows if self._above(row, self.floor))
        clear = lift.low is not None and lift.low > 0
        if not clear and (looked != NOTHING or not cases):
            return
        reach = "no interval" if lift.low is None else f"{lift.low:.3g} to {lift.high:.3g}"
        worth = f"is worth {lift.value:.3g} of the {self.headline.words} ({reach})"
        what = "doing nothing" if looked == NOTHING else f"{looked} alone"
        yield Flaw(
            code=name,
            level="error" if clear and looked == NOTHING else "warning",
            cases=tuple(cases),
            where="" if looked == NOTHING else looked,
            message=f"{name}: {what} {worth}",
        )

    def _missed(self, name: str) -> Iterator[Flaw]:
        for row in self.seen.played[name].rows:
            if row.row.status is not Status.COMPLETED:
                why = f"the {name} could not finish: {row.row.status}, {row.row.outcome.reason}"
            elif row.values[0] is None:
                why = f"the {name}'s episode is not scored"
            elif not self._above(row, self.headline.most - _CLOSE):
                why = f"the {name}, who knows the case, does not reach the full {self.headline.words}"
            else:
                continue
            yield Flaw(code="unplayable", level="error", cases=(row.row.case_id,), where="", message=why)

    @staticmethod
    def _above(row: Measured, level: float) -> bool:
        value = row.values[0]
        if isinstance(value, Ratio):
            return (
                value.part > level * value.whole + _CLOSE if level <= 0 else value.part > level * value.whole
            )
        return value is not None and value > level + (_CLOSE if level <= 0 else 0)

    # Items of the checklist

    def _traceability(self) -> Judged:
        evidence, model = self.seen, self.seen.config.model
        planned = sum(one.run.planned for one in evidence.played.values())
        traceability = sum(
            bool(row.row.key) and row.row.status is not Status.DIVERGED
            for one in evidence.played.values()
            for row in one.rows
        )
        for key in evidence.cases:
            body = evidence.store.case(key)
            if body is None or model.model_validate_json(body).content_hash != key:
                return 0, "a stored case is not the one that was played"
        return shared(
            traceability, planned, f"{self.protocol.many} are stored under a key of all that decides them"
        )

    def _frozen(self) -> Judged:
        first, again = tuple(self.seen.cases), self.seen.again
        runs = [one.run for one in self.seen.played.values()]
        hashes = {run.manifest["configuration"]["cases_fingerprint"] for run in runs}
        if first != again or len(hashes) != 1:
            return 0, "the cases changed between two readings"
        return (
            2,
            f"two readings gave the same {len(first)} cases; every run names fingerprint {hashes.pop()[:8]}",
        )

    def _oracle(self, flaws: tuple[Flaw, ...]) -> Judged:
        cases = {row.case_hash for one in self.seen.played.values() for row in [r.row for r in one.rows]}
        stuck = {case for flaw in flaws if flaw.code == "unplayable" for case in flaw.cases}
        right = len(cases) - len(stuck)
        return shared(right, len(cases), f"cases give the oracle the full {self.headline.words}")

    def _trivial(self, flaws: tuple[Flaw, ...]) -> Judged:
        trivial = [name for name, looked in self.probes.items() if looked == NOTHING]
        gaining = {flaw.code for flaw in flaws if flaw.level == "error"} & set(trivial)
        scores = {name: self.found[name][self.headline.name].value for name in trivial if name in self.found}
        why = ", ".join(
            f"{name} {'unscored' if value is None else f'{value:.3g}'}" for name, value in scores.items()
        )
        if not scores or None in scores.values():
            return 0, why or "there is no trivial player"
        return self.with_enough(0 if gaining else 2, why)

    def with_enough(self, level: Mark, why: str) -> Judged:
        """Lower a full mark if there are too few cases to show a gain."""
        cases = len(self.seen.cases)
        if level == 2 and cases < ENOUGH:
            return 1, f"{why}; {cases} cases are too few to show a gain"
        return level, why

    def _determinism(self) -> Judged:
        same, tried = self.seen.replayed
        what = f"{self.protocol.many} played again gave the same trace and judgement, byte for byte"
        return shared(same, tried, what)

    def _resampling(self) -> Judged:
        return 2, f"every interval is clustered by case; {len(self.seen.cases)} distinct cases"

    def _versions(self) -> Judged:
        whole = 0
        for one in self.seen.played.values():
            pinned = {**one.run.manifest["configuration"], **one.run.manifest["versions"]}
            whole += all(pinned.get(name) for name in (*_PINNED, "python"))
        level, why = shared(whole, len(self.seen.played), "runs name every version")
        judges = {row.version for one in self.seen.played.values() for row in one.rows if row.version}
        text = ", ".join(sorted(judges)[:_MOST_NAMED]) or "nobody"
        more = f" and {len(judges) - _MOST_NAMED} more" if len(judges) > _MOST_NAMED else ""
        return level, f"{why}; judged by {text}{more}"


def players_of(config: Config) -> tuple[str, ...]:
    """Return the battery's players: the protocol's probes, its default player, and its privileged players."""
    role = config.plays.role(config.plays.under_test)
    privileged = sorted(role.privileged & role.players.keys())
    return tuple(dict.fromkeys((*config.plays.probes, role.default, *privileged)))


def shared(count: int, of: int, what: str) -> Judged:
    """Mark an item by counts: 2 if it holds for all, 1 if for most, else 0."""
    level: Mark = 2 if count == of else 1 if count >= MOSTLY * of else 0
    return level, f"{count} of {of} {what}"


def _less(estimate: Estimate, floor: float) -> Estimate:
    value, low, high = (
        None if end is None else end - floor for end in (estimate.value, estimate.low, estimate.high)
    )
    return Estimate(value, low, high, estimate.n, estimate.unscored)
