"""Episodes: one case, one seed and one protocol, played at a table and then judged."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, ClassVar, Generic, Protocol

from typing_extensions import TypeVar

import osler
from osler.core.composite import AnyPlayer, Cast
from osler.core.events import Seat
from osler.core.registry import protocol_named
from osler.core.table import Recorder, Table
from osler.core.trace import AskedRow, ExchangeRow, InnerRow, Outcome, Trace, trace_of
from osler.errors import BadInput, Diverged, EpisodeFault, Status
from osler.files import KNOWLEDGE, packaged_fingerprint


class Playable(Protocol):
    """A case, as far as an episode goes."""

    @property
    def content_hash(self) -> str:
        """The hash of everything in it that can be played."""
        ...


class Limited(Protocol):
    """The settings of an encounter, as far as every episode goes."""

    @property
    def max_attempts(self) -> int:
        """The attempts that a player has at a valid reply."""
        ...

    def model_dump_json(self) -> str:
        """All of them as JSON, which is part of an episode's key."""
        ...


PlayableT = TypeVar("PlayableT", bound=Playable, default=Any)
SettingsT = TypeVar("SettingsT", bound=Limited, default=Any)


class Episode(Generic[PlayableT, SettingsT]):
    """One encounter to be played, independent of its cast.

    A protocol's episodes are frozen dataclasses with these fields. `seed` seeds all random numbers. A branch
    gives in `kept` the digest of the prefix it keeps of its parent; `reseeded` are (exchange, seed): after
    that exchange, random numbers depend on that seed as well.

        >>> episode = osler.World(osler.configure(repeats=2)).episode(1)
        >>> episode.case.id, episode.seed, episode.settings.max_attempts
        ('cardiology-01', '0/1', 3)
    """

    __slots__ = ()
    protocol: ClassVar[str]
    ordinal: int
    case: PlayableT
    settings: SettingsT
    seed: str
    kept: str
    reseeded: tuple[tuple[int, str], ...]

    def setting(self) -> tuple[str, ...]:
        """The inputs of the world besides case and seed, as text: persona, cohort and the like."""
        return ()

    def beyond(self) -> tuple[str, ...]:
        """The inputs of the key beyond the world, the settings and the cast, as text."""
        return ()

    def world_case(self) -> str:
        """The case's contribution to the world: its content hash."""
        return self.case.content_hash

    @property
    def world(self) -> str:
        """A hash of everything that does not depend on the player under test: two players in the same world
        form a pair."""
        return digest(self.world_case(), *self.setting(), self.seed)

    def key(self, cast: Cast) -> str:
        """A hash of everything that determines the episode."""
        names = [f"{seat}={identity(cast[seat])}" for seat in sorted(cast)]
        branch = [self.kept, *(f"{after}/{seed}" for after, seed in self.reseeded)] if self.kept else []
        return digest(
            self.world,
            self.protocol,
            osler.__version__,
            packaged_fingerprint(*KNOWLEDGE),
            self.settings.model_dump_json(),
            *self.beyond(),
            *names,
            *branch,
        )

    def check(self, cast: Cast) -> None:
        """Raise BadInput if a required seat is empty."""
        for role in protocol_named(self.protocol).roles:
            if not role.optional and not any(role.seats_of(seat) for seat in cast):
                raise BadInput(f"nobody sits as {role.name}", where="cast")

    async def play(
        self,
        cast: Cast,
        onward: Recorder | None = None,
        recorded: Sequence[ExchangeRow] = (),
        inner: Sequence[InnerRow] = (),
    ) -> Trace:
        """Play to the end and return the whole trace.

        The `recorded` exchanges of an earlier session, and the `inner` ones of its composite players, are
        replayed rather than asked again. If the record no longer matches, the episode ends as `diverged` and
        the record is kept. Raises InfrastructureFault, which leaves the episode open, and BadInput for an
        empty seat.
        """
        self.check(cast)
        protocol = protocol_named(self.protocol)

        def story(table: Table) -> Awaitable[Outcome]:
            return protocol.story(table, self, cast)

        return await at_table(self, cast, story, protocol.under_test, onward, recorded, inner)

    def judged(self, trace: Trace) -> tuple[str, str, str]:
        """The verdict of the protocol's first judge: grader, version and the judgement as JSON text."""
        return protocol_named(self.protocol).judge(self, trace)


@dataclass(slots=True)
class TeeRecorder:
    """A recorder that passes rows on and also keeps them, like `tee`, without their calls."""

    onward: Recorder | None = None
    rows: list[ExchangeRow] = field(default_factory=list)
    inner_rows: list[InnerRow] = field(default_factory=list)

    def asked(self, row: AskedRow, *, at_once: bool) -> None:
        if self.onward:
            self.onward.asked(row, at_once=at_once)

    def exchange(self, row: ExchangeRow) -> None:
        self.rows.append(row._replace(calls=()) if row.calls else row)
        if self.onward:
            self.onward.exchange(row)

    def inner(self, row: InnerRow) -> None:
        self.inner_rows.append(row._replace(calls=()) if row.calls else row)
        if self.onward:
            self.onward.inner(row)

    async def flush(self) -> None:
        if self.onward:
            await self.onward.flush()


async def at_table(
    episode: Episode,
    cast: Cast,
    story: Callable[[Table], Awaitable[Outcome]],
    under_test: Seat,
    onward: Recorder | None,
    recorded: Sequence[ExchangeRow],
    inner: Sequence[InnerRow],
) -> Trace:
    """Play a story at a new table and return its trace; see `Episode.play`."""
    keeping = TeeRecorder(onward, list(recorded), list(inner))
    table = Table(
        cast,
        keeping,
        world=episode.world,
        recorded=recorded,
        recorded_inner=inner,
        under_test=under_test,
        max_attempts=episode.settings.max_attempts,
        reseeded=worlds_after(episode.world, episode.reseeded),
    )
    try:
        outcome = await story(table)
    except EpisodeFault as fault:
        ended = fault.outcome or Outcome(fault.status, str(fault), table.minute, 0, {}, "[]")
        ended = ended._replace(exchanges=len(keeping.rows))
        fault.trace = trace_of(keeping.rows, ended, keeping.inner_rows)
        raise
    except Diverged as error:
        outcome = Outcome(Status.DIVERGED, str(error), 0, len(recorded), {}, "[]")
        return trace_of(recorded, outcome, inner)
    # A question that a clock cut off was asked, and has no exchange.
    outcome = outcome._replace(exchanges=len(keeping.rows))
    return trace_of(keeping.rows, outcome, keeping.inner_rows)


def worlds_after(world: str, reseeded: Sequence[tuple[int, str]]) -> tuple[tuple[int, str], ...]:
    """Return (exchange, world) for each (exchange, seed); each world depends on the ones before it."""
    worlds = []
    for after, seed in reseeded:
        world = digest(world, str(after), seed)
        worlds.append((after, world))
    return tuple(worlds)


def identity(player: AnyPlayer) -> str:
    """A player's name and its fingerprint, if it has one: a hash of what determines its answers, such as a
    model's prompt."""
    return f"{player.name}#{getattr(player, 'fingerprint', '')}"


def digest(*parts: str) -> str:
    """32 hex digits (blake2b) over the parts, in order."""
    return blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class PlainEpisode(Episode[PlayableT, SettingsT]):
    """An episode of a protocol that needs nothing but a case, settings and a seed."""

    protocol: str  # type: ignore[misc]  # a field here, a constant of the class elsewhere
    ordinal: int
    case: PlayableT
    settings: SettingsT
    seed: str
    kept: str = ""
    reseeded: tuple[tuple[int, str], ...] = ()
