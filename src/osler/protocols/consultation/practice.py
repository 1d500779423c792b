"""Consultations for practice: the limits of a person."""

from __future__ import annotations

from typing import Final

from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.settings import Limits, Settings

# A history in an examination of clinical skills has 40 to 60 questions, and "bloods" are three tests; the
# limits of `consult` are for benchmarks. Both are recorded in the run, and `compare` shows where they differ.
TURNS_OF_A_PERSON: Final = 200
TESTS_OF_A_PERSON: Final = 60
ATTEMPTS: Final = 10
"""A person who gives a move that is not allowed is told why and tries again; it should not end the case."""


def practice(
    config: RunConfig, turns: int = TURNS_OF_A_PERSON, tests: int | None = TESTS_OF_A_PERSON
) -> RunConfig:
    """The configuration with the limits of a person, at most `turns` turns and `tests` tests in a visit."""
    limits = Limits(max_turns=turns, max_tests_per_visit=tests)
    settings = Settings(
        limits=limits, options="shown", opening=config.settings.opening, max_attempts=ATTEMPTS
    )
    return config.model_copy(update={"settings": settings})
