"""Play one episode from instances: no names, no registry, no store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

import osler
from osler.cases.model import Case
from osler.encounter.consultation import PROTOCOL, Consultation, Settings
from osler.encounter.table import Recorder, Table
from osler.encounter.trace import ExchangeRow, Outcome, Trace
from osler.errors import Diverged, Status
from osler.judging.judge import judge
from osler.judging.scores import judgement_json
from osler.knowledge import fingerprint
from osler.seats.contract import Player
from osler.seats.events import Seat
from osler.seats.patient import Persona

Cast = Mapping[Seat, Player]


@dataclass(frozen=True, slots=True)
class Episode:
    """One case, one persona, one seed, one protocol: what is played, whoever plays.

    A branch names in `kept` what it keeps of another episode. `reseeded` are (exchange, seed): from the next
    exchange on, random numbers come from that seed as well.
    """

    ordinal: int
    case: Case
    persona: Persona
    settings: Settings
    seed: str
    kept: str = ""
    reseeded: tuple[tuple[int, str], ...] = ()

    @property
    def world(self) -> str:
        """A hash of all that does not depend on the player under test: two doctors on it are a pair."""
        parts = (self.case.content_hash, self.persona.model_dump_json(), self.settings.unknown, self.seed)
        return _digest(*parts)

    @property
    def worlds_after(self) -> tuple[tuple[int, str], ...]:
        """(exchange, world) for each step of `reseeded`; each world depends on those before it."""
        return worlds_after(self.world, self.reseeded)

    def key(self, cast: Cast) -> str:
        """A hash of everything that determines the episode."""
        names = [f"{seat}={_identity(cast[seat])}" for seat in sorted(cast)]
        settings = self.settings.model_dump_json()
        branch = [self.kept, *(f"{after}/{seed}" for after, seed in self.reseeded)] if self.kept else []
        return _digest(self.world, PROTOCOL, osler.__version__, fingerprint(), settings, *names, *branch)

    async def play(
        self, cast: Cast, onward: Recorder | None = None, recorded: Sequence[ExchangeRow] = ()
    ) -> Trace:
        """See `play`."""
        return await play(self, cast, onward, recorded)

    def judged(self, trace: Trace) -> tuple[str, str, str]:
        """What the built-in judge says of it: grader, version and the judgement as JSON text."""
        found = judge(self.case, trace, options_shown=self.settings.options == "shown")
        return found.grader, found.version, judgement_json(found)


@dataclass(slots=True)
class Keeping:
    """A recorder that keeps the rows it passes on."""

    onward: Recorder | None = None
    rows: list[ExchangeRow] = field(default_factory=list)

    def exchange(self, row: ExchangeRow) -> None:
        self.rows.append(row)
        if self.onward:
            self.onward.exchange(row)

    async def flush(self) -> None:
        if self.onward:
            await self.onward.flush()


async def play(
    episode: Episode,
    cast: Cast,
    onward: Recorder | None = None,
    recorded: Sequence[ExchangeRow] = (),
) -> Trace:
    """Play an episode to its end and return its whole trace.

    `recorded` exchanges of an earlier sitting are not asked again. A record that no longer fits ends as
    `diverged`, with the record kept. Raises InfrastructureFault, which ends nothing.
    """
    keeping = Keeping(onward, list(recorded))
    table = Table(
        cast,
        keeping,
        world=episode.world,
        recorded=recorded,
        max_attempts=episode.settings.max_attempts,
        reseeded=episode.worlds_after,
    )
    consultation = Consultation(
        table,
        episode.case,
        episode.settings,
        episode.persona,
        has_consultant="consultant" in cast,
        has_describer="describer" in cast,
    )
    try:
        outcome = await consultation.play()
    except Diverged as error:
        kept = len(recorded)
        outcome = Outcome(Status.DIVERGED, str(error), 0, 0, 0, 0, kept, "[]")
        return Trace(tuple(recorded), outcome)
    return Trace(tuple(keeping.rows), outcome)


def worlds_after(world: str, reseeded: Sequence[tuple[int, str]]) -> tuple[tuple[int, str], ...]:
    """(exchange, world) for each (exchange, seed), each world depending on those before it."""
    found = []
    for after, seed in reseeded:
        world = _digest(world, str(after), seed)
        found.append((after, world))
    return tuple(found)


def _identity(player: Player) -> str:
    """A player's name, and the hash of what decides its answers where it has one (a model's prompt)."""
    return f"{player.name}#{getattr(player, 'fingerprint', '')}"


def _digest(*parts: str) -> str:
    return blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()
