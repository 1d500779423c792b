"""A study played: each condition a run of its own, found again and gone on with by the same command.

All conditions meet the same worlds (case, patient, cohort, seed), so they are compared pair by pair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from pydantic import ValidationError
from pydantic_core import to_json

from osler.errors import BadInput
from osler.judging.pairing import Difference, holm, paired
from osler.judging.teaching.contrast import gain_difference
from osler.judging.teaching.outcomes import Part
from osler.judging.teaching.record import RoundJudgement
from osler.reports.teaching import TeachingSummary
from osler.seats.contract import Player
from osler.seats.events import Frozen
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies import runs
from osler.studies.build import Asked
from osler.studies.rejudging import judge_again
from osler.studies.round_config import RoundConfig
from osler.studies.rounds import Taught, summary_of, taught
from osler.studies.study.design import Figure, Study

_PARTS: Final[dict[str, Part]] = {
    "learning_gain": "siblings",
    "step_gain": "steps",
    "answer_gain": "case",
}
COMPARED: Final[tuple[Figure, ...]] = ("learning_gain", "step_gain", "leak_rate", "ets_proxy", "msm_proxy")
"""What every condition is compared on with its reference, the primary endpoint left out."""


class Contrast(Frozen):
    """`figure` of `condition` minus that of `against`, over the worlds both could score. `p_holm` is adjusted
    over all secondary contrasts; the primary one has none."""

    figure: Figure
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
    cases: str
    primary: Contrast
    conditions: dict[str, TeachingSummary]
    contrasts: tuple[Contrast, ...]
    runs: dict[str, str]
    status: Literal["done", "paused", "interrupted"]
    why: str = ""


class Given(NamedTuple):
    """What whoever runs a study decides, in every condition alike."""

    cases: str = "library"
    format: str = "auto"
    seed: int = 0
    repeats: int = 1
    limit: int | None = None


Sit = Callable[[str, RoundConfig, Callable[[RoundConfig, Any], RunInfo]], runs.Sitting]
"""Plays one condition: its name, its configuration, and a function that finds or begins its run."""


_NOT_A_CONDITION: Final = frozenset({*Given._fields, "only", "branch", "models"})


def conditions(study: Study, given: Given) -> dict[str, RoundConfig]:
    """The configuration of every condition. Raises BadInput naming the condition that cannot be."""
    found = {}
    for name, changes in study.all_conditions().items():
        merged = {**study.base, **changes}
        if fixed := sorted(_NOT_A_CONDITION & merged.keys()):
            mend = "leave it out; whoever runs the study decides it, for all conditions alike"
            raise BadInput(f"condition {name}: {fixed[0]} is no condition", where=study.name, mend=mend)
        both = [part.get("settings", {}) for part in (study.base, changes)]
        if all(isinstance(settings, dict) for settings in both):
            merged["settings"] = both[0] | both[1]
        try:
            found[name] = RoundConfig.model_validate(merged | given._asdict())
            found[name].casting({"model": _only_named})
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise BadInput(f"condition {name}: {place}: {first['msg']}", where=study.name) from None
        except BadInput as error:
            raise BadInput(f"condition {name}: {error}", where=study.name) from None
    return found


def _only_named(asked: Asked) -> Player:
    raise NotImplementedError(f"nobody is seated as {asked.seat} to check a study")


def run_study(study: Study, given: Given, store: Store, sit: Sit) -> StudyResult:
    """Play what is not done yet of every condition, and compare them. A condition that pauses ends the
    sitting; the same command goes on."""
    found: dict[str, Taught] = {}
    names: dict[str, str] = {}
    configs = conditions(study, given)
    for name, config in configs.items():
        sitting = sit(name, config, _finder(study, name, store))
        names[name] = sitting.run.name
        found[name] = _taught(sitting.run, store)
        if sitting.status != "done":
            status: Any = sitting.status
            return _result(study, given, found, names, status, sitting.why)
    return _result(study, given, found, names, "done", "")


def _taught(run: RunInfo, store: Store) -> Taught:
    """What a condition came to; where an earlier version of the judge has judged it, judged anew."""
    found = taught(run, store)
    if len(found.judgements) < sum(found.ended.values()):
        judge_again(run, store)
        found = taught(run, store)
    return found


def _finder(study: Study, condition: str, store: Store) -> Callable[[RoundConfig, Any], RunInfo]:
    def find(config: RoundConfig, more: Any) -> RunInfo:
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
    found: Mapping[str, Taught],
    names: dict[str, str],
    status: Literal["done", "paused", "interrupted"],
    why: str,
) -> StudyResult:
    primary, figure = study.primary, primary_figure(study, found)
    secondary = list(_secondary(study, figure, found))
    adjusted = iter(holm([one.p for one in secondary if one.p is not None]))
    return StudyResult(
        study=study.name,
        title=study.title,
        question=study.question,
        cases=given.cases,
        primary=contrast(figure, primary.condition, primary.against, found),
        conditions={name: summary_of(names[name], one, 0.0) for name, one in found.items()},
        contrasts=tuple(
            one if one.p is None else one.model_copy(update={"p_holm": next(adjusted)}) for one in secondary
        ),
        runs=names,
        status=status,
        why=why,
    )


def primary_figure(study: Study, found: Mapping[str, Taught]) -> Figure:
    """The figure of the primary endpoint: the one declared, or its stand-in where most sessions had no
    question that it is scored on."""
    primary = study.primary
    part = _PARTS.get(primary.figure)
    if primary.otherwise is None or part is None:
        return primary.figure
    sat = [one.outcomes for each in found.values() for one in each.judgements.values() if one.outcomes.scored]
    asked = sum(outcomes.before[part] is not None for outcomes in sat)
    return primary.otherwise if 2 * asked < len(sat) else primary.figure


def _secondary(study: Study, primary_one: Figure, found: Mapping[str, Taught]) -> Iterator[Contrast]:
    primary = (primary_one, study.primary.condition, study.primary.against)
    for name in found:
        other = study.reference_of(name)
        if other is None or other not in found:
            continue
        for figure in COMPARED:
            if (figure, name, other) != primary:
                yield contrast(figure, name, other, found)


def contrast(figure: Figure, condition: str, against: str, found: Mapping[str, Taught]) -> Contrast:
    """One comparison, on the worlds that both conditions met."""
    if condition not in found or against not in found:
        return _contrast(figure, condition, against, Difference())
    first, second = found[against].judgements, found[condition].judgements
    both = sorted(first.keys() & second.keys())
    one, other = [first[n] for n in both], [second[n] for n in both]
    part = _PARTS.get(figure)
    if part is not None:
        pairs = [_fair(figure, a, b) for a, b in zip(one, other, strict=True)]
        difference = gain_difference([a.outcomes for a, _ in pairs], [b.outcomes for _, b in pairs], part)
    else:
        cases = [each.outcomes.case for each in one]
        leaks = figure == "leak_rate"
        difference = paired(cases, _values(figure, one), _values(figure, other), share=leaks, marks=not leaks)
    return _contrast(figure, condition, against, difference)


def _fair(figure: str, *pair: RoundJudgement) -> tuple[RoundJudgement, ...]:
    """A gain on the case's own question leaves out what guidance gave away, on both sides of a pair."""
    if figure != "answer_gain" or not any(each.outcomes.named for each in pair):
        return pair
    return tuple(each._replace(outcomes=each.outcomes._replace(scored=False)) for each in pair)


def _values(figure: str, judgements: Sequence[RoundJudgement]) -> np.ndarray[Any, np.dtype[np.float64]]:
    values: list[float] = []
    for each in judgements:
        if figure == "leak_rate":
            value = float(each.outcomes.leak is not None) if each.outcomes.scored else None
        else:
            value = each.proxies[figure].value
        values.append(float("nan") if value is None else value)
    return np.array(values)


def _contrast(figure: Figure, condition: str, against: str, found: Difference) -> Contrast:
    return Contrast(
        figure=figure,
        condition=condition,
        against=against,
        value=found.value,
        low=found.low,
        high=found.high,
        p=found.p,
        n_pairs=found.n_pairs,
        cases=found.cases,
        unscored=found.unscored,
    )
