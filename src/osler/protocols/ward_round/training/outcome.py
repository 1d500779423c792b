"""The reward of a whole ward round: simulated learning gain, by sibling questions and by steps.

It is that of built-in students under the run's own theory of learning, or of whoever sat there. It is no
evidence about teaching people.
"""

from __future__ import annotations

from collections.abc import Mapping

from osler.training.reward.outcome import Outcome
from osler.training.reward.score import RewardOptions

LOWEST = -3.0
"""Of a round that the tutor broke off. A round that was played sums to -2 at least: a loss of 1 by each."""

CAUTION = (
    "Simulated gain of whoever sat as students, built-in ones under the theory of learning of their run: no"
    " evidence about people, nor about teaching. A policy learns that theory."
)


def _gains(figures: Mapping[str, float | None]) -> Mapping[str, float] | None:
    known = {name: max(-1.0, gain) for name, gain in figures.items() if gain is not None}
    return known or None


def outcome(options: RewardOptions) -> Outcome:
    """Open the reward."""
    return Outcome(("learning_gain", "step_gain"), _gains, LOWEST, caution=CAUTION)
