"""A world: a configuration whose seat under test is played by the caller, like a gym environment. No store
is needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from osler.core.composite import AnyPlayer, Cast
from osler.core.config import Config
from osler.core.episode import Episode
from osler.core.events import Seat
from osler.core.factory import Factory
from osler.core.role import EXTERNAL, PERSON, Seating
from osler.core.source import Source
from osler.core.table import Recorder
from osler.core.trace import ExchangeRow, InnerRow
from osler.errors import BadInput
from osler.players.casting import casting_of, players_of
from osler.players.external import Desk
from osler.runs.batch import counted, stretches
from osler.runs.cached_source import KeptSource, placed
from osler.runs.played import EndedEpisode, played, to_its_end
from osler.runs.sitting import Sitting

_OUTSIDE = (EXTERNAL, PERSON)


class World:
    """The episodes of a configuration as rows: case after case, each with all its repeats.

    `seats` are taken from outside; without any named, those in which the configuration names `external` or
    `person`, else the one under test; with `None` nobody is outside. `models` are those opened for seats that
    name one, `more` adds players by name. For one event loop.

    Raises BadInput for a configuration that cannot be played.

        >>> import asyncio
        >>> world = osler.World(osler.configure(limit=2, repeats=3), seats=None)
        >>> len(world), asyncio.run(world.play(0)).trace.outcome.reason
        (6, 'concluded')
    """

    def __init__(
        self,
        config: Config,
        seats: Sequence[Seat] | None = (),
        *,
        models: Any = None,
        more: Mapping[str, Factory] | None = None,
        source: Source[Any] | None = None,
    ) -> None:
        named = [seat for seat, name in config.insides().items() if name in _OUTSIDE]
        wanted = () if seats is None else seats or (() if named else (config.plays.under_test,))
        self.config = config = config.seated(dict.fromkeys(wanted, EXTERNAL))
        config.check_seating(models)
        self._models = models
        self._source = placed(source or KeptSource(config.opened()), config)
        self._outside: Mapping[str, Factory] = {}
        given = {**players_of(Seating(config, models)), **(more or {})}
        self._casting = casting_of(config, {**given, **{name: self._seater(name) for name in _OUTSIDE}})
        self._ordinals: list[range] | None = None
        self._ready: tuple[int, Any] | None = None

    def __len__(self) -> int:
        """Return the number of rows; if the source does not know its size, the cases are read, once."""
        return sum(map(len, self._stretches()))

    def episode(self, row: int) -> Episode:
        """Return the episode of a row. Raises BadInput if there is no such row."""
        config, ordinal = self.config, self._ordinal(row)
        index = ordinal // config.repeats
        if self._ready is None or self._ready[0] != index:
            self._ready = index, config.ready(self._source.get(index))
        return config.episode(ordinal, self._ready[1], self._source)

    def serving(self, name: str) -> bytes:
        """Everything that determines the answers of `model:NAME`, as `Endpoint.serving`."""
        result: bytes = self._models.endpoint(name).serving
        return result

    async def close(self) -> None:
        """Close the connections of the models; a later question opens new ones."""
        if self._models is not None:
            await self._models.__aexit__(None, None, None)

    async def play(
        self,
        row: int,
        player: AnyPlayer | None = None,
        onward: Recorder | None = None,
        recorded: Sequence[ExchangeRow] = (),
        inner: Sequence[InnerRow] = (),
    ) -> EndedEpisode:
        """Play a row with a player in the external seats (`None` if there are none), and judge it; see
        `Episode.play`. Raises InfrastructureFault, which leaves the episode unended."""
        episode = self.episode(row)
        cast = self._cast(episode, dict.fromkeys(_OUTSIDE, lambda asked: player) if player else {})
        playing = episode.play(cast, onward, recorded, inner)
        return played(episode, cast, await to_its_end(playing, f"row {row}"))

    def sit(
        self,
        row: int,
        onward: Recorder | None = None,
        recorded: Sequence[ExchangeRow] = (),
        inner: Sequence[InnerRow] = (),
    ) -> Sitting:
        """Open a session in the external seats. What an earlier session recorded is not asked again; new rows
        go to the recorder `onward`."""
        desk, episode = Desk(), self.episode(row)
        cast = self._cast(episode, players_of(Seating(self.config, self._models, desk)))

        async def play(recorder: Recorder) -> EndedEpisode:
            playing = episode.play(cast, recorder, recorded, inner)
            return played(episode, cast, await to_its_end(playing, f"row {row}"))

        return Sitting(desk, play, onward)

    def _cast(self, episode: Episode, outside: Mapping[str, Factory]) -> Cast:
        self._outside = outside
        return self._casting.cast(episode.case)

    def _seater(self, name: str) -> Factory:
        return lambda request: self._outside[name](request)

    def _stretches(self) -> list[range]:
        if self._ordinals is None:
            rows = counted(self._source, self.config) * self.config.repeats
            self._ordinals = stretches(self._source, self.config, rows)
        return self._ordinals

    def _ordinal(self, row: int) -> int:
        left = row
        for stretch in self._stretches():
            if 0 <= left < len(stretch):
                return stretch[left]
            left -= len(stretch)
        text = f"there are {len(self)}, from 0"
        raise BadInput(f"there is no row {row}", where=self.config.cases, hint=text)
