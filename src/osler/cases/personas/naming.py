"""First names, dealt evenly and blindly: only the sex decides which list a name comes from."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from osler.cases.personas.traits import names


def deal_names(sexes: Sequence[str], luck: Random) -> list[str]:
    """Deal each person a different first name; once all are used, names repeat with an initial."""
    dealt: dict[str, list[str]] = {}
    for sex in sorted(set(sexes)):
        pool = [name for place in names().values() for name in place[sex]]
        found: list[str] = []
        for round_ in range(-(-sexes.count(sex) // len(pool))):
            initial = f" {chr(ord('A') + round_ - 1)}." if round_ else ""
            found += [f"{name}{initial}" for name in luck.sample(pool, len(pool))]
        dealt[sex] = found[::-1]
    return [dealt[sex].pop() for sex in sexes]
