"""The totals of a run: what its summary, its report, a study and the browser show of it, from one pass."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, Final, NamedTuple

from osler.core.attempts import REFUSED, cause_of
from osler.core.lazy import load
from osler.core.measure import Measure, Scored
from osler.core.protocol import Protocol
from osler.core.summary import Notes
from osler.judging.scores import UNSCORED
from osler.runs.judged_episodes import Grader
from osler.runs.measure_sums import MeasureSums
from osler.runs.measured import Measured, measured_and_scored
from osler.runs.run import protocol_of
from osler.stats.intervals import Estimate, bounds
from osler.store.records import EpisodeRow, RunInfo
from osler.store.store import Store

Body = Mapping[str, Any]  # Any: a judgement's JSON, read by key
Reason = Callable[[Measure, EpisodeRow, Body | None], str]
NOT_JUDGED: Final = "not_judged"


class Group(NamedTuple):
    """The headline over a part of the episodes, which come from so many `clusters` of cases, and what
    guessing would score there, `None` where nobody can guess."""

    headline: Estimate
    clusters: int
    chance: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {**asdict(self.headline), "clusters": self.clusters, "chance": self.chance}


class Totals(NamedTuple):
    """The totals of a run: how its episodes ended, how many exchanges it took, and every measure.

    `because` counts the causes of failed ends by status, `refused` those of refused attempts.
    `headline_bounds` replace the headline if it is a share and more than 5 % of the episodes are unscored, or
    more than 5 % were refused or filtered (`declined`). The cases fall into `clusters`, within which they are
    nearly redundant. `groups` part the headline by the protocol's groupings, `graders` counts judgements by
    grader and version, `unscored_because` the reasons of unscored episodes by measure. `notes` is what the
    protocol adds, `label` says what the figures are evidence of.
    """

    episodes: int
    ended: Mapping[str, int]
    exchanges: int
    measures: Mapping[str, Estimate]
    because: Mapping[str, Mapping[str, int]]
    headline_bounds: tuple[float, float] | None
    refused: Mapping[str, int]
    declined: int
    clusters: int
    groups: Mapping[str, Mapping[str, Group]]
    graders: Mapping[str, int]
    unscored_because: Mapping[str, Mapping[str, int]]
    notes: Notes
    label: str

    @property
    def causes(self) -> dict[str, int]:
        """The causes of failed ends, whatever the status."""
        result = sum(map(Counter, self.because.values()), Counter[str]())
        return dict(sorted(result.items()))

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON, each measure as {value, low, high, n, unscored}."""
        return {
            "episodes": self.episodes,
            "clusters": self.clusters,
            "ended": self.ended,
            "ended_because": self.because,
            "causes": self.causes,
            "refused_attempts": self.refused,
            "headline_bounds": self.headline_bounds,
            "exchanges": self.exchanges,
            "measures": {name: asdict(found) for name, found in self.measures.items()},
            "groups": {
                name: {part: found.as_json() for part, found in parts.items()}
                for name, parts in self.groups.items()
            },
            "graders": self.graders,
            "unscored_because": self.unscored_because,
            **self.notes.value,
            "label": self.label,
        }


def reason_of(measure: Measure, row: EpisodeRow, body: Body | None) -> str:
    """Return the reason why an episode is unscored by a measure, as its judge gave it."""
    if body is None:
        return NOT_JUDGED
    result = body.get("scores", {}).get(measure.name) or {}
    return str(result.get("reason") or "nothing_to_score_it_by")


class _PartSums:
    """The sums of the headline over a part of the episodes."""

    def __init__(self, headline: Measure) -> None:
        self.sums = MeasureSums([headline])
        self.clusters = set[str]()
        self.chances, self.guessable = 0.0, 0

    def group(self) -> Group:
        """Return the headline over the part."""
        (headline,) = self.sums.results().values()
        chance = round(self.chances / self.guessable, 6) if self.guessable else None
        return Group(headline, len(self.clusters), chance)


