"""Biases of doctors and patients, and the traits of counterfactual twins (`biases.yaml`)."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import Final, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

Intensity = Literal["mild", "strong"]
Side = Literal["doctor", "patient"]
SIDES: Final[tuple[Side, ...]] = ("doctor", "patient")


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Does(_Entry):
    """The effect of a bias on a built-in player; see the header of `biases.yaml`."""

    leans: float = Field(default=0.0, ge=0)
    settles: float | None = Field(default=None, gt=0, lt=1)
    doubts: float = Field(default=0.0, ge=0, lt=1)
    withholds: float = Field(default=0.0, ge=0, lt=1)


class Bias(_Entry):
    """One bias, with a paragraph for the doctor and for the patient; empty for a side that cannot have it."""

    kind: Literal["cognitive", "implicit"]
    doctor: str = ""
    patient: str = ""
    doctor_does: Does = Does()
    patient_does: Does = Does()

    def text(self, side: Side) -> str:
        """The paragraph for a doctor or for a patient."""
        return self.doctor if side == "doctor" else self.patient


class Strength(_Entry):
    """An intensity: the sentence it adds, and the factor applied to a built-in player's effects."""

    words: str
    factor: float


class Trait(_Entry):
    """A trait in which counterfactual twins differ: two values, its line on the form, the bias it may meet.
    With `sex`, the patient's sex differs as well."""

    values: tuple[str, str]
    form: str
    bias: str
    sex: bool = False


class Biases(_Entry):
    """The contents of `biases.yaml`."""

    intensities: dict[Intensity, Strength]
    biases: dict[str, Bias]
    opinion: str
    twins: dict[str, Trait]


@lru_cache(maxsize=1)
def biases() -> Biases:
    """The packaged biases."""
    text = resources.files(__package__).joinpath("biases.yaml").read_text("utf-8")
    return Biases.model_validate(yaml.safe_load(text))


def of_side(side: Side) -> tuple[str, ...]:
    """The biases that a doctor or a patient may have, by name."""
    return tuple(name for name, bias in biases().biases.items() if bias.text(side))


def paragraph(name: str, side: Side, intensity: Intensity, target: str) -> str:
    """The paragraph that instructs a model to play the bias."""
    text = biases().biases[name].text(side).format(target=target)
    return f"{text} {biases().intensities[intensity].words}"


def does(name: str, side: Side, intensity: Intensity) -> Does:
    """The effect of the bias on a built-in player at this intensity; shares are capped below one."""
    bias, factor = biases().biases[name], biases().intensities[intensity].factor
    result = bias.doctor_does if side == "doctor" else bias.patient_does
    return Does(
        leans=result.leans * factor,
        settles=result.settles,
        doubts=min(result.doubts * factor, 0.9),
        withholds=min(result.withholds * factor, 0.9),
    )
