"""The design of a study as data: its question, its conditions, and its primary endpoint.

Conditions are named sets of changes to a run's configuration, or every combination of some factors' levels.
A study has one primary endpoint, declared before anything is played; every other comparison is secondary.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any, Final, Self

import yaml
from pydantic import Field, ValidationError, model_validator

from osler.core.events import Frozen
from osler.core.measure import Measure
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named
from osler.errors import BadInput

LONGEST: Final = 100_000
JUDGED: Final = "judged_"


class Primary(Frozen):
    """The primary endpoint: `figure` of `condition` minus that of `against`.

    `otherwise` replaces `figure` if most of the cases hold no question that `figure` is scored on. Which of
    the two is used depends on the cases alone, never on the results.
    """

    figure: str
    condition: str
    against: str
    otherwise: str | None = None


class Study(Frozen):
    """One study of a protocol. `note` is a caveat that must be shown with its figures, `base` the
    configuration common to every condition, `seats` the players of seats for which nobody else is named.

    `reference` is the reference level by factor: each condition is compared with the one that has this level,
    all other factors being equal; with a list, with each in turn. `against` names the reference condition by
    condition, and then no other condition has one; without either, the reference is that of the primary
    comparison.

    `judge` names the model judge of its runs, if the command names none (`model:NAME`). `sets` maps names to
    sets of cases on which the whole study is played, one after the other, if the command names none.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,40}$")
    title: str
    question: str
    note: str = ""
    protocol: str = "ward_round"
    base: dict[str, Any] = Field(default_factory=dict)
    seats: dict[str, str] = Field(default_factory=dict)
    conditions: dict[str, dict[str, Any]] = Field(default_factory=dict)
    factors: dict[str, tuple[Any, ...]] = Field(default_factory=dict)
    reference: dict[str, Any] | tuple[dict[str, Any], ...] = Field(default_factory=dict)
    against: dict[str, str] = Field(default_factory=dict)
    judge: str = ""
    sets: dict[str, str] = Field(default_factory=dict)
    primary: Primary

    @model_validator(mode="after")
    def _names_no_code(self) -> Self:
        for changes in (self.base, self.seats, *self.all_conditions().values()):
            for field, value in changes.items():
                named = value if isinstance(value, list | tuple) else [value]
                if any(str(name).startswith("python:") for name in named):
                    raise ValueError(f"{field}: a study's file names no code to run; give it as --seat")
        return self

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        names = self.all_conditions().keys()
        if len(names) < 2:
            raise ValueError("a study compares two conditions or more")
        for name in (self.primary.condition, self.primary.against):
            if name not in names:
                raise ValueError(f"primary: there is no condition {name!r}; there are: {', '.join(names)}")
        self._check_figures()
        if lost := [name for name in (*self.against, *self.against.values()) if name not in names]:
            raise ValueError(f"against: there is no condition {lost[0]!r}")
        if unknown := [factor for one in self._references for factor in one if factor not in self.factors]:
            raise ValueError(f"reference: there is no factor {unknown[0]!r}")
        return self

    def _check_figures(self) -> None:
        try:
            protocol = protocol_named(self.protocol)
        except BadInput as error:
            raise ValueError(str(error)) from None
        known = {name for one in protocol.measures for name in (one.name, *one.aliases)}
        known |= {one.name for one in marks_of(protocol)}
        for figure in (self.primary.figure, self.primary.otherwise):
            if figure is not None and figure not in known:
                there = ", ".join(one.spoken for one in (*protocol.measures, *marks_of(protocol)))
                raise ValueError(f"primary: a {protocol.one} has no figure {figure!r}; there are: {there}")

    @property
    def needs_judge(self) -> str:
        """The figure of the primary comparison that only a model judge gives, "" if there is none."""
        marks = {one.name for one in marks_of(protocol_named(self.protocol))}
        return next((one for one in (self.primary.figure, self.primary.otherwise) if one in marks), "") or ""

    def all_conditions(self) -> dict[str, dict[str, Any]]:
        """Return every condition with its changes, factorial ones first, named by levels with slashes."""
        levels = product(*self.factors.values()) if self.factors else ()
        crossed = {
            "/".join(map(said, chosen)): dict(zip(self.factors, chosen, strict=True)) for chosen in levels
        }
        return crossed | self.conditions

    def references_of(self, name: str) -> tuple[str, ...]:
        """Return the conditions that a condition is compared with; none for a reference itself."""
        conditions = self.all_conditions()
        if self.against:
            return (self.against[name],) if name in self.against else ()
        others = [self.primary.against]
        if name not in self.conditions and self.factors:
            asked = [{**conditions[name], **levels} for levels in self._references]
            others = [
                next((n for n, changes in conditions.items() if changes == wanted), self.primary.against)
                for wanted in asked
            ]
        return tuple(other for other in dict.fromkeys(others) if other != name)

    @property
    def _references(self) -> tuple[dict[str, Any], ...]:
        return (self.reference,) if isinstance(self.reference, dict) else self.reference


def marks_of(protocol: Protocol) -> tuple[Measure, ...]:
    """Return the scores of a protocol's model judge as measures of a study; one that shares its name with a
    measure of the protocol is called `judged_NAME`."""
    return marks_beside(protocol, protocol.marks)


def marks_beside(protocol: Protocol, scores: Sequence[Measure]) -> tuple[Measure, ...]:
    """Return any judge's scores likewise."""
    taken = {name for one in protocol.measures for name in (one.name, *one.aliases)}
    return tuple(
        replace(one, name=f"{JUDGED}{one.name}", words=f"{one.words}, by the judge")
        if one.name in taken
        else one
        for one in scores
    )


def packaged() -> tuple[Study, ...]:
    """Return the studies that ship with Osler, sorted by name."""
    folder = files("osler.studies.study").joinpath("files")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".yaml"))
    return tuple(_read(folder.joinpath(name).read_text("utf-8"), name) for name in names)


def study_named(name: str) -> Study:
    """Return a packaged study by name, or the one in a YAML file. Raises BadInput."""
    known = {study.name: study for study in packaged()}
    if name in known:
        return known[name]
    path = Path(name)
    if path.suffix not in (".yaml", ".yml"):
        hint = f"known: {', '.join(known)}; or name a .yaml file"
        raise BadInput(f"no study is called {name!r}", where="study", hint=hint)
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "is not written in UTF-8"
        raise BadInput(f"cannot be read: {why}", where=name) from None
    return _read(text, name)


def _read(text: str, where: str) -> Study:
    try:
        if len(text) > LONGEST:
            raise BadInput("is too long for a study", where=where)
        return Study.model_validate(yaml.safe_load(text))
    except yaml.YAMLError as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        place = f" at line {line + 1}" if line is not None else ""
        raise BadInput(f"is not valid YAML{place}", where=where) from None
    except RecursionError:
        raise BadInput("is nested too deeply for a study", where=where) from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "study"
        raise BadInput(f"{place}: {first['msg'].removeprefix('Value error, ')}", where=where) from None


def said(level: Any) -> str:
    """Format a level of a factor for the name of a condition."""
    return "+".join(map(str, level)) if isinstance(level, list | tuple) else str(level)
