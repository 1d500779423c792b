"""A study played: each condition a run of its own, found again and gone on with by the same command.

All conditions meet the same worlds (case, patient, cohort, seed), so they are compared pair by pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b
from typing import Any, Final, Literal, NamedTuple

from pydantic import ValidationError
from pydantic_core import to_json

from osler.core.config import Config
from osler.core.factory import Asked
from osler.core.role import MEMORY
from osler.errors import BadInput
from osler.judging.pairing import Difference, holm
from osler.reports.consulting import ConsultingSummary
from osler.reports.teaching import TeachingSummary
from osler.seats.contract import Player
from osler.seats.events import Frozen
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies import runs
from osler.studies.build import RunConfig
from osler.studies.round_config import RoundConfig
from osler.studies.study.comparing import Kind
from osler.studies.study.design import Protocol, Study
from osler.studies.study.learning import learnt, memory_from, remembered, second_attempts
from osler.studies.study.of_consultations import CONSULTATIONS
from osler.studies.study.of_rounds import ROUNDS

KINDS: Final[Mapping[Protocol, Kind]] = {"ward_round": ROUNDS, "consultation": CONSULTATIONS}
AS_NAMED: Final = "as named"
"""The doctor who was named for the study, as a level of the factor `doctor`; "+cot" is that one with it."""
NO_BIAS: Final = "none"


class Contrast(Frozen):
    """`figure` of `condition` minus that of `against`, over the worlds both could score. `p_holm` is adjusted
    over all secondary contrasts; the primary one has none."""

    figure: str
    condition: str
    against: str
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None = None
    n_pairs: int
    cases: int
    unscored: int


class StudyResult(Frozen):
    """What a study found. `conditions` are summaries by condition, `runs` the runs behind them."""

    study: str
    title: str
    question: str
    note: str = ""
    cases: str
    primary: Contrast
    conditions: dict[str, TeachingSummary | ConsultingSummary]
    contrasts: tuple[Contrast, ...]
    runs: dict[str, str]
    status: Literal["done", "paused", "interrupted"]
    why: str = ""


class Given(NamedTuple):
    """What whoever runs a study decides, in every condition alike. `doctor` is for consultations only."""

    cases: str = "library"
    format: str = "auto"
    seed: int = 0
    repeats: int = 1
    limit: int | None = None
    doctor: str = "baseline"


Sit = Callable[[str, Any, Callable[[Any, Any], RunInfo]], runs.Sitting]
"""Plays one condition: its name, its configuration, and a function that finds or begins its run."""


_NOT_A_CONDITION: Final = frozenset({*Given._fields, "only", "branch", "models"} - {"doctor"})


def conditions(study: Study, given: Given) -> dict[str, Config]:
    """The configuration of every condition. Raises BadInput naming the condition that cannot be."""
    found: dict[str, Config] = {}
    for name, changes in study.all_conditions().items():
        merged = {**study.base, **changes}
        if fixed := sorted(_NOT_A_CONDITION & merged.keys()):
            mend = "leave it out; whoever runs the study decides it, for all conditions alike"
            raise BadInput(f"condition {name}: {fixed[0]} is no condition", where=study.name, mend=mend)
        both = [part.get("settings", {}) for part in (study.base, changes)]
        if all(isinstance(settings, dict) for settings in both):
            merged["settings"] = both[0] | both[1]
        try:
            found[name] = _config(study, merged, given, tuple(found))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise BadInput(f"condition {name}: {place}: {first['msg']}", where=study.name) from None
        except BadInput as error:
            raise BadInput(f"condition {name}: {error}", where=study.name) from None
    return found


def _config(study: Study, merged: dict[str, Any], given: Given, before: tuple[str, ...]) -> Config:
    decided = given._asdict()
    named = decided.pop("doctor")
    if study.protocol == "ward_round":
        config: Config = RoundConfig.model_validate(merged | decided)
        config.casting({"model": _only_named})
        return config
    doctor, bias = merged.get("doctor", AS_NAMED), merged.get("bias", NO_BIAS)
    merged["doctor"] = named if doctor == AS_NAMED else f"{named}{doctor}" if doctor[0] == "+" else doctor
    merged["bias"] = "" if bias == NO_BIAS else bias
    merged["memory"] = memory_from(merged.get("memory"), before)
    config = RunConfig.model_validate(merged | decided)
    config.casting({"model": _only_named, MEMORY: _only_named})
    return config


def _only_named(asked: Asked) -> Player:
    raise NotImplementedError(f"nobody is seated as {asked.seat} to check a study")


def run_study(study: Study, given: Given, store: Store, sit: Sit) -> StudyResult:
    """Play what is not done yet of every condition, and compare them. A condition that pauses ends the
    sitting; the same command goes on."""
    kind = KINDS[study.protocol]
    found: dict[str, Any] = {}
    names: dict[str, str] = {}
    again: dict[str, runs.Sitting] = {}
    for name, config in conditions(study, given).items():
        wanted = config
        if (source := remembered(study, name)) is not None and isinstance(config, RunConfig):
            first = store.run(names[source])
            if source not in again and (second := second_attempts(first, store)) is not None:
                label = f"{source}, again"
                again[source] = sit(label, second, _finder(study, label, store))
            attempted = again.get(source)
            if attempted is not None and attempted.status != "done":
                stopped: Any = attempted.status
                return _result(study, given, found, names, stopped, attempted.why)
            wanted = learnt(study, source, config, (first, attempted.run if attempted else None), store)
        sitting = sit(name, wanted, _finder(study, name, store))
        names[name] = sitting.run.name
        found[name] = kind.read(sitting.run, store)
        if sitting.status != "done":
            status: Any = sitting.status
            return _result(study, given, found, names, status, sitting.why)
    return _result(study, given, found, names, "done", "")


def _finder(study: Study, condition: str, store: Store) -> Callable[[Any, Any], RunInfo]:
    def find(config: Config, more: Any) -> RunInfo:
        """The run of this condition, begun before or now. `config` has its models written in."""
        source = runs.opened(config)
        parts = (study.name, condition, source.fingerprint, to_json(config.model_dump(mode="json")).decode())
        key = blake2b("\x1f".join(parts).encode(), digest_size=16).hexdigest()
        for run in store.runs():
            if run.manifest.get("study", {}).get("key") == key:
                return run
        about = {"study": {"name": study.name, "condition": condition, "key": key}}
        return runs.begin(config, store, more, source, about=about)

    return find


def _result(
    study: Study,
    given: Given,
    found: Mapping[str, Any],
    names: dict[str, str],
    status: Literal["done", "paused", "interrupted"],
    why: str,
) -> StudyResult:
    kind = KINDS[study.protocol]
    primary, figure = study.primary, kind.figure(study, found)
    secondary = list(_secondary(study, figure, found))
    adjusted = iter(holm([one.p for one in secondary if one.p is not None]))
    return StudyResult(
        study=study.name,
        title=study.title,
        question=study.question,
        note=study.note,
        cases=given.cases,
        primary=_contrast(kind, figure, primary.condition, primary.against, found),
        conditions={name: kind.summary(names[name], one) for name, one in found.items()},
        contrasts=tuple(
            one if one.p is None else one.model_copy(update={"p_holm": next(adjusted)}) for one in secondary
        ),
        runs=names,
        status=status,
        why=why,
    )


def _secondary(study: Study, primary_one: str, found: Mapping[str, Any]) -> Iterator[Contrast]:
    kind = KINDS[study.protocol]
    primary = (primary_one, study.primary.condition, study.primary.against)
    for name in found:
        for other in study.references_of(name):
            for figure in kind.compared:
                if other in found and (figure, name, other) != primary:
                    yield _contrast(kind, figure, name, other, found)


def _contrast(kind: Kind, figure: str, condition: str, against: str, found: Mapping[str, Any]) -> Contrast:
    """One comparison, on the worlds that both conditions met."""
    met = condition in found and against in found
    difference = kind.difference(figure, found[against], found[condition]) if met else Difference()
    return Contrast(
        figure=figure,
        condition=condition,
        against=against,
        value=difference.value,
        low=difference.low,
        high=difference.high,
        p=difference.p,
        n_pairs=difference.n_pairs,
        cases=difference.cases,
        unscored=difference.unscored,
    )
