"""People beside models on the same worlds: the difference by the same judge, clustered by person and case.

A pair is a sitting of a person and the episode that a player, a model or a built-in one, played on the same
world: case, seed, persona, and everything else of the configuration but the seat under test. The difference
is people minus player. Whatever has no partner is counted with the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from pydantic import Field

from osler.core.events import Frozen
from osler.core.measure import Measure
from osler.core.permitted import NotPermitted, kept_people, people_in
from osler.core.protocol import Protocol
from osler.errors import BadInput, Status
from osler.players.casting import casting_type
from osler.runs.judged_episodes import Grader
from osler.runs.run import config_of, player_of, protocol_of
from osler.stats.paired import adjusted
from osler.store.permitted_store import PermittedStore, for_reader
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.comparable import differing, other_judges, reasons, setting
from osler.studies.compare import PlayedRun, World, measures_of, played_run
from osler.studies.people.differences import ScoreBeside, difference
from osler.studies.people.sittings import Sitting, by_person, sittings_of

SIGN: Final = "people minus player"
NOT_PERMITTED: Final = "not_permitted"
NOT_ENDED: Final = "not_ended"
DELETED: Final = "deleted"
AGAIN: Final = "again"
OTHER_CASE: Final = "case_not_played"
CHANGED_CASE: Final = "case_changed"
OTHER_WORLD: Final = "other_seed_or_persona"
NOT_COMPARABLE: Final = "not_comparable"
OTHER_PROTOCOL: Final = "other_protocol"
NO_PERSON: Final = "no_person"
REASONS: Final[Mapping[str, str]] = {
    NOT_PERMITTED: "not permitted for research by who sat it (osler permit RUN --uses research)",
    NOT_ENDED: "not ended",
    DELETED: "deleted by who sat it",
    AGAIN: "a person's second encounter with a case, or one that begins in the middle"
    " (whoever gave no pseudonym counts as one person: osler permit RUN --pseudonym NAME)",
    OTHER_CASE: "on a case that the player has not played",
    CHANGED_CASE: "on a case whose content was changed since",
    OTHER_WORLD: "on another seed or persona than the player's",
    NOT_COMPARABLE: "played under other settings, by other players in the other seats, or judged otherwise",
    OTHER_PROTOCOL: "of another protocol",
    NO_PERSON: "of the player, on worlds that no person sat",
}
_OF_THE_PLAYER: Final = frozenset({"models", "osler", "moves", "coaching", "memory"})
"""Choices that concern the player under test alone, so that they may differ."""


class Beside(Frozen):
    """People beside one player, over `pairs` of `people` persons and `cases` cases; `left_out` counts by
    reason what has no partner, `refused` says in words what kept runs apart."""

    player: str
    models: tuple[str, ...] = ()
    runs: tuple[str, ...]
    pairs: int
    people: int
    cases: int
    scores: tuple[ScoreBeside, ...]
    left_out: dict[str, int]
    refused: tuple[str, ...] = ()


class PeopleBeside(Frozen):
    """People and players on the same worlds. `sittings` counts the sittings that may be used, of
    `people` persons on `cases` cases; `left_out` counts the others by reason. `anchored` says whether
    anything could be compared."""

    protocol: str
    judge: str
    sign: str = SIGN
    difference: float
    anchored: bool
    sittings: int
    people: int
    cases: int
    left_out: dict[str, int]
    beside: tuple[Beside, ...]
    runs: tuple[str, ...] = Field(default=(), exclude=True)
    """The runs of people and players that were read."""


class _Sat(NamedTuple):
    """A usable sitting with its world, and its run as read."""

    sitting: Sitting
    world: World
    read: PlayedRun
    case_id: str


def beside(
    store: Store,
    people: Sequence[RunInfo],
    players: Sequence[RunInfo],
    scores: Sequence[str] = (),
    *,
    grader: str | None = None,
    wanted: float = 0.1,
    named: bool = True,
) -> PeopleBeside:
    """Hold the sittings of people against players' runs of the same protocol. The first of `scores` is the
    primary one; p is Holm-adjusted over all further ones of a player. `wanted` is the difference for which
    the numbers still needed are told.

    Raises BadInput for players that are people, an unknown score, or runs of several protocols; NotPermitted
    if the people were `named` and none of them permits research.
    """
    store = for_reader(store, "comparison")
    protocol = _protocol(people, players)
    for run in players:
        _check_player(run, protocol)
    mine = [run for run in people if protocol_of(run) is protocol]
    measures = _measures(protocol, [*mine, *players], store, scores, grader)
    chosen, judge = Grader(grader) if grader else None, grader or protocol.graders[0]
    left = Counter[str]()
    left[OTHER_PROTOCOL] = sum(run.done for run in people) - sum(run.done for run in mine)
    sat = _readable(store, mine, measures, chosen, left, named=named)
    sat = list(_first_of_each(sat, left))
    played_runs = {run.id: played_run(run, store, measures, chosen) for run in players}
    groups: dict[tuple[str, ...], list[RunInfo]] = {}
    for run in players:
        groups.setdefault((player_of(run), *_models(run)), []).append(run)
    result = tuple(_beside(sat, runs, played_runs, measures, judge, wanted) for runs in groups.values())
    return PeopleBeside(
        protocol=protocol.name,
        judge=judge,
        difference=wanted,
        anchored=any(one.difference.n_pairs for each in result for one in each.scores),
        sittings=len(sat),
        people=len({one.sitting.person for one in sat}),
        cases=len({one.world[0] for one in sat}),
        left_out=_counted(left),
        beside=result,
        runs=tuple(
            run.name for run in (*{one.sitting.run.id: one.sitting.run for one in sat}.values(), *players)
        ),
    )


def _protocol(people: Sequence[RunInfo], players: Sequence[RunInfo]) -> Protocol:
    protocols = {protocol_of(run).name: protocol_of(run) for run in players}
    if len(protocols) > 1:
        raise BadInput(
            f"these are runs of {' and '.join(one.many for one in protocols.values())}",
            where="--models",
            hint="name runs of one protocol",
        )
    if protocols:
        return next(iter(protocols.values()))
    ((name, _),) = Counter(protocol_of(run).name for run in people).most_common(1)
    return next(protocol_of(run) for run in people if protocol_of(run).name == name)


def _check_player(run: RunInfo, protocol: Protocol) -> None:
    if by_person(run, protocol) or people_in(run.manifest) or kept_people(run.manifest):
        raise BadInput("a person played in it", where=run.name, hint="name it with --people, or leave it out")
    if not run.done:
        raise BadInput("no episode of this run has ended", where=run.name, hint=f"osler resume {run.name}")


def _measures(
    protocol: Protocol, runs: Sequence[RunInfo], store: Store, scores: Sequence[str], grader: str | None
) -> list[Measure]:
    """The measures asked for; by default the headline, with those of the first table for our own judge."""
    if not scores and (grader is None or grader in protocol.graders):
        first = map(protocol.measure, protocol.main) if protocol.main else protocol.measures[:6]
        result = list(dict.fromkeys((protocol.measures[0], *first)))
        return [one for one in result if not one.traced and one.interval != "per success"]
    result = measures_of(runs, store, scores, grader)
    for one in result:
        if one.interval == "per success":
            hint = "osler compare has it for two runs"
            raise BadInput(f"{one.name} has no value in a single encounter", where="--score", hint=hint)
    return result


def _sat(
    store: Store, run: RunInfo, measures: Sequence[Measure], grader: Grader | None, left: Counter[str]
) -> Iterator[_Sat]:
    """The usable sittings of a run. Raises NotPermitted if none is permitted."""
    gone = sum(row.status is Status.DELETED for row in store.episodes(run.id))
    left[DELETED] += gone
    left[NOT_PERMITTED] += store.left_out(run.id) if isinstance(store, PermittedStore) else 0
    if (setting(run, "branch.at") or 0) > 0:
        left[AGAIN] += run.done
        return
    read = played_run(run, store, measures, grader)
    names = {case_hash: case_id for case_id, case_hash in read.hashes.items()}
    deleted = {row.ordinal for row in store.episodes(run.id) if row.status is Status.DELETED}
    world_of = {ordinal: world for world, ordinal in read.ordinals.items() if ordinal not in deleted}
    for one in sittings_of(store, run, sorted(world_of)):
        world = world_of[one.ordinal]
        yield _Sat(one, world, read, names.get(world[0], ""))


def _first_of_each(sat: Sequence[_Sat], left: Counter[str]) -> Iterator[_Sat]:
    """Each person's first sitting of each case: afterwards the person knows it."""
    pairs = set[tuple[str, str]]()
    for one in sorted(sat, key=lambda one: (one.sitting.run.id, one.sitting.ordinal)):
        who = (one.sitting.person, one.case_id)
        if who in pairs:
            left[AGAIN] += 1
        else:
            pairs.add(who)
            yield one


