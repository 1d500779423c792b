"""First steps for a complaint: what the built-in doctor asks and orders whatever it thinks of."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from importlib import resources
from typing import Final, Literal, NamedTuple

import yaml

_FILE: Final = "first_orders.yaml"


class FirstStep(NamedTuple):
    """A first step: the findings that call for it, for whom (in years, `below` not included), the question to
    ask ("" for none) and the orders, by names of the formulary."""

    seen: frozenset[str]
    order: tuple[str, ...]
    ask: str = ""
    sex: Literal["female", "male"] | None = None
    from_age: float = 0.0
    below: float = 200.0


def called_for(
    present: Collection[str], age: float | None, sex: Literal["female", "male"] | None
) -> Iterator[FirstStep]:
    """The first steps that a patient's findings call for, in order. A step restricted by age or sex is left
    out where the patient's is not known."""
    for step in first_steps():
        if step.sex not in (None, sex) or step.seen.isdisjoint(present):
            continue
        restricted = step.from_age > 0 or step.below < 200
        if not restricted or (age is not None and step.from_age <= age < step.below):
            yield step


@lru_cache(maxsize=1)
def first_steps() -> tuple[FirstStep, ...]:
    """All packaged first steps, in order."""
    text = resources.files("osler.knowledge").joinpath(_FILE).read_text("utf-8")
    held = yaml.safe_load(text)["steps"]
    return tuple(
        FirstStep(
            frozenset(one["seen"]),
            tuple(one["order"]),
            one.get("ask", ""),
            one.get("sex"),
            float(one.get("from", 0)),
            float(one.get("below", 200)),
        )
        for one in held
    )
