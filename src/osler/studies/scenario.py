"""Play one scenario from instances: no names, no registry, no store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from osler.cases.scenarios.model import Scenario
from osler.core.episode import Cast, Episode
from osler.encounter.scenario import PROTOCOL, ScenarioSettings
from osler.encounter.table import Recorder
from osler.encounter.trace import ExchangeRow, InnerRow, Trace
from osler.seats.patient import Persona


@dataclass(frozen=True, slots=True)
class ScenarioEpisode(Episode):
    """A scenario: one script, one persona, one seed."""

    protocol: ClassVar[str] = PROTOCOL
    ordinal: int
    case: Scenario
    persona: Persona
    settings: ScenarioSettings
    seed: str
    kept: str = ""
    reseeded: tuple[tuple[int, str], ...] = ()

    def setting(self) -> tuple[str, ...]:
        """Return the persona, and the policy for what the script does not specify."""
        return self.persona.model_dump_json(), self.settings.unknown


async def play_scenario(
    episode: ScenarioEpisode,
    cast: Cast,
    onward: Recorder | None = None,
    recorded: Sequence[ExchangeRow] = (),
    inner: Sequence[InnerRow] = (),
) -> Trace:
    """Play a scenario to its end; see `osler.core.episode.Episode.play`."""
    return await episode.play(cast, onward, recorded, inner)
