"""Two runs compared on the worlds that both have played; what cannot be compared fairly is refused."""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from pydantic_core import from_json

from osler.core.names import taken_apart
from osler.errors import BadInput
from osler.judging.judge import GRADER, UNSCORED
from osler.judging.pairing import holm, paired, paired_per_success
from osler.reports.summary import PROPORTIONS, SHARES
from osler.seats.events import Frozen
from osler.store.rows import EpisodeRow, RunInfo
from osler.store.store import Store
from osler.studies.build import RunConfig
from osler.studies.runs import config_as, protocol_of

SIGN: Final = "second minus first"
COUNTED: Final = ("turns", "tests", "minutes", "cost")
"""Figures of an episode's outcome, which need no judge."""
PER_CORRECT: Final = "cost_per_correct"
PRIVILEGED: Final = frozenset({"oracle"})
_SEATS: Final = ("doctor", "patient", "examination", "consultant", "describer")
_PLAYERS: Final = (*_SEATS, "models", "moves", "ground", "second_reader", "say", "osler")
_SAME: Final = ("protocol", "knowledge")
_NAMED: Final = 5

World = tuple[str, str, str, str, int]


class Gap(Frozen):
    """The second run minus the first over the pairs scored in both, with its 95 % interval."""

    value: float | None
    low: float | None
    high: float | None
    n_pairs: int


class Compared(Frozen):
    """One score of two runs. `first_mean` and `second_mean` are over the same pairs as `difference`.

    `p_holm` is p adjusted for all further scores; the first score asked for is the primary one and has none.
    """

    score: str
    difference: Gap
    p: float | None
    p_holm: float | None
    equivalent: bool | None
    first_mean: float | None
    second_mean: float | None
    cases: int
    unscored: int
    bounds: tuple[float, float] | None


class Comparison(Frozen):
    """What two runs differ by. `scores` is empty where `refused` says why; `unpaired` episodes are of worlds
    that only one of them played, `differs` names what the second had instead of the first."""

    first: str
    second: str
    judge: str
    margin: float | None
    scores: tuple[Compared, ...]
    unpaired: int
    differs: dict[str, tuple[Any, Any]]
    refused: tuple[str, ...]


class _Played(NamedTuple):
    """A run as read: values by world (NaN is unscored), each case id's hash, and what was used to judge."""

    values: dict[World, array[float]]
    hashes: dict[str, str]
    versions: set[str]


def compare(
    first: RunInfo,
    second: RunInfo,
    store: Store,
    scores: Sequence[str] = ("correct",),
    *,
    grader: str = GRADER,
    margin: float | None = None,
) -> Comparison:
    """Compare two stored runs, pair by pair; the first of `scores` is the primary one, which `margin` is for.

    Raises BadInput where a score is unknown to the grader, or a run is not of consultations.
    """
    for run in (first, second):
        config_as(run, RunConfig)
    read = _columns(scores)
    one, other = (_played(run, store, read, grader) for run in (first, second))
    common = [world for world in one.values if world in other.values]
    refused = [
        *_unlike(first, second),
        *_privileged(first, second),
        *_other_branch(first, second),
        *_other_cases(one, other),
        *(_other_judges(first, second, one, other, grader) if set(read) - set(COUNTED) else ()),
    ]
    if not common and not refused:
        refused.append(_never_met(first, second))
    found: list[Compared] = []
    if not refused:
        cases = [world[0] for world in common]
        table = np.array([[*one.values[w], *other.values[w]] for w in common]).reshape(len(common), 2, -1)
        columns = {name: table[:, :, place] for place, name in enumerate(read)}
        margins = [margin, *[None] * (len(scores) - 1)]
        found = _adjusted(
            [_compared(name, cases, columns, m, grader) for name, m in zip(scores, margins, strict=True)]
        )
    return Comparison(
        first=first.name,
        second=second.name,
        judge=grader,
        margin=margin,
        scores=tuple(found),
        unpaired=len(one.values) + len(other.values) - 2 * len(common),
        differs=_differing(first, second, _PLAYERS),
        refused=tuple(refused),
    )


