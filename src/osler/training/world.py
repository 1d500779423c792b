"""Worlds of whole encounters: a stored one is played again by a policy, and its rounds are judged.

A world is the case, cohort and seed of a stored episode, with the other players of its run: built-in ones, or
models, in the same event loop. Every attempt at a world begins alike; only the policy's words differ.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, NamedTuple

from pydantic_core import from_json

from osler.core.composite import AnyPlayer
from osler.core.config import Config
from osler.core.contract import Request
from osler.core.episode import Episode
from osler.core.factory import Factory, PlayerRequest
from osler.core.measure import NOTHING, Scored, plain_value
from osler.core.role import EXTERNAL, Seating
from osler.core.trace import Trace
from osler.errors import EpisodeFault, InfrastructureFault, PlayerFault, Status
from osler.judging.scores import UNSCORED
from osler.players.casting import casting_of
from osler.players.seating import model_player
from osler.runs.rejudging import episode_of
from osler.runs.run import config_of
from osler.runs.stored_case import stored
from osler.store.records import EpisodeRow, RunInfo
from osler.store.store import Store
from osler.training.batcher import Batcher, Generate
from osler.training.policy import POLICY, PolicyClient, PolicyModels, Spoken, Tokens
from osler.training.reward.outcome import Outcome
from osler.training.reward.score import Score, without_score
from osler.training.state import State
from osler.training.task import FirstRequest, Replayed, TrainedSeat, Turn

_HELD: Final = 256
"""The worlds of a run that are held in memory."""


class PlayedEncounter(NamedTuple):
    """A played encounter: its end, each answer of the policy at the state it was asked in, its tokens, and
    the record for a reward of whole encounters."""

    status: Status
    turns: tuple[tuple[State, str], ...]
    spoken: Spoken
    replayed: Replayed | None = None
    judgement: Mapping[str, Any] | None = None

    def figures(self, names: Sequence[str]) -> dict[str, float | None]:
        """Measures of the encounter by the protocol's own judge."""
        if self.replayed is None:
            return {}
        played, protocol = self.replayed, self.replayed.config.plays
        judged = None
        if protocol.judgement is not None and self.judgement is not None:
            judged = protocol.judgement(lambda: played.case, self.judgement)
        scored = Scored(played.row, self.judgement, lambda: played.trace, judged)
        values = {name: protocol.measure(name).of(scored) for name in names}
        return {name: None if value is NOTHING else plain_value(value) for name, value in values.items()}


@dataclass
class _RequestLog:
    """A player whose requests are kept."""

    inside: AnyPlayer
    asked: list[Request[Any]] = field(default_factory=list)
    durable: bool = False

    @property
    def name(self) -> str:
        return str(self.inside.name)

    async def reply(self, request: Request[Any], /) -> Any:
        self.asked.append(request)
        return await self.inside.reply(request)  # type: ignore[union-attr]  # no composite sits here


@dataclass(frozen=True)
class World:
    """One world for a trained seat."""

    run: RunInfo
    config: Config
    episode: Episode
    seat: TrainedSeat

    async def play(self, client: PolicyClient, more: Mapping[str, Factory]) -> PlayedEncounter:
        """Play it with a policy; `more` are the factories of the other players. Raises InfrastructureFault
        where an endpoint is out of reach."""
        seat, config = self.seat.seat, self.config
        models = PolicyModels(client)
        policy = model_player(PlayerRequest(seat, self.episode.case, POLICY), Seating(config, models))
        watched = _RequestLog(policy)
        cast = casting_of(config, {**more, EXTERNAL: lambda asked: watched}).cast(self.episode.case)
        try:
            trace = await self.episode.play(cast)
        except PlayerFault:
            raise
        except EpisodeFault as fault:
            if fault.trace is None or not await fault.concerns_the_episode_only():
                raise
            trace = fault.trace
        return self._played(trace, self.episode.key(cast), watched.asked, client.spoken)

    def _played(
        self, trace: Trace, key: str, requests: Sequence[Request[Any]], spoken: Spoken
    ) -> PlayedEncounter:
        case, outcome = self.episode.case, trace.outcome
        row = EpisodeRow(self.episode.ordinal, key, case.content_hash, case.id, *outcome, None, None)
        rows = [one for one in trace.rows if one.seat == self.seat.seat]
        puts = tuple(map(FirstRequest, requests, rows))
        replayed = Replayed(self.run, row, self.config, self.episode, trace, puts)
        turns = []
        for number, (request, answer) in enumerate(zip(puts, spoken.answers, strict=False)):
            # The state of a turn does not depend on what is said in it.
            state = self.seat.state(Turn(replayed, number, request, request.request.view))
            turns.append((state, answer.heard))
        judged = None if outcome.status in UNSCORED else from_json(self.episode.judged(trace)[2])
        return PlayedEncounter(outcome.status, tuple(turns), spoken, replayed, judged)


