"""The validity battery: is a set of cases, as it is played and judged here, fit to measure with?

Trivial players, probes, the built-in doctor and the oracle consult every case. Trivial play must score near
chance, a probe that looks at one thing must gain nothing from it, and the oracle must reach all there is.
Options are shown wherever a case has them. The unit of resampling is the case.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Final, NamedTuple

from pydantic_core import from_json

from osler.cases.model import Case
from osler.cases.personas import persona
from osler.cases.sources import open_source
from osler.errors import BadInput, InfrastructureFault
from osler.judging.judge import GRADER, judge
from osler.judging.scores import judgement_json, judgement_of
from osler.judging.statistics import bounds, mean_interval, paired_difference
from osler.reports.summary import LABEL, Accuracy, Interval
from osler.seats.events import Frozen
from osler.seats.topics import TOPICS
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies import runs
from osler.studies.batch import Progress
from osler.studies.build import Casting, RunConfig
from osler.studies.checklist import Evidence, Item, Mark, marks
from osler.studies.control_rows import Values, blind, seated
from osler.studies.execute import Episode, play
from osler.studies.flaws import LOOKS_AT, Flaw, given_away, leaks, misjudged, unplayable

CONTROLS: Final = ("null", "always-conclude")
REASONING, PRIVILEGED = "baseline", "oracle"
REPLAYED: Final = 5
ORDERS: Final = 4
"""How often the facts of a case are put in another order, to tell what their own order gives away."""


class Validation(Frozen):
    """What the battery found. `runs` names each player's run in the store; `base_rate` is what naming the
    commonest answer of the set would score, or guessing where options are shown, and `over_base_rate` what
    each player gains over that, paired by case; `lift` is gained over
    chance where options are shown and over always-conclude elsewhere, and for first-told over the same facts
    in another order. `slices` are of the built-in doctor."""

    cases: int
    repeats: int
    runs: dict[str, str]
    players: dict[str, Accuracy]
    base_rate: Interval
    over_base_rate: dict[str, Interval]
    lift: dict[str, Interval]
    findings: tuple[Flaw, ...]
    checklist: dict[Item, Mark]
    reasons: dict[Item, str]
    slices: dict[str, Interval]
    label: str = LABEL


class _Played(NamedTuple):
    """A player's answers. `chances` is what guessing would score, for cases whose options were shown."""

    run: RunInfo
    right: dict[str, list[float]]
    chances: dict[str, list[float]]
    unscored: int

    @property
    def accuracy(self) -> Accuracy:
        found = mean_interval(self.right, self.unscored, proportion=True)
        rights = sum(map(sum, self.right.values()))
        return Accuracy(**found._asdict(), bounds=bounds(rights, found.n, self.unscored))