def worlds(run: RunInfo, rows: Iterator[EpisodeRow]) -> Iterator[tuple[World, EpisodeRow]]:
    """Each episode with its world: case, persona, policy for the unknown, seed, and which time it is there.

    Two are equal where `osler.studies.execute.Episode.world` is, which no store holds.
    """
    how = run.manifest["configuration"]
    seen: Counter[tuple[str, str]] = Counter()
    for row in rows:
        seed = f"{how['seed']}/{row.ordinal % how['repeats']}"
        case = sys.intern(row.case_hash)
        seen[case, seed] += 1
        yield (case, how["persona"], how["settings"]["unknown"], sys.intern(seed), seen[case, seed]), row


def _columns(scores: Sequence[str]) -> list[str]:
    wanted = [
        name for score in scores for name in (("cost", "correct") if score == PER_CORRECT else (score,))
    ]
    return list(dict.fromkeys(wanted))


def _played(run: RunInfo, store: Store, names: Sequence[str], grader: str) -> _Played:
    found = _Played({}, {}, set())
    judgements = (j for j in store.judgements(run.id) if j.grader == grader)
    judgement = next(judgements, None)
    for world, row in worlds(run, store.episodes(run.id)):
        while judgement is not None and judgement.ordinal < row.ordinal:
            judgement = next(judgements, None)
        judged: Mapping[str, Any] | None = None
        if judgement is not None and judgement.ordinal == row.ordinal:
            found.versions.add(judgement.version)
            judged = from_json(judgement.body)["scores"]
        found.values[world] = array("d", [_value(row, name, judged, grader) for name in names])
        found.hashes[row.case_id] = row.case_hash
    return found


def _value(row: EpisodeRow, name: str, judged: Mapping[str, Any] | None, grader: str) -> float:
    value: float | None = None
    if name in COUNTED:
        value = None if row.status in UNSCORED else getattr(row, name)
    elif judged is not None:
        if name not in judged:
            known = ", ".join(sorted({*judged, *COUNTED, PER_CORRECT}))
            raise BadInput(f"{grader} gives no score {name!r}", where="--score", mend=f"known: {known}")
        value = judged[name]["value"]
    return float("nan") if value is None else float(value)


def _compared(
    score: str, cases: Sequence[str], columns: Mapping[str, Any], margin: float | None, grader: str
) -> Compared:
    if score == PER_CORRECT:
        found = paired_per_success(cases, columns["cost"], columns["correct"], margin)
    else:
        both = columns[score]
        found = paired(cases, both[:, 0], both[:, 1], margin, is_share(score, grader))
    return Compared(
        score=score,
        difference=Gap(value=found.value, low=found.low, high=found.high, n_pairs=found.n_pairs),
        p_holm=None,
        first_mean=found.first,
        second_mean=found.second,
        **{name: getattr(found, name) for name in ("p", "equivalent", "cases", "unscored", "bounds")},
    )


def is_share(score: str, grader: str = GRADER) -> bool:
    """Whether a score lies between 0 and 1; all scores of a model judge do."""
    if score in COUNTED or score == PER_CORRECT:
        return False
    return grader != GRADER or score in PROPORTIONS | SHARES | {"brier"}


def _adjusted(found: list[Compared]) -> list[Compared]:
    """With Holm's p for all but the primary score; a score without p takes no part."""
    further = [place for place, one in enumerate(found) if place and one.p is not None]
    adjusted = holm([p for place in further if (p := found[place].p) is not None])
    for place, p in zip(further, adjusted, strict=True):
        found[place] = found[place].model_copy(update={"p_holm": p})
    return found


def _differing(first: RunInfo, second: RunInfo, names: Sequence[str]) -> dict[str, tuple[Any, Any]]:
    one, other = first.manifest["configuration"], second.manifest["configuration"]
    return {name: (one.get(name), other.get(name)) for name in names if one.get(name) != other.get(name)}


