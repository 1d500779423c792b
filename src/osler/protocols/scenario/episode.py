"""Play one scenario from instances: no names, no registry, no store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from osler.cases.scenarios.model import Scenario
from osler.core.episode import Cast, Episode
from osler.core.table import Recorder
from osler.core.trace import ExchangeRow, InnerRow, Trace
from osler.knowledge.vocabulary import Persona
from osler.protocols.scenario.story import PROTOCOL, ScenarioSettings


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