def _readable(
    store: Store,
    runs: Sequence[RunInfo],
    measures: Sequence[Measure],
    grader: Grader | None,
    left: Counter[str],
    *,
    named: bool,
) -> list[_Sat]:
    """The sittings of people's runs that may be read; the others are counted in `left`. Raises NotPermitted
    if the people were `named` and none of them permits research."""
    refusals = list[NotPermitted]()
    sat: list[_Sat] = []
    for run in runs:
        left[NOT_ENDED] += max(run.planned - run.done, 0)
        try:
            sat += _sat(store, run, measures, grader, left)
        except NotPermitted as refused:
            left[NOT_PERMITTED] += run.done
            refusals.append(refused)
    if named and refusals and not sat:
        raise refusals[0]
    return sat


def _pairs(
    sat: Sequence[_Sat],
    runs: Sequence[RunInfo],
    played_runs: Mapping[int, PlayedRun],
    judge: str | None,
    left: Counter[str],
    why: dict[str, None],
) -> list[tuple[_Sat, Any]]:
    """Each sitting with the values of the first run that played the same world and compares with it. Sittings
    without one are counted in `left`; `why` gets the reasons of runs that do not compare."""
    apart: dict[tuple[int, int], tuple[str, ...]] = {}
    pairs: list[tuple[_Sat, Any]] = []
    for one in sat:
        mine = one.sitting.run
        there = [run for run in runs if one.world in played_runs[run.id].values]
        for run in there:
            key = (mine.id, run.id)
            if key not in apart:
                apart[key] = tuple(_apart(mine, run, one.read, played_runs[run.id], judge))
        fair = next((run for run in there if not apart[mine.id, run.id]), None)
        if fair is not None:
            pairs.append((one, played_runs[fair.id].values[one.world]))
        elif there:
            left[NOT_COMPARABLE] += 1
            why |= dict.fromkeys(apart[mine.id, there[0].id])
        else:
            left[_alone(one, [played_runs[run.id] for run in runs])] += 1
    return pairs