def _unlike(first: RunInfo, second: RunInfo) -> Iterator[str]:
    one, other = (_flat(run.manifest["configuration"]["settings"]) for run in (first, second))
    for name in sorted(one.keys() | other.keys()):
        if one.get(name) != other.get(name):
            yield (
                f"settings.{name} is {one.get(name)} in {first.name} and {other.get(name)} in {second.name}"
                " (play one again with the other's)"
            )
    for name, (mine, theirs) in _differing(first, second, _SAME).items():
        yield (
            f"{name} is {mine} in {first.name} and {theirs} in {second.name}"
            " (play the older one again with this Osler)"
        )


def _flat(settings: Mapping[str, Any]) -> dict[str, Any]:
    limits = {f"limits.{name}": value for name, value in settings["limits"].items()}
    return {name: value for name, value in settings.items() if name != "limits"} | limits


def _privileged(*runs: RunInfo) -> Iterator[str]:
    for run in runs:
        for seat in _SEATS:
            if (name := _privileged_player(run, seat)) is not None:
                yield (
                    f"the {seat} of {run.name} is privileged: {name} is handed the answer"
                    " (compare with a player that is not)"
                )


def _privileged_player(run: RunInfo, seat: str) -> str | None:
    """The privileged player who sat there, in what a branch has kept as well."""
    how = run.manifest["configuration"]
    named = {f"{seat}={how.get(seat)}", *(how.get("branch") or {}).get("kept_by", ())}
    role = protocol_of(run).role(seat)
    sat = {taken_apart(role, name).inside for name in named}
    return next((name for name in sorted(PRIVILEGED) if f"{seat}={name}" in sat), None)


def _other_branch(first: RunInfo, second: RunInfo) -> Iterator[str]:
    one, other = (run.manifest["configuration"].get("branch") for run in (first, second))
    if one == other:
        return
    told = " and ".join(f"{run.name} is {_branch_of(run)}" for run in (first, second))
    yield f"{told} (branches are compared only where they left the same episode at the same exchange)"


def _branch_of(run: RunInfo) -> str:
    parent = run.manifest.get("branch_of")
    return f"a branch of {parent['run']}:{parent['ordinal']} at {parent['at']}" if parent else "no branch"


def _other_cases(one: _Played, other: _Played) -> Iterator[str]:
    changed = sorted(i for i in one.hashes.keys() & other.hashes.keys() if one.hashes[i] != other.hashes[i])
    if changed:
        more = f" and {len(changed) - _NAMED} more" if len(changed) > _NAMED else ""
        yield (
            f"case {', '.join(changed[:_NAMED])}{more} is not the same case in both: other content hashes"
            " (play the older run again on the cases as they are now)"
        )


def _other_judges(
    first: RunInfo, second: RunInfo, one: _Played, other: _Played, grader: str
) -> Iterator[str]:
    option = "" if grader == GRADER else f" --judge {grader}"
    both = ((first, one), (second, other))
    missing = [run.name for run, played in both if played.values and not played.versions]
    for name in missing:
        mend = f"osler judge run {name}{option}"
        if grader.startswith("person:"):
            mend = "people's ratings come with osler rate import"
        yield f"{name} has not been judged by {grader} ({mend})"
    if not missing and len(one.versions | other.versions) > 1:
        told = ", ".join(f"{run.name} by {' and '.join(sorted(played.versions))}" for run, played in both)
        mend = "; ".join(f"osler judge run {run.name}{option}" for run, _ in both)
        yield f"{grader} judged {told}: versions differ ({mend})"


def _never_met(first: RunInfo, second: RunInfo) -> str:
    told = [
        f"{name} {mine} and {theirs}"
        for name, (mine, theirs) in _differing(first, second, ("cases", "persona", "seed", "repeats")).items()
    ]
    why = f": {'; '.join(told)}" if told else ""
    return (
        f"{first.name} and {second.name} have played no world in common{why}"
        " (play both on the same cases with the same persona and seed)"
    )
