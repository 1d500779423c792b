"""A deliberately misspecified knowledge base, reproducible from its seed.

A built-in doctor who meets cases drawn from its own knowledge is flattered. Drawn from this one, they differ
from what it believes as real patients would: every probability is off, some findings that it counts on are
missing, others turn up that it does not know of, and the diseases are not as common as it thinks.
"""

from __future__ import annotations

from random import Random
from typing import Final

import numpy as np

from osler.knowledge.coherence import anyone
from osler.knowledge.conditions import Condition, Knowledge, Vector

SEED: Final = 20261121
LOGIT_SPREAD: Final = 1.0
"""Standard deviation of the noise added to the log odds of every listed finding."""
FORGOTTEN: Final = 0.15
"""Share of a disease's listed findings that are no likelier in it than in the median disease."""
UNHEARD_OF: Final = 2
"""Number of findings that each disease causes and the built-in knowledge does not list."""
UNHEARD_OF_CHANCE: Final = 0.4
"""The share of the disease's patients who have each of them."""
PRIOR_SPREAD: Final = 0.7
"""Standard deviation of the noise added to the logarithm of each disease's weight."""


def misspecified(knowledge: Knowledge, seed: int = SEED) -> Knowledge:
    """A knowledge base like `knowledge`, but wrong by the amounts above; the names stay the same."""
    rng = Random(seed)  # noqa: S311 - simulation, not secrecy
    leak = np.median(knowledge.present, axis=0)
    # Only what anyone may have: the mark of another disease would make a patient of two diseases.
    bland = {item.id for item in knowledge.findings if item.ask} & anyone(None)
    present = knowledge.present.copy()
    conditions = []
    for row, condition in enumerate(knowledge.conditions):
        listed = [knowledge.column[name] for name in condition.findings]
        others = [at for at, item in enumerate(knowledge.findings) if item.id in bland and at not in listed]
        for at in listed:
            odds = np.log(present[row, at] / (1 - present[row, at])) + rng.gauss(0, LOGIT_SPREAD)
            present[row, at] = leak[at] if rng.random() < FORGOTTEN else 1 / (1 + np.exp(-odds))
        for at in rng.sample(others, UNHEARD_OF):
            present[row, at] = max(present[row, at], UNHEARD_OF_CHANCE)
        conditions.append(_weighed(condition, rng))
    return Knowledge(tuple(conditions), _bounded(present))


def _weighed(condition: Condition, rng: Random) -> Condition:
    return condition.model_copy(update={"prior": condition.prior * float(np.exp(rng.gauss(0, PRIOR_SPREAD)))})


def _bounded(present: Vector) -> Vector:
    return np.clip(present, 0.002, 0.998)
