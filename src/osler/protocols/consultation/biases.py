"""Cognitive biases in a run: the player that has one, its target in the case, and the patients affected.

A bias is named `SIDE/NAME/INTENSITY`, such as `doctor/recency/strong`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np

from osler.cases.answers import reference_of
from osler.cases.model import Case
from osler.core.contract import rng
from osler.errors import BadInput
from osler.judging.diagnosis.judged import judged
from osler.knowledge.biases import SIDES, Intensity, Side, biases, of_side
from osler.knowledge.conditions import knowledge
from osler.protocols.consultation.twins import twin_named

_NEAREST: Final = 4


class Bias(NamedTuple):
    """A bias of a run: whose it is, its name, and its intensity."""

    side: Side
    name: str
    intensity: Intensity


def bias_named(text: str) -> Bias:
    """Parse `SIDE/NAME/INTENSITY`. Raises BadInput that lists the known ones."""
    side, _, rest = text.partition("/")
    name, _, intensity = rest.partition("/")
    if side not in SIDES:
        raise BadInput(
            f"{text!r} is not a bias", where="bias", hint="write doctor/NAME/mild or patient/NAME/strong"
        )
    known = of_side(side)
    if name not in known:
        raise BadInput(
            f"no bias of a {side} is called {name!r}", where="bias", hint=f"known: {', '.join(known)}"
        )
    if intensity not in biases().intensities:
        hint = f"one of: {', '.join(biases().intensities)}"
        raise BadInput(f"{intensity!r} is not an intensity", where="bias", hint=hint)
    return Bias(side, name, intensity)


def met_by(bias: Bias, twin: str) -> str:
    """Return the value of a twin's trait at which this bias is directed; "" if it affects every patient."""
    if not twin:
        return ""
    _, trait, _ = twin_named(twin)
    return trait.values[0] if trait.bias == bias.name else ""


def target_of(case: Case) -> str:
    """Return the target of a bias, a plausible wrong diagnosis: from the case's differential, else its
    options, else the known conditions most like it; one that the built-in doctor knows, if possible.

    Drawn by the case's id, so it is the same in every run."""
    result = list(_wrong(case, _listed(case))) or list(_wrong(case, _alike(case)))[:_NEAREST]
    result = [name for name in result if knowledge().find(name) is not None] or result
    return rng(case.id, "doctor", "what a bias leans to").choice(result) if result else "a virus infection"


def _wrong(case: Case, names: Iterator[str]) -> Iterator[str]:
    """Yield the names that are not equivalent to the right answer, each once."""
    answer, accepts = reference_of(case)
    diagnosis = case.diagnosis
    others = (*accepts, *((diagnosis.name, *diagnosis.synonyms) if diagnosis else ()))
    seen = set[str]()
    for name in names:
        if name not in seen and not judged(name, answer, others).right:
            seen.add(name)
            yield name


def _listed(case: Case) -> Iterator[str]:
    if case.diagnosis and case.diagnosis.alternatives:
        yield from (each.name for each in case.diagnosis.alternatives)
    elif case.task.kind == "diagnosis" and case.task.options:
        yield from case.task.options.values()


def _alike(case: Case) -> Iterator[str]:
    """Yield known conditions, those with findings most similar to the case's own diagnosis first; if that is
    not known, the most common at this age and sex."""
    conditions = knowledge().conditions
    row = knowledge().find(case.diagnosis.name if case.diagnosis else reference_of(case)[0])
    prior = np.exp(knowledge().prior(case.age_years, case.sex))
    score = prior if row is None else _likeness()[row] * (prior > prior.mean() / 20)
    for place in (-score).argsort(kind="stable"):
        if place != row:
            yield conditions[int(place)].name


@lru_cache(maxsize=1)
def _likeness() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return the cosine similarity of the findings of any two known conditions, after centring."""
    held = knowledge().present - knowledge().present.mean(axis=0)
    held = held / np.linalg.norm(held, axis=1, keepdims=True)
    likeness: np.ndarray[tuple[int, int], np.dtype[np.float64]] = held @ held.T
    return likeness
