"""Balanced assignment by minimization, so that no trait is confounded with sex, age, work or another trait.

The method is that of clinical trials (Taves 1974; Pocock and Simon 1975): one person after another, in random
order, gets the level that is rarest so far among people who share each of their traits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random

Row = dict[str, str]


def assign(
    rows: Sequence[Row],
    factor: str,
    allowed: Callable[[Mapping[str, str]], Sequence[str]],
    luck: Random,
) -> None:
    """Write a level of `factor` into each row, balanced against every trait the rows already have.

    `allowed` gives the levels that a row may have, at least one; rows with the fewest choices come first. A
    trait with many values weighs more, since fewer people share each of them.
    """
    levels = [list(allowed(row)) for row in rows]
    kinds = Counter(trait for trait, _ in {pair for row in rows for pair in row.items()})
    crowd: Counter[tuple[str, str, str]] = Counter()
    order = list(range(len(rows)))
    luck.shuffle(order)
    order.sort(key=lambda place: len(levels[place]))
    for place in order:
        traits = [("", ""), *rows[place].items()]
        weights = [(trait, value, kinds[trait] or 1) for trait, value in traits]
        scored = [
            (
                sum(weight * crowd[trait, value, level] for trait, value, weight in weights),
                luck.random(),
                level,
            )
            for level in levels[place]
        ]
        chosen = min(scored)[2]
        crowd.update((trait, value, chosen) for trait, value in traits)
        rows[place][factor] = chosen
