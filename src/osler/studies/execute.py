"""Play one episode from instances: no names, no registry, no store."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Protocol

import osler
from osler.cases.model import Case
from osler.encounter.consultation import PROTOCOL, Consultation, Settings
from osler.encounter.table import Recorder, Table
from osler.encounter.trace import ExchangeRow, InnerRow, Outcome, Trace, trace_of
from osler.errors import Diverged, Status
from osler.judging.judge import judge
from osler.judging.scores import judgement_json
from osler.knowledge import fingerprint
from osler.seats.composite import AnyPlayer
from osler.seats.events import Seat
from osler.seats.patient import Persona

Cast = Mapping[Seat, AnyPlayer]


class _Settings(Protocol):
    @property
    def max_attempts(self) -> int: ...

    def model_dump_json(self) -> str: ...


class Seeded(Protocol):
    """What episodes of all protocols have: a world, settings, and where a branch left another episode."""

    @property
    def world(self) -> str: ...

    @property
    def settings(self) -> _Settings: ...

    @property
    def kept(self) -> str: ...

    @property
    def reseeded(self) -> tuple[tuple[int, str], ...]: ...


@dataclass(frozen=True, slots=True)
class Episode:
    """One case, one persona, one seed, one protocol: what is played, whoever plays.

    A branch names in `kept` what it keeps of another episode. `reseeded` are (exchange, seed): from the next
    exchange on, random numbers come from that seed as well. Twins, who are one patient but for a trait, share
    the world of `twin_of`.
    """

    ordinal: int
    case: Case
    persona: Persona
    settings: Settings
    seed: str
    kept: str = ""
    reseeded: tuple[tuple[int, str], ...] = ()
    twin_of: str = ""

    @property
    def world(self) -> str:
        """A hash of all that does not depend on the player under test: two doctors on it are a pair."""
        parts = (
            self.twin_of or self.case.content_hash,
            self.persona.model_dump_json(),
            self.settings.unknown,
            self.seed,
        )
        return digest(*parts)

    def key(self, cast: Cast) -> str:
        """A hash of everything that determines the episode."""
        twin = [self.case.content_hash] if self.twin_of else []
        return key_of(self, PROTOCOL, cast, *twin)

    async def play(
        self,
        cast: Cast,
        onward: Recorder | None = None,
        recorded: Sequence[ExchangeRow] = (),
        inner: Sequence[InnerRow] = (),
    ) -> Trace:
        """See `play`."""
        return await play(self, cast, onward, recorded, inner)

    def judged(self, trace: Trace) -> tuple[str, str, str]:
        """What the built-in judge says of it: grader, version and the judgement as JSON text."""
        found = judge(self.case, trace, options_shown=self.settings.options == "shown")
        return found.grader, found.version, judgement_json(found)


@dataclass(slots=True)
class Keeping:
    """A recorder that keeps the rows it passes on."""

    onward: Recorder | None = None
    rows: list[ExchangeRow] = field(default_factory=list)
    inner_rows: list[InnerRow] = field(default_factory=list)

    def exchange(self, row: ExchangeRow) -> None:
        self.rows.append(row)
        if self.onward:
            self.onward.exchange(row)

    def inner(self, row: InnerRow) -> None:
        self.inner_rows.append(row)
        if self.onward:
            self.onward.inner(row)

    async def flush(self) -> None:
        if self.onward:
            await self.onward.flush()


async def play(
    episode: Episode,
    cast: Cast,
    onward: Recorder | None = None,
    recorded: Sequence[ExchangeRow] = (),
    inner: Sequence[InnerRow] = (),
) -> Trace:
    """Play an episode to its end and return its whole trace.

    `recorded` exchanges of an earlier sitting, and the `inner` ones of its composite players, are not asked
    again. A record that no longer fits ends as `diverged`, with the record kept. Raises InfrastructureFault,
    which ends nothing.
    """

    def story(table: Table) -> Awaitable[Outcome]:
        consultation = Consultation(
            table,
            episode.case,
            episode.settings,
            episode.persona,
            has_consultant="consultant" in cast,
            has_describer="describer" in cast,
        )
        return consultation.play()

    return await at_table(episode, cast, story, "doctor", onward, recorded, inner)


async def at_table(
    episode: Seeded,
    cast: Cast,
    story: Callable[[Table], Awaitable[Outcome]],
    under_test: Seat,
    onward: Recorder | None,
    recorded: Sequence[ExchangeRow],
    inner: Sequence[InnerRow],
) -> Trace:
    """Have a story told at a table of its own; see `play`."""
    keeping = Keeping(onward, list(recorded), list(inner))
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
    except Diverged as error:
        outcome = Outcome(Status.DIVERGED, str(error), 0, len(recorded), {}, "[]")
        return trace_of(recorded, outcome, inner)
    return trace_of(keeping.rows, outcome, keeping.inner_rows)


def key_of(episode: Seeded, protocol: str, cast: Cast, *more: str) -> str:
    """A hash of everything that determines an episode; `more` is what its protocol adds."""
    names = [f"{seat}={identity(cast[seat])}" for seat in sorted(cast)]
    settings = episode.settings.model_dump_json()
    branch = [episode.kept, *(f"{after}/{seed}" for after, seed in episode.reseeded)] if episode.kept else []
    return digest(episode.world, protocol, osler.__version__, fingerprint(), settings, *more, *names, *branch)


def worlds_after(world: str, reseeded: Sequence[tuple[int, str]]) -> tuple[tuple[int, str], ...]:
    """(exchange, world) for each (exchange, seed), each world depending on those before it."""
    found = []
    for after, seed in reseeded:
        world = digest(world, str(after), seed)
        found.append((after, world))
    return tuple(found)


def identity(player: AnyPlayer) -> str:
    """A player's name, and the hash of what decides its answers where it has one (a model's prompt)."""
    return f"{player.name}#{getattr(player, 'fingerprint', '')}"


def digest(*parts: str) -> str:
    """32 hex digits over the parts in their order."""
    return blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()
