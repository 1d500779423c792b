"""The failures of a run's scored episodes: by tag with n and interval, and by episode."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import islice
from typing import Any, Final, NamedTuple

from osler.core.failure import SHARES, TAGS, Failure, of_ending, of_orders
from osler.core.lazy import load
from osler.core.measure import NOTHING, Scored
from osler.core.protocol import Protocol
from osler.errors import BadInput
from osler.runs.measure_sums import MeasureSums
from osler.runs.measured import measured_and_scored
from osler.runs.run import protocol_of
from osler.stats.intervals import Estimate
from osler.store.records import RunInfo
from osler.store.store import Store

MOST_READ: Final = 5000
"""The episodes of the largest run whose failures are read for a report or a screen: each takes a look at its
whole record, and their tags are held in memory."""


class RunFailures(NamedTuple):
    """The failures of the `scored` episodes of a run by ordinal, those of an episode in the order of
    `osler.core.failure.TAGS`, and the share of episodes with each tag that any of them has, with its interval
    over cases. `unscored` episodes have none; of the `unread` ones the record is of another version."""

    scored: int
    unscored: int
    unread: int
    episodes: Mapping[int, tuple[Failure, ...]]
    shares: Mapping[str, Estimate]

    def counts(self) -> dict[str, int]:
        """The number of episodes with each tag that any has."""
        return {name: len(self.with_tag(name)) for name in self.shares}

    def with_tag(self, name: str) -> dict[int, Failure]:
        """The failures with a tag, by episode: one of an episode at most."""
        return {
            ordinal: one
            for ordinal, each in sorted(self.episodes.items())
            for one in each
            if one.tag.name == name
        }

    def first(self, name: str, most: int = 3) -> list[tuple[int, int]]:
        """The first (episode, exchange) with a tag."""
        return [(ordinal, one.exchange) for ordinal, one in islice(self.with_tag(name).items(), most)]

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {
            "scored": self.scored,
            "unscored": self.unscored,
            "unread": self.unread,
            "tags": {
                name: {"episodes": count, **asdict(self.shares[name])}
                for name, count in self.counts().items()
            },
            "episodes": [
                {"ordinal": ordinal, "tag": one.tag.name, "exchange": one.exchange, "why": one.why}
                for ordinal, each in sorted(self.episodes.items())
                for one in each
            ],
        }


NO_FAILURES: Final = RunFailures(0, 0, 0, {}, {})
"""The failures of a run that is not read."""


def failures_of(run: RunInfo, store: Store) -> RunFailures:
    """Return the failures of a run's episodes by the protocol's own judge. Every trace is read."""
    protocol = protocol_of(run)
    sums, episodes = MeasureSums(SHARES), dict[int, tuple[Failure, ...]]()
    scored = unscored = unread = 0
    for one, episode in measured_and_scored(run, store, protocol.measures[:1]):
        if one.values[0] is None or one.values[0] is NOTHING:
            unscored += 1
            continue
        try:
            each = tuple(episode_failures(protocol, episode))
        except BadInput:  # an event of another version
            unread += 1
            continue
        scored += 1
        names = {failure.tag.name for failure in each}
        sums.add(one.cluster, tuple(float(share.name in names) for share in SHARES))
        if each:
            episodes[one.row.ordinal] = each
    shares = {name: share for name, share in sums.results().items() if share.value}
    return RunFailures(scored, unscored, unread, episodes, shares)


def episode_failures(protocol: Protocol[Any, Any, Any], episode: Scored) -> Iterator[Failure]:
    """Yield the failures of a scored episode, one of each tag at most, in the order of the tags."""
    role = protocol.role(protocol.under_test)
    seats = {row.seat for row in episode.trace().rows if role.seats_of(row.seat)}
    each = [*of_ending(episode, seats), *of_orders(episode)]
    if protocol.failures is not None and episode.body is not None:
        each += load(protocol.failures)(episode)
    first = {one.tag: one for one in reversed(each)}
    yield from (first[tag] for tag in TAGS if tag in first)
