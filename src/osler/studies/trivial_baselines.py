"""Trivial baselines (controls) on the cases of a stored run, played for a report and not stored.

Each case is played once by each control, under the run's own settings and seed, with built-in players in the
other seats: this needs no model and little time. The run is compared with each control, by case.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import from_json

from osler.cases.model import Case
from osler.core.config import Config
from osler.core.episode import Episode
from osler.core.measure import Measure, Scored, Value, plain_value
from osler.core.protocol import Protocol
from osler.core.trace import Trace
from osler.errors import BadInput
from osler.judging.correctness import chance_level, plain
from osler.players.casting import casting_of, casting_type
from osler.reports.run_report import Control, Controls
from osler.runs.measure_sums import MeasureSums
from osler.runs.run import config_of, protocol_of, reopen
from osler.runs.stored_case import StoredCase, stored
from osler.stats.intervals import paired_difference
from osler.store.records import EpisodeRow, RunInfo
from osler.store.store import Store
from osler.studies.report_parts import Parts

Values = Mapping[str, Sequence[float]]
"""Values of the headline by the case's content hash."""
MOST_CASES: Final = 500


def blind(cases: Mapping[str, Case], options_shown: bool) -> dict[str, list[float]]:
    """Return the base rate of each case, the score of a player that does not look at it: guessing if its
    options are shown, else naming the most common answer among these cases (ties: first alphabetically)."""
    wordings = {key: plain(_words(case)) for key, case in cases.items()}
    counts = Counter(wordings.values())
    commonest = min(counts, key=lambda words: (-counts[words], words), default="")
    chances = {key: chance_level(case, options_shown) for key, case in cases.items()}
    return {
        key: [float(wordings[key] == commonest) if (chance := chances[key]) is None else chance]
        for key in cases
    }


class ControlRoom:
    """A player of controls for the runs of one report; an episode that two runs share is played once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._played: dict[str, Value] = {}

    def rows(self, run: RunInfo, parts: Parts, mine: Values) -> Controls:
        """Return the control rows of a run with headline values `mine`, by case; no rows, with the reason, if
        its world cannot be set up again."""
        protocol = protocol_of(run)
        if not protocol.probes:
            return Controls((), 0, 0, f"{protocol.many} have no controls")
        if run.manifest["configuration"].get("branch"):
            return Controls((), 0, 0, f"controls are played only for whole {protocol.many}, not for branches")
        cases = self._cases(run, sorted(mine))
        try:
            config = config_of(run).weighed()
            pairs: list[tuple[str, str | None, Mapping[str, Value]]] = [
                (name, None, values) for name, values in parts.base_rates(config, cases)
            ]
            pairs += [
                (name, protocol.probes[name], self._values(run, config, name, cases))
                for name in parts.controls(config, cases)
            ]
        except (BadInput, KeyError, TypeError, ValidationError):
            return Controls((), 0, 0, "this version of Osler cannot read how the run was set up")
        rows = tuple(
            _control(name, looks_at, protocol.measures[0], values, mine) for name, looks_at, values in pairs
        )
        return Controls(rows, len(cases), len(mine) - len(cases), "")

    def _cases(self, run: RunInfo, hashes: Sequence[str]) -> dict[str, Any]:
        """Return the stored cases that can still be read, at most `MOST_CASES` of them, evenly spaced."""
        step = max(1, -(-len(hashes) // MOST_CASES))
        case_of = stored(self._store, protocol_of(run).config.model)
        cases = {}
        for key in hashes[::step]:
            try:
                cases[key] = case_of(key)
            except BadInput:
                continue
        return cases

    def _values(
        self, run: RunInfo, config: Config, player: str, cases: Mapping[str, Any]
    ) -> dict[str, Value]:
        seated = config.seated({config.plays.under_test: player})
        casting = casting_of(seated)
        again = reopen(run, self._store)[1] if casting_type(seated).needs_other_cases(seated) else None
        first = {row.case_hash: row.ordinal for row in reversed(list(self._store.episodes(run.id)))}

        async def play_all() -> dict[str, Value]:
            values = {}
            for key, case in cases.items():
                ready = seated.ready(case)
                ordinal = first[key] - first[key] % seated.repeats
                episode = seated.episode(ordinal, ready, again or StoredCase(config.cases, case))
                place = episode.key(cast := casting.cast(ready))
                if place not in self._played:
                    self._played[place] = _headline(seated.plays, episode, place, await episode.play(cast))
                values[key] = self._played[place]
            return values

        return asyncio.run(play_all())


def _headline(protocol: Protocol, episode: Episode, key: str, trace: Trace) -> Value:
    """Return the headline value of an episode that was just played."""
    body = from_json(episode.judged(trace)[2])
    judged = protocol.judgement(lambda: episode.case, body) if protocol.judgement else None
    row = EpisodeRow(0, key, episode.case.content_hash, episode.case.id, *trace.outcome, None, None)
    return protocol.measures[0].of(Scored(row, body, lambda: trace, judged))


def _control(
    name: str, looks_at: str | None, measure: Measure, values: Mapping[str, Value], mine: Values
) -> Control:
    sums = MeasureSums([measure])
    for key, value in values.items():
        sums.add(key, [value])
    plain = {key: [one] for key, value in values.items() if (one := plain_value(value)) is not None}
    gain = paired_difference(plain, {key: mine[key] for key in values}, measure.share)
    return Control(name, looks_at, sums.results()[measure.name], gain)


def _words(case: Case) -> str:
    return (case.task.options or {}).get(case.task.answer, case.task.answer)
