"""Scenarios for practice: the limits of a person."""

from __future__ import annotations

from typing import Final

from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.scenario.settings import ScenarioSettings

TURNS_OF_A_PERSON: Final = 200
ATTEMPTS: Final = 10
"""A person who gives a move that is not allowed is told why and tries again: the station goes on."""


def practice(config: ScenarioConfig) -> ScenarioConfig:
    """The configuration with the limits of a person, who is told what kind of thing is awaited."""
    settings = ScenarioSettings(max_turns=TURNS_OF_A_PERSON, max_attempts=ATTEMPTS, tells_kind=True)
    return config.model_copy(update={"settings": settings})