class Worlds(Mapping[str, World]):
    """Worlds of a run's stored episodes by their keys, each set up when it is asked for."""

    def __init__(
        self, run: RunInfo, store: Store, keys: Collection[str], seat: TrainedSeat, moves: str = "text"
    ) -> None:
        wanted = set(keys)
        self._rows = {row.key: row for row in store.episodes(run.id) if row.key in wanted}
        self._run, self._seat = run, seat
        self._config = seated(config_of(run), seat, moves)
        self._set_up, self._case_of = episode_of(run, store), stored(store, self._config.model)
        self._world = lru_cache(maxsize=_HELD)(self._opened)

    def _opened(self, key: str) -> World:
        row = self._rows[key]
        episode = self._set_up(row.ordinal, self._case_of(row.case_hash))
        return World(self._run, self._config, episode, self._seat)

    def __getitem__(self, key: str) -> World:
        return self._world(key)

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def seated(config: Config, seat: TrainedSeat, moves: str = "text") -> Config:
    """A configuration with the trained seat played from outside, in the form of moves it is trained in."""
    form = {"moves": getattr(seat, "moves", moves)} if "moves" in type(config).model_fields else {}
    return config.seated({seat.seat: EXTERNAL}).model_copy(update=form)


def others(config: Config, seat: TrainedSeat) -> Config:
    """The same configuration with a built-in player in the trained seat: whom the other seats need."""
    return config.seated({seat.seat: config.plays.role(seat.seat).default})


async def play_all(
    worlds: Sequence[World],
    tokens: Tokens,
    generate: Generate,
    room: int,
    more: Callable[[World], Mapping[str, Factory]],
) -> tuple[list[PlayedEncounter], list[int]]:
    """Play worlds at the same time, each with its own words of one policy; with the sizes of the batches.

    An encounter that an endpoint's fault ends comes back as such. Raises InfrastructureFault if that happened
    to all of them.
    """
    batcher = Batcher(generate, len(worlds))
    faults: list[InfrastructureFault] = []

    async def one(place: int, world: World) -> PlayedEncounter:
        client = PolicyClient(tokens, batcher, place, room)
        try:
            return await world.play(client, more(world))
        except PlayerFault:
            raise  # the code is at fault, not an endpoint
        except InfrastructureFault as fault:
            faults.append(fault)
            return PlayedEncounter(Status.ENDPOINT_FAULT, (), client.spoken)
        finally:
            batcher.left()

    encounters = await asyncio.gather(*(one(place, world) for place, world in enumerate(worlds)))
    if faults and len(faults) == len(worlds):
        raise faults[-1]
    return list(encounters), batcher.sizes


def whole(encounter: PlayedEncounter, scores: Sequence[Score]) -> Score:
    """The score of an encounter by the scores of its turns: their mean. Unscored if one of them is, or if the
    encounter was spoilt by others; vetoed if one of them is."""
    if encounter.spoken.spoilt or encounter.status in UNSCORED or not scores:
        return without_score(encounter.spoken.spoilt or str(encounter.status))
    if why := next((score.unscored for score in scores if score.unscored), None):
        return without_score(why)
    axes = dict.fromkeys(axis for score in scores for axis in score.axes)
    return Score(
        sum(score.total or 0.0 for score in scores) / len(scores),
        axes={axis: _mean([s.axes[axis] for s in scores if axis in s.axes]) for axis in axes},
        vetoed=any(score.vetoed for score in scores),
    )


def by_outcome(encounter: PlayedEncounter, reward: Outcome) -> Score:
    """The score of an encounter by a reward of whole ones."""
    if encounter.spoken.spoilt:
        return without_score(encounter.spoken.spoilt)
    return reward.of(str(encounter.status), encounter.figures(reward.measures))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
