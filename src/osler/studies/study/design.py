"""The design of a study as data: its question, its conditions, and its primary endpoint.

Conditions are named sets of changes to a run's configuration, or every combination of some factors' levels.
A study has one primary endpoint, declared before anything is played; every other comparison is secondary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

import yaml
from pydantic import Field, ValidationError, field_validator, model_validator

from osler.core.events import Frozen
from osler.core.measure import Measure
from osler.core.names import MARK
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named
from osler.errors import BadInput, NotAllowed
from osler.players.admission import OTHERS, check_name
from osler.runs.effort import EFFORT

LONGEST: Final = 100_000
JUDGED: Final = "judged_"
AS_NAMED: Final = "as named"
"""The level for the player that the command names for the seat; "+cot" is that player with the wrapper."""
SEATS: Final = "seats"
DATA: Final = "data"
"""The folder of the data set that a condition's player was trained on."""
CONDITION: Final = "condition"
"""The factor that a study's conditions become where several players are named for a seat."""
SLASH: Final = "/"
"""Between the levels in the name of a condition."""


Changes = dict[str, Any]
"""The changes of a condition to a run's configuration, by field."""


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
    condition, beside any of `reference`; without either, the reference is that of the primary comparison.

    The levels of a factor are values of its field, or changes by name (`{no thought: {settings: {...}}}`).
    `given` are the factors whose levels the command may name instead, and the seats that it may fill with
    several players although some conditions name one (`under_study`). `figures` are those of the first table
    and of the comparisons, if they are not the protocol's; `unjudged` names the measure that stands in for a
    judge's mark where no model judges (`settled`). The `seats` of a condition are the players of seats that
    it leaves open, its `data` is the folder of the data set that its player was trained on.

    `judge` names the model judge of its runs, if the command names none (`model:NAME`). `sets` maps names to
    sets of cases on which the whole study is played, one after the other, if the command names none.
    `scorecard` is the seat whose players' scorecards stand beside the figures, "" for none.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,40}$")
    title: str
    question: str
    note: str = ""
    protocol: str = "ward_round"
    base: dict[str, Any] = Field(default_factory=dict)
    seats: dict[str, str] = Field(default_factory=dict)
    conditions: dict[str, Changes] = Field(default_factory=dict)
    factors: dict[str, tuple[Any, ...] | dict[str, Changes]] = Field(default_factory=dict)
    reference: dict[str, Any] | tuple[dict[str, Any], ...] = Field(default_factory=dict)
    against: dict[str, str] = Field(default_factory=dict)
    judge: str = ""
    sets: dict[str, str] = Field(default_factory=dict)
    given: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    unjudged: dict[str, str] = Field(default_factory=dict)
    scorecard: str = ""
    primary: Primary

    @field_validator("given", mode="before")
    @classmethod
    def _one_or_several(cls, names: Any) -> Any:
        return (names,) if isinstance(names, str) else names

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
        if unknown := [factor for one in self.references for factor in one if factor not in self.factors]:
            raise ValueError(f"reference: there is no factor {unknown[0]!r}")
        known = {*self.factors, *(role.name for role in protocol_named(self.protocol).roles)}
        if unknown := [name for name in self.given if name not in known]:
            raise ValueError(f"given: there is no factor and no seat {unknown[0]!r}")
        scored = [role.name for role in protocol_named(self.protocol).roles if role.scorecard is not None]
        if self.scorecard and self.scorecard not in scored:
            there = ", ".join(scored) or "none"
            raise ValueError(f"scorecard: the {self.scorecard} has none; these seats have one: {there}")
        return self

    def _check_figures(self) -> None:
        try:
            protocol = self.plays
        except BadInput as error:
            raise ValueError(str(error)) from None
        known = {name for one in protocol.measures for name in (one.name, *one.aliases)}
        known |= {one.name for one in marks_of(protocol)}
        pairs = [("primary", figure) for figure in (self.primary.figure, self.primary.otherwise) if figure]
        pairs += [("figures", figure) for figure in self.figures]
        pairs += [("unjudged", figure) for figure in (*self.unjudged, *self.unjudged.values())]
        for field, figure in pairs:
            if figure not in known:
                there = ", ".join(one.spoken for one in (*protocol.measures, *marks_of(protocol)))
                raise ValueError(f"{field}: a {protocol.one} has no figure {figure!r}; there are: {there}")

    @property
    def plays(self) -> Protocol:
        """Return its protocol, with those measures of effort that its figures name."""
        protocol = protocol_named(self.protocol)
        wanted = {self.primary.figure, self.primary.otherwise, *self.figures}
        there = {one.name for one in protocol.measures}
        added = tuple(one for one in EFFORT if one.name in wanted - there)
        return replace(protocol, measures=(*protocol.measures, *added)) if added else protocol

    @property
    def needs_judge(self) -> str:
        """The figure of the primary comparison that only a model judge gives, "" if there is none."""
        marks = {one.name for one in marks_of(protocol_named(self.protocol))}
        return next((one for one in (self.primary.figure, self.primary.otherwise) if one in marks), "") or ""

    def settled(self, *, judged: bool) -> Study:
        """Return the study as it is compared where a model judges, or where none does: then the stand-ins
        take the places of the judge's marks."""
        if judged:
            return self
        figures = tuple(dict.fromkeys(self.unjudged.get(figure, figure) for figure in self.figures))
        figure = self.unjudged.get(self.primary.figure, self.primary.figure)
        primary = self.primary.model_copy(update={"figure": figure})
        return self.model_copy(update={"figures": figures, "primary": primary})

    def levels(self) -> dict[str, dict[str, str]]:
        """Return the level of each factor in words, by condition of the factorial design."""
        return {name: {factor: one.said for factor, one in held.items()} for name, held in self._crossed()}

    def all_conditions(self) -> dict[str, Changes]:
        """Return every condition with its changes, factorial ones first, named by levels with slashes."""
        crossed = dict(self._crossed())
        result = {name: merged(*(one.changes for one in held.values())) for name, held in crossed.items()}
        for name, changes in result.items():
            if (learns := learns_from(changes)) and learns not in result | self.conditions:
                # The name of a condition as the study's file has it: the one with this player, too.
                here = {factor: one.said for factor, one in crossed[name].items()}
                result[name] = learning_from(changes, SLASH.join({**here, CONDITION: learns}.values()))
        return result | self.conditions

    def _crossed(self) -> list[tuple[str, dict[str, _Level]]]:
        """The conditions of the factorial design by name, each with its level of every factor."""
        if not self.factors:
            return []
        pairs = []
        for chosen in product(*(_levels(factor, given) for factor, given in self.factors.items())):
            held = dict(zip(self.factors, chosen, strict=True))
            pairs.append((SLASH.join(one.said for one in chosen), held))
        return pairs

    def references_of(self, name: str) -> tuple[str, ...]:
        """Return the conditions that a condition is compared with; none for a reference itself."""
        others = [self.against[name]] if name in self.against else []
        if name not in self.conditions and self.factors:
            levels = self.levels()
            for one in self.references if self.reference or not self.against else ():
                wanted = {**levels[name], **{factor: said(level) for factor, level in one.items()}}
                others.append(next((n for n, held in levels.items() if held == wanted), self.primary.against))
        elif not self.against:
            others = [self.primary.against]
        return tuple(other for other in dict.fromkeys(others) if other != name)

    @property
    def references(self) -> tuple[dict[str, Any], ...]:
        """Return the reference levels by factor, one after the other."""
        return (self.reference,) if isinstance(self.reference, dict) else self.reference


