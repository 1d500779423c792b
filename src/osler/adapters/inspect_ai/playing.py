"""The solver: a sample is a case, its epoch a repeat, and the conversation an encounter played by Osler."""

from __future__ import annotations

from typing import Any, Final

from inspect_ai.model import get_model, model_roles
from inspect_ai.solver import Generate, Solver, TaskState, solver
from pydantic_core import from_json

from osler.adapters.borrowed import BorrowedModels
from osler.adapters.inspect_ai.arranging import MOST_REPEATS, Arranged
from osler.adapters.inspect_ai.borrowing import SAMPLE, borrowed
from osler.adapters.inspect_ai.record import STORED, of_played
from osler.adapters.scored import why_unscored
from osler.core.episode import Episode
from osler.core.measure import Measure, Ratio, Scored, Value
from osler.core.protocol import Protocol
from osler.core.source import Source
from osler.errors import BadInput, InfrastructureFault
from osler.runs.played import EndedEpisode
from osler.runs.world import World
from osler.store.records import EpisodeRow

PLACE: Final = "place"
CLUSTER: Final = "cluster"


class Unscored(RuntimeError):
    """An encounter that may not be scored; Inspect counts it as an error of its sample."""


class Stage:
    """The worlds of a task, one for each model that is evaluated, over the same cases."""

    def __init__(self, arranged: Arranged, source: Source[Any]) -> None:
        self.arranged, self._source = arranged, source
        self._worlds: dict[tuple[object, ...], World] = {}
        self.ended: dict[tuple[object, int], bool] = {}
        """Whether each sample that was begun, by id and epoch, has ended with a score."""

    def world(self) -> tuple[World, str]:
        """The world played by Inspect's models of now, and the name of the model under test. Raises BadInput
        for a model role that was not given."""
        model, roles = get_model(), model_roles()
        config, name = self.arranged.under(str(model))
        for role in self.arranged.roles:
            if role not in roles:
                raise BadInput(
                    f"no model has the role {role!r}",
                    where=f"model:{role}",
                    hint=f"give --model-role {role}=MODEL; it is never the model under test by default",
                )
        others = {role: get_model(role=role, required=True) for role in self.arranged.roles}
        clients = {role: borrowed(one, self.arranged.options, shown=False) for role, one in others.items()}
        clients[name] = borrowed(model, self.arranged.options, shown=True)
        # The clients hold the models, so that no identity is taken again.
        key = (*map(id, (model, *others.values())), *(clients[one].serving for one in sorted(clients)))
        if key not in self._worlds:
            models = BorrowedModels(clients)
            many = config.model_copy(update={"repeats": MOST_REPEATS})
            self._worlds[key] = World(many, None, models=models, source=self._source)
        return self._worlds[key], name


def playing(stage: Stage) -> Solver:
    """The solver that plays the encounters of a stage."""

    @solver(name="encounter")
    def encounter() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            token, sample = SAMPLE.set(state), (state.sample_id, state.epoch)
            stage.ended[sample] = False
            try:
                why = await _played(stage, state)
            except InfrastructureFault as fault:
                raise (fault.__cause__ or fault) from None
            finally:
                SAMPLE.reset(token)
            if why:
                raise Unscored(why)
            stage.ended[sample] = True
            return state

        return solve

    result: Solver = encounter()
    return result


async def _played(stage: Stage, state: TaskState) -> str:
    """Play a sample, and write its record into its store. Returns why it may not be scored."""
    world, name = stage.world()
    place, repeat = state.metadata[PLACE], state.epoch - 1
    row = place * MOST_REPEATS + repeat
    ended_episode = await world.play(row)
    protocol, episode = world.config.plays, world.episode(row)
    why = why_unscored(ended_episode.trace, protocol.under_test)
    state.store.set(
        STORED,
        {
            **of_played(ended_episode),
            "place": place,
            "repeat": repeat,
            "case": episode.case.content_hash,
            "player": name,
            "serving": world.serving(name).decode(),
            "roles": {role: world.serving(role).decode() for role in stage.arranged.roles},
            "unscored": why,
            "measures": {} if why else values(protocol, episode, ended_episode),
        },
    )
    state.completed = True
    return why


def values(protocol: Protocol, episode: Episode, ended_episode: EndedEpisode) -> dict[str, Any]:
    """The value of each measure in Inspect's table; `None` is unscored, a pair the part and the whole of a
    ratio of sums."""
    row = EpisodeRow(
        episode.ordinal,
        ended_episode.key,
        episode.case.content_hash,
        episode.case.id,
        *ended_episode.trace.outcome,
        0,
        0,
    )
    body, case = from_json(ended_episode.judgement), episode.case
    judged = None if protocol.judgement is None else protocol.judgement(lambda: case, body)
    scored = Scored(row, body, lambda: ended_episode.trace, judged)
    return {one.name: _plain(one, one.of(scored)) for one in tabled(protocol)}


def tabled(protocol: Protocol) -> list[Measure]:
    """The measures in Inspect's table. A cost per success is left out: an encounter without a success has no
    value of its own, and yet it counts."""
    return [one for one in protocol.measures if one.interval != "per success"]


def _plain(measure: Measure, value: Value) -> float | list[float] | None:
    if isinstance(value, Ratio):
        return [value.part, value.whole] if measure.ratio and value.whole > 0 else None
    return value
