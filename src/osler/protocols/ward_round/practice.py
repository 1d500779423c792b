"""Ward rounds for practice: the limits of a person, and a stricter supervisor of one who teaches."""

from __future__ import annotations

from typing import Final

from osler.core.role import PERSON
from osler.protocols.ward_round.config import BASELINE, STRICT, RoundConfig

ATTEMPTS: Final = 10
"""A person who gives a move that is not allowed is told why and tries again; it should not end the round."""


def practice(config: RoundConfig) -> RoundConfig:
    """The configuration with the limits of a person, whose drafts the strict supervisor reads unless another
    was chosen."""
    settings = config.settings.model_copy(update={"max_attempts": ATTEMPTS})
    strict = {"supervisor": STRICT} if (config.tutor, config.supervisor) == (PERSON, BASELINE) else {}
    return config.model_copy(update={"settings": settings, **strict})