def validate(
    config: RunConfig,
    store: Store,
    on_player: Callable[[str], None] = lambda player: None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Validation:
    """Play and measure everything. `config` gives cases, seed, repeats, limit and limits; who sits where and
    whether options are shown is the battery's own. Every case is held in memory.

    Raises BadInput where no case can be read or the cases change meanwhile; see `controls` for the rest.
    """
    config = config.model_copy(update={"settings": config.settings.model_copy(update={"options": "shown"})})
    source = open_source(config.cases, config.format)
    cases = {case.content_hash: case for case in islice(source, config.limit)}
    if not cases:
        raise BadInput("no case could be read", where=config.cases, mend="see: osler cases import FILE")
    played = dict(_each_played(config, store, cases, on_player, on_progress))
    if any(row.right.keys() - cases.keys() for row in played.values()):
        raise BadInput("the cases changed while they were played", where=config.cases, mend="validate again")
    lift = _lifts(played, {"first-told": _in_other_orders(config, cases)})
    flaws = tuple(_flaws(cases, played, lift, store))
    accuracy = {name: found.accuracy for name, found in played.items()}
    for name in LOOKS_AT.keys() - played.keys():
        accuracy[name] = Accuracy(value=None, low=None, high=None, n=0, unscored=len(cases) * config.repeats)
    base = blind(cases, options_shown=True)
    found = marks(
        Evidence(
            cases=tuple(cases.values()),
            source=source,
            again=tuple(
                case.content_hash for case in islice(open_source(config.cases, config.format), config.limit)
            ),
            players=accuracy,
            lift=lift,
            flaws=flaws,
            runs={name: row.run for name, row in played.items()},
            store=store,
            replayed=_replayed(config, cases, played[REASONING], store),
        )
    )
    return Validation(
        cases=len(cases),
        repeats=config.repeats,
        runs={name: row.run.name for name, row in played.items()},
        players={name: accuracy[name] for name in (*LOOKS_AT, REASONING, PRIVILEGED)},
        base_rate=_base_rate(base),
        over_base_rate={
            name: Interval(**paired_difference(base, row.right)._asdict()) for name, row in played.items()
        },
        lift=lift,
        findings=flaws,
        checklist={item: level for item, (level, _) in found.items()},
        reasons={item: why for item, (_, why) in found.items()},
        slices=_slices(cases, played[REASONING].right),
    )


def controls(config: RunConfig, store: Store) -> dict[str, RunInfo]:
    """Play a run's control rows, null and always-conclude on the same worlds, for any report of it.

    All other seats are built in, so that a control costs nothing. Raises KeyboardInterrupt where it was
    stopped by hand, InfrastructureFault where it had to pause.
    """
    return {name: _play(seated(config, name), store) for name in CONTROLS}


def _play(
    config: RunConfig, store: Store, on_progress: Callable[[Progress], None] = lambda progress: None
) -> RunInfo:
    sitting = runs.play(runs.begin(config, store), store, on_progress=on_progress)
    if sitting.status == "interrupted":
        raise KeyboardInterrupt
    if sitting.status != "done":
        raise InfrastructureFault(sitting.why, mend=f"osler resume {sitting.run.name}")
    return sitting.run


def _each_played(
    config: RunConfig,
    store: Store,
    cases: Mapping[str, Case],
    on_player: Callable[[str], None],
    on_progress: Callable[[Progress], None],
) -> Iterator[tuple[str, _Played]]:
    """Every player's run, read; players who look at options only where some case has any."""
    options = any(case.task.kind == "choice" for case in cases.values())
    for name in CONTROLS:
        on_player(name)
    for name, run in controls(config, store).items():
        yield name, _read(run, store)
    for name in (*LOOKS_AT, REASONING, PRIVILEGED):
        if name in CONTROLS or (LOOKS_AT.get(name) == "task.options" and not options):
            continue
        on_player(name)
        patient = "reciter" if LOOKS_AT.get(name) == "facts" else "baseline"
        yield name, _read(_play(seated(config, name, patient), store, on_progress), store)


def _read(run: RunInfo, store: Store) -> _Played:
    right: dict[str, list[float]] = {}
    chances: dict[str, list[float]] = {}
    unscored = 0
    hashes = {episode.ordinal: episode.case_hash for episode in store.episodes(run.id)}
    for judgement in store.judgements(run.id):
        if judgement.grader != GRADER:
            continue
        body, case = from_json(judgement.body), hashes[judgement.ordinal]
        value = body["scores"]["correct"]["value"]
        if value is None:
            unscored += 1
        else:
            right.setdefault(case, []).append(value)
        if body["chance"] is not None:
            chances[case] = [body["chance"]]
    return _Played(run, right, chances, unscored)


def _lifts(played: Mapping[str, _Played], against: Mapping[str, Values]) -> dict[str, Interval]:
    """What each player gains, paired by case; the oracle is privileged and compared with nobody."""
    always = played[CONTROLS[1]]
    usual: Values = {**always.right, **always.chances}
    return {
        name: Interval(**paired_difference(against.get(name, usual), row.right)._asdict())
        for name, row in played.items()
        if name != PRIVILEGED and (name != CONTROLS[1] or row.chances)
    }


def _in_other_orders(config: RunConfig, cases: Mapping[str, Case]) -> Values:
    """How first-told does on each case when its facts stand as a history is taken, topic by topic, and within
    a topic in any order. Not stored: these are no cases of the set."""
    config = seated(config, "first-told", "reciter")
    casting = Casting(config)

    async def rights(case: Case) -> list[float]:
        found = []
        for number in range(ORDERS):
            luck = Random(f"{case.content_hash}/{number}")  # noqa: S311 - simulation, not secrecy
            facts = sorted(case.facts, key=lambda fact: (TOPICS.index(fact.topic), luck.random()))
            other = case.model_copy(update={"facts": tuple(facts)})
            seed = f"{config.seed}/0"
            episode = Episode(number, other, persona(config.persona), config.settings, seed)
            trace = await play(episode, casting.cast(other))
            right = judge(other, trace, options_shown=True).scores["correct"].value
            found += [] if right is None else [right]
        return found

    async def each() -> dict[str, list[float]]:
        return {key: await rights(case) for key, case in cases.items()}

    return asyncio.run(each())


def _flaws(
    cases: Mapping[str, Case],
    played: Mapping[str, _Played],
    lift: Mapping[str, Interval],
    store: Store,
) -> Iterator[Flaw]:
    for name in LOOKS_AT:
        if name in lift:
            right = (cases[key].id for key, values in played[name].right.items() if any(values))
            yield from given_away(name, lift[name], tuple(right))
    reported = set[str]()
    for episode, trace, judgements in store.records(played[PRIVILEGED].run.id):
        case = cases[episode.case_hash]
        if case.id in reported:
            continue
        for judgement in judgements:
            found = tuple(unplayable(case, trace, judgement_of(judgement.body)))
            reported.update(case.id for _ in found)
            yield from found
    for case in cases.values():
        yield from leaks(case)
        yield from misjudged(case)


def _base_rate(values: Values) -> Interval:
    whole = all(value in (0, 1) for held in values.values() for value in held)
    return Interval(**mean_interval(values, proportion=whole)._asdict())


def _replayed(config: RunConfig, cases: Mapping[str, Case], played: _Played, store: Store) -> tuple[int, int]:
    """Of how many episodes that were played once more trace and judgement are the same, byte for byte."""
    config = seated(config, REASONING)
    casting = Casting(config)
    same = 0
    again = list(islice(cases.values(), REPLAYED))
    for index, case in enumerate(again):
        seed = f"{config.seed}/0"
        episode = Episode(index, case, persona(config.persona), config.settings, seed)
        trace = asyncio.run(play(episode, casting.cast(case)))
        _, stored, judgements = store.record(played.run.id, index * config.repeats)
        verdict = judgement_json(judge(case, trace, options_shown=True))
        same += trace == stored and verdict in [judgement.body for judgement in judgements]
    return same, len(again)


def _slices(cases: Mapping[str, Case], right: Values) -> dict[str, Interval]:
    sliced: dict[str, dict[str, Sequence[float]]] = {}
    for key, case in cases.items():
        for name, value in (("specialty", case.specialty), ("sex", case.sex)):
            if key in right:
                sliced.setdefault(f"{name}: {value or 'not said'}", {})[key] = right[key]
    return {
        name: Interval(**mean_interval(values, proportion=True)._asdict())
        for name, values in sorted(sliced.items())
    }
