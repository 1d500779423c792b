"""The episode of a scenario: instances, where the configuration has names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from osler.cases.scenarios.model import Scenario
from osler.core.episode import Episode
from osler.knowledge.vocabulary import Persona
from osler.protocols.scenario.settings import PROTOCOL, ScenarioSettings


@dataclass(frozen=True, slots=True)
class ScenarioEpisode(Episode):
    """A scenario to be played: one script, one persona, one seed."""

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