class _Level(NamedTuple):
    """A level of a factor: its name in the condition's, and what it changes."""

    said: str
    changes: Changes


def _levels(factor: str, given: tuple[Any, ...] | Mapping[str, Changes]) -> list[_Level]:
    if isinstance(given, Mapping):
        return [_Level(name, changes) for name, changes in given.items()]
    return [_Level(said(value), {factor: value}) for value in given]


def merged(*parts: Changes) -> Changes:
    """Return the changes of several parts as one; their settings and their seats are joined, and else the
    last one counts."""
    changes: Changes = {}
    for part in parts:
        both = {
            name: changes[name] | part[name]
            for name in ("settings", SEATS)
            if isinstance(changes.get(name), dict) and isinstance(part.get(name), dict)
        }
        changes = {**changes, **part, **both}
    return changes


def data_sets(study: Study) -> dict[str, str]:
    """Return the folder of the data set that each condition names, by condition. Raises BadInput for what is
    no folder's name."""
    named = {name: changes[DATA] for name, changes in study.all_conditions().items() if DATA in changes}
    if odd := next((name for name, folder in named.items() if not (isinstance(folder, str) and folder)), ""):
        raise BadInput(f"condition {odd}: data names no folder", where=study.name, hint="data=DIR")
    return named


def learns_from(changes: Changes) -> str:
    """Return the condition that a condition's memory learns from, "" without one."""
    memory = changes.get("memory")
    return str(memory.get("from", "")) if isinstance(memory, Mapping) else ""


