"""Doctors made of doctors, by name: `NAME+cot+ensemble:3` is the doctor NAME, made to think step by step,
three of which vote. Each `+` wraps what stands left of it.

`+memory` needs a memory to look into: whoever has one hands its factory over under "+memory".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from osler.cases.model import Case
from osler.core.factory import Asked, Factory
from osler.players.experience.cot import StepByStep
from osler.players.experience.discuss import Discussion
from osler.players.experience.ensemble import Ensemble
from osler.seats.composite import AnyPlayer
from osler.studies.endings import MARK, Endings, Named

__all__ = ["MARK", "MEMORY", "built", "check", "inside", "known", "taken_apart", "with_inside"]
MEMORY: Final = "+memory"
ENDINGS: Final = Endings(
    where="--doctor",
    plural="doctors",
    kind="doctor",
    around={
        "+cot": lambda doctor, _: StepByStep(doctor),
        "+ensemble": Ensemble,
        "+discuss": Discussion,
    },
    counted=frozenset({"+ensemble", "+discuss"}),
    given={MEMORY: "has no memory to look into; add --memory NAME, see: osler memory list"},
)


def known() -> tuple[str, ...]:
    """The endings that a doctor's name may have."""
    return ENDINGS.known()


def taken_apart(name: str) -> Named:
    """A doctor's name taken apart at its endings; a file's name may hold a `+` that begins none."""
    return ENDINGS.taken_apart(name)


def inside(name: str) -> str:
    """The doctor within a composite one: `model:NAME` of `model:NAME+cot`."""
    return ENDINGS.taken_apart(name).inside


def with_inside(name: str, other: str) -> str:
    """The same composite of another doctor, without a memory: what weighs a run without playing it."""
    return ENDINGS.with_inside(name, other)


def check(full: str, more: Mapping[str, Any]) -> Named:
    """A doctor's name taken apart. Raises BadInput for an ending that nobody knows or that does not fit."""
    return ENDINGS.check(full, more)


def built(
    doctor: AnyPlayer, around: tuple[tuple[str, str], ...], more: Mapping[str, Factory], case: Case
) -> AnyPlayer:
    """The composite doctor around this one."""
    for name, argument in around:
        if name in more:
            doctor = more[name](Asked("doctor", case, argument, doctor))
        else:
            doctor = ENDINGS.around[name](doctor, int(argument or 0))
    return doctor
