"""The validity battery: checks whether a case set, as played and judged here, is a fit instrument.

Trivial baselines, probes, the default built-in player and the oracle play every case, in any protocol.
Trivial play must score near the floor, a probe that looks at one thing must gain nothing that this thing
should not give, and the oracle must reach the full score. The unit of resampling is the case.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from osler.core.config import Config
from osler.core.events import Frozen
from osler.core.trace import Outcome, Trace
from osler.errors import BadInput, InfrastructureFault
from osler.players.casting import casting_of
from osler.runs import run as runs
from osler.runs.batch import Progress
from osler.runs.measured import measured
from osler.stats.intervals import Bounded, Estimate
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.audit import Evidence, Flaw, Mark, WatchedRun, audit_of, players_of, watched

REPLAYED: Final = 5


class Validation(Frozen):
    """The result of the battery. `players` has each player's headline `measure`, `looks_at` what each probe
    looks at, and `against` the figures that count against a player. `lift` is each player's gain, `over` says
    over what; `runs` names each player's run in the store. `own` is what the protocol's own audit adds.
    """

    protocol: str
    measure: str
    cases: int
    repeats: int
    runs: dict[str, str]
    players: dict[str, Bounded]
    looks_at: dict[str, str]
    against: dict[str, dict[str, Estimate]]
    lift: dict[str, Estimate]
    over: str
    findings: tuple[Flaw, ...]
    checklist: dict[str, Mark]
    reasons: dict[str, str]
    notes: tuple[str, ...]
    label: str
    own: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON; what the protocol's own audit adds is merged into the top level."""
        return {**self.model_dump(mode="json", exclude={"own"}), **self.own}


def validate(
    config: Config,
    store: Store,
    on_player: Callable[[str], None] = lambda player: None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Validation:
    """Play and measure everything. `config` gives the protocol, cases, seed, repeats, limit and limits; the
    battery chooses the players. Every case is held in memory.

    Raises BadInput if no case can be read or the cases change meanwhile, KeyboardInterrupt if it was stopped
    by hand, InfrastructureFault if it had to pause.
    """
    source = config.opened()
    cases = {case.content_hash: case for case in map(config.ready, islice(source, config.limit))}
    if not cases:
        hint = f"see: {config.plays.reading} {config.cases}"
        raise BadInput(f"no {config.plays.case} could be read", where=config.cases, hint=hint)
    watched_runs = dict(_each_played(config, store, cases, on_player, on_progress))
    if any(row.row.case_hash not in cases for one in watched_runs.values() for row in one.rows):
        raise BadInput("the cases changed while they were played", where=config.cases, hint="validate again")
    again = map(config.ready, islice(config.opened(), config.limit))
    evidence = Evidence(
        config=config,
        source=source,
        cases=cases,
        again=tuple(dict.fromkeys(case.content_hash for case in again)),
        played=watched_runs,
        store=store,
        replayed=_replayed(config, cases, watched_runs, store),
    )
    audit = audit_of(config.plays)(evidence)
    lift = audit.lift()
    findings = tuple(audit.findings(lift))
    checklist = audit.checklist(lift, findings)
    return Validation(
        protocol=config.plays.name,
        measure=audit.headline.spoken,
        cases=len(cases),
        repeats=config.repeats,
        runs={name: one.run.name for name, one in watched_runs.items()},
        players=audit.players(),
        looks_at=dict(audit.probes),
        against=audit.against(),
        lift=lift,
        over=audit.over,
        findings=findings,
        checklist={item: level for item, (level, _) in checklist.items()},
        reasons={item: why for item, (_, why) in checklist.items()},
        notes=audit.notes(),
        label=audit.label,
        own=audit.more(),
    )


def _each_played(
    config: Config,
    store: Store,
    cases: Mapping[str, Any],
    on_player: Callable[[str], None],
    on_progress: Callable[[Progress], None],
) -> Iterator[tuple[str, WatchedRun]]:
    """Yield every player's run, read back; a probe is left out if no case has what it looks at."""
    probes, audit = config.plays.probes, audit_of(config.plays)
    for name in players_of(config):
        if name in probes and not audit.shows(probes[name], cases.values()):
            continue
        on_player(name)
        run = _play(audit.probing(config, name), store, on_progress)
        yield name, WatchedRun(run, tuple(measured(run, store, watched(config))))


def _play(config: Config, store: Store, on_progress: Callable[[Progress], None]) -> RunInfo:
    sitting = runs.play(runs.begin(config, store), store, on_progress=on_progress)
    if sitting.status == "interrupted":
        raise KeyboardInterrupt
    if sitting.status != "done":
        raise InfrastructureFault(sitting.why, hint=f"osler resume {sitting.run.name}")
    return sitting.run


def _replayed(
    config: Config, cases: Mapping[str, Any], watched_runs: Mapping[str, WatchedRun], store: Store
) -> tuple[int, int]:
    """Replay some episodes; return how many gave the same trace and judgement byte for byte, and how many
    were replayed."""
    usual = config.plays.role(config.plays.under_test).default
    config = audit_of(config.plays).probing(config, usual)
    casting, source = casting_of(config), config.opened()
    again = list(islice(cases.values(), REPLAYED))
    same = 0
    for index, case in enumerate(again):
        episode = config.episode(index * config.repeats, case, source)
        trace = asyncio.run(episode.play(casting.cast(case)))
        _, stored, judgements = store.record(watched_runs[usual].run.id, episode.ordinal)
        verdict = episode.judged(trace)
        same += _alike(trace, stored) and verdict[2] in [judgement.body for judgement in judgements]
    return same, len(again)


def _alike(played: Trace, stored: Trace) -> bool:
    """Whether two traces are the same; the store has a 0 for what a protocol does not count."""
    one, other = (replace(trace, outcome=_counting(trace.outcome)) for trace in (played, stored))
    return one == other


def _counting(outcome: Outcome) -> Outcome:
    return outcome._replace(counts={name: count for name, count in outcome.counts.items() if count})