def learning_from(changes: Changes, name: str) -> Changes:
    """Return the changes of a condition whose memory learns from another one."""
    return {**changes, "memory": {**changes["memory"], "from": name}}


def marks_of(protocol: Protocol) -> tuple[Measure, ...]:
    """Return the scores of a protocol's model judge as measures of a study; one that shares its name with a
    measure of the protocol is called `judged_NAME`."""
    return marks_beside(protocol, protocol.model_judge.marks if protocol.model_judge else ())


def marks_beside(protocol: Protocol, scores: Sequence[Measure]) -> tuple[Measure, ...]:
    """Return any judge's scores likewise."""
    taken = {name for one in protocol.measures for name in (one.name, *one.aliases)}
    return tuple(
        replace(one, name=f"{JUDGED}{one.name}", words=f"{one.words}, by the judge")
        if one.name in taken
        else one
        for one in scores
    )


@cache
def packaged() -> tuple[Study, ...]:
    """Return the studies that ship with Osler, sorted by name."""
    folder = files("osler.studies.study").joinpath("files")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".yaml"))
    return tuple(_read(folder.joinpath(name).read_text("utf-8"), name) for name in names)


def study_named(name: str, *, allow_code: bool = False) -> Study:
    """Return a packaged study by name, or the one in a YAML file. Raises BadInput, and unless `allow_code`
    NotAllowed for a file whose players are code, are read from files, or make very many calls."""
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
    study = _read(text, name)
    if not allow_code:
        _check_players(study, name)
    return study


def _check_players(study: Study, where: str) -> None:
    """Raise NotAllowed for a player that a file may not name: whoever wrote it would run code here."""
    protocol = protocol_named(study.protocol)
    for seat, full in _named(study, protocol):
        try:
            check_name(protocol, seat, full, OTHERS)
        except BadInput as error:
            what = f"{seat}: a study's file does not name {full[:60]!r}: {error.what}"
            hint = "name it with --seat; or, if the file is your own, --allow-code"
            raise NotAllowed(what, where=where, hint=hint) from None


def _named(study: Study, protocol: Protocol) -> Iterator[tuple[str, str]]:
    """The players that a study names, by seat; wrappers alone are put around whoever the command names."""
    every = (study.base, *study.all_conditions().values())
    seats = (changes.get(SEATS) for changes in every)
    for changes in (study.seats, *every, *(one for one in seats if isinstance(one, Mapping))):
        for role in (role for role in protocol.roles if role.name in changes):
            value = changes[role.name]
            for full in map(str, value if isinstance(value, list | tuple) else [value]):
                if full != AS_NAMED:
                    yield role.name, f"{role.default}{full}" if full.startswith(MARK) else full


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