class Tally:
    """An accumulator of a run's episodes in any order; its memory grows only with different cases."""

    def __init__(self, protocol: Protocol, measures: tuple[Measure, ...], reason: Reason = reason_of) -> None:
        """Start without episodes; the protocol's headline stands first among the `measures`."""
        self._protocol, self._measures, self._reason = protocol, measures, reason
        self._sums = MeasureSums(measures)
        self._clusters = set[str]()
        self._ended, self._graders = Counter[str](), Counter[str]()
        self._causes, self._because = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        self._parts = {
            one.name: defaultdict[str, _PartSums](lambda: _PartSums(measures[0])) for one in protocol.groups
        }
        self._notes = load(protocol.notes)()
        self._exchanges = self._declined = 0

    def add(self, one: Measured, episode: Scored) -> None:
        """Add an ended episode, its values in the order of the measures."""
        row, status = one.row, str(one.row.status)
        self._ended[status] += 1
        if row.cause:
            self._causes[status, row.cause] += 1
        self._exchanges += row.exchanges
        self._declined += row.declined
        self._sums.add(one.cluster, one.values)
        self._clusters.add(one.cluster)
        if episode.body is not None:
            self._graders[f"{episode.body.get('grader', '')} {one.version}".strip()] += 1
        spoilt = row.status in UNSCORED
        for measure, value in zip(self._measures, one.values, strict=True):
            if value is None:
                why = status if spoilt else self._reason(measure, row, episode.body)
                self._because[measure.name, why] += 1
        for grouping in self._protocol.groups:
            if not (name := grouping.of(episode)):
                continue
            part = self._parts[grouping.name][name]
            part.sums.add(one.cluster, one.values[:1])
            part.clusters.add(one.cluster)
            chance = grouping.chance(episode) if grouping.chance else None
            if isinstance(chance, float):
                part.chances += chance
                part.guessable += 1
        if not spoilt:
            self._notes.add(episode, one.cluster)

    def totals(self, label: str, refused: Mapping[str, int]) -> Totals:
        """Return the totals of the episodes so far."""
        headline, result = self._measures[0], self._sums.results()
        head, ends = result[headline.name], None
        if headline.share and head.n + head.unscored:
            ends = bounds((head.value or 0.0) * head.n, head.n, head.unscored, self._declined)
        return Totals(
            episodes=self._ended.total(),
            ended=dict(sorted(self._ended.items())),
            exchanges=self._exchanges,
            measures=result,
            because=_nested(self._causes),
            headline_bounds=ends,
            refused=refused,
            declined=self._declined,
            clusters=len(self._clusters),
            groups={
                name: {part: parts[part].group() for part in sorted(parts)}
                for name, parts in self._parts.items()
            },
            graders=dict(sorted(self._graders.items())),
            unscored_because=_nested(self._because),
            notes=self._notes.notes(result),
            label=label,
        )


def totals(run: RunInfo, store: Store, grader: Grader | None = None, *, traced: bool = False) -> Totals:
    """Summarize a run by its protocol's measures: the same figures after any number of sessions. Measures
    that need traces are included only with `traced`."""
    protocol = protocol_of(run)
    measures = tuple(one for one in protocol.measures if traced or not one.traced)
    tally = Tally(protocol, measures)
    for one, result in measured_and_scored(run, store, measures, grader):
        tally.add(one, result)
    return tally.totals(protocol.label(run.manifest["configuration"]), refused_attempts(run, store))


def refused_attempts(run: RunInfo, store: Store) -> dict[str, int]:
    """The number of refused attempts of a run's players, by cause."""
    counts = Counter[str]()
    for _, line in store.attempts(run.id):
        if REFUSED in line:
            counts.update(cause_of(one) for one in json.loads(line) if one["at"] == REFUSED)
    return dict(sorted(counts.items()))


def _nested(counts: Mapping[tuple[str, str], int]) -> dict[str, dict[str, int]]:
    """Counts by (one, other) as counts by other, by one."""
    result: dict[str, dict[str, int]] = {}
    for (one, other), count in sorted(counts.items()):
        result.setdefault(one, {})[other] = count
    return result