def _beside(
    sat: Sequence[_Sat],
    runs: Sequence[RunInfo],
    played_runs: Mapping[int, PlayedRun],
    measures: Sequence[Measure],
    judge: str,
    wanted: float,
) -> Beside:
    left, why = Counter[str](), dict[str, None]()
    pairs = _pairs(
        sat, runs, played_runs, judge if any(measure.judged for measure in measures) else None, left, why
    )
    worlds = {one.world for one in sat}
    left[NO_PERSON] = sum(world not in worlds for run in runs for world in played_runs[run.id].values)
    people = [one.sitting.person for one, _ in pairs]
    clusters = [one.read.clusters[one.world[0]] for one, _ in pairs]
    shape = (len(pairs), 2, len(measures), 2)
    table = np.array([[*theirs, *one.read.values[one.world]] for one, theirs in pairs]).reshape(shape)
    differences = [
        difference(measure, people, clusters, table[:, :, place], wanted)
        for place, measure in enumerate(measures)
    ]
    rest = adjusted([one.difference for one in differences[1:]])
    differences[1:] = [
        one.model_copy(update={"difference": gap}) for one, gap in zip(differences[1:], rest, strict=True)
    ]
    return Beside(
        player=player_of(runs[0]),
        models=_models(runs[0]),
        runs=tuple(run.name for run in runs),
        pairs=len(pairs),
        people=len(set(people)),
        cases=len(set(clusters)),
        scores=tuple(differences),
        left_out=_counted(left),
        refused=tuple(why),
    )


def _apart(
    mine: RunInfo, theirs: RunInfo, one: PlayedRun, other: PlayedRun, judge: str | None
) -> Iterator[str]:
    """The reasons why a sitting and a player's run cannot be held against each other."""
    yield from reasons(mine, theirs)
    seat = protocol_of(mine).under_test
    for name, (ours, other_value) in differing(mine, theirs).items():
        if name != seat and name not in _OF_THE_PLAYER:
            yield (
                f"{name} is {ours} in {mine.name} and {other_value} in {theirs.name}"
                " (play the same with another player in the seat under test alone)"
            )
    ours, others = _behind(mine, seat), _behind(theirs, seat)
    if ours != others:
        yield f"the models behind the other seats are {ours} in {mine.name} and {others} in {theirs.name}"
    if judge is not None:
        shared = one.versions.keys() & other.versions.keys()
        first, second = ({case: each.versions[case] for case in shared} for each in (one, other))
        yield from other_judges(mine, theirs, first, second, judge)


def _behind(run: RunInfo, seat: str) -> dict[str, str]:
    """The models behind the players of all other seats, and behind readers without one, by endpoint."""
    config = config_of(run)
    named = {model for other in config.names() if other != seat for model in config.models_in(other)}
    named |= {one.model for one in casting_type(config).unseated(config)}
    return {name: model for name, model in config.models.items() if f"model:{name}" in named}


def _models(run: RunInfo) -> tuple[str, ...]:
    """The models behind the player under test."""
    config = config_of(run)
    named = config.models_in(config.plays.under_test)
    return tuple(model for name, model in sorted(config.models.items()) if f"model:{name}" in named)


def _alone(one: _Sat, reads: Sequence[PlayedRun]) -> str:
    """Return the reason why no player's run has a sitting's world."""
    if any(one.world[0] in each.clusters for each in reads):
        return OTHER_WORLD
    return CHANGED_CASE if any(one.case_id in each.hashes for each in reads) else OTHER_CASE


def _counted(left: Counter[str]) -> dict[str, int]:
    return {name: left[name] for name in REASONS if left[name]}
