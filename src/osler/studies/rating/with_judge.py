"""Agreement of a judge with people on an item, and the judge-corrected mean over all episodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Final, Literal, NamedTuple

import numpy as np

from osler.core.events import Frozen
from osler.errors import BadInput
from osler.stats.agreement import kappa
from osler.stats.intervals import Estimate
from osler.stats.prediction_powered import corrected_mean
from osler.stats.rank_correlation import rank_correlation
from osler.studies.rating.figures import ONE_RATER, Figure, figure, share
from osler.studies.rating.scales import Counterpart, ScaleItem

_HALF: Final = 0.5


class WithJudge(Frozen):
    """The comparison of a judge's score with people on an item.

    `correlation` is the rank correlation of the score and the raters' mean level. `people` is people's mean
    over the episodes that both rated, `judged` the judge's mean over all that it scored, `corrected` the
    estimate of what people would have given all of these: shares of yes, shares of the highest level, or
    marks, as `unit` says. `one_by_one` holds the judge and a rater beside two raters.
    """

    item: str
    grader: str
    version: str
    score: str
    unit: Literal["share", "mark"] = "share"
    correlation: Figure
    people: Figure
    judged: Figure
    corrected: Figure
    one_by_one: OneByOne
    yes_or_no: YesOrNo | None


class OneByOne(Frozen):
    """The agreement of the judge with a single rater, and of a rater with another, over the episodes that the
    judge scored and two or more rated: the share of the same answers to yes or no, else the rank correlation.

    The mean or the majority of raters is easier to agree with than any one of them, so only these two can be
    set beside each other.
    """

    judge: Figure
    people: Figure


class YesOrNo(Frozen):
    """The agreement on a yes-or-no item. People's answer is the majority of raters; episodes with a tie are
    left out. `sensitivity` and `specificity` are the judge's, with people's answer as the reference."""

    agreement: Figure
    kappa: Figure
    sensitivity: Figure
    specificity: Figure


class JudgedEpisode(NamedTuple):
    """An episode that the judge has judged: its score, if any, and the levels raters gave."""

    case: str
    score: float | None
    levels: Sequence[int]


class _Both(NamedTuple):
    """One episode on both sides: `judge` and `people` are a share of yes, or of the highest level."""

    case: str
    score: float
    level: float
    judge: float
    people: float


def with_judge(
    item: ScaleItem, grader: tuple[str, str], counterpart: Counterpart, episodes: Sequence[JudgedEpisode]
) -> WithJudge:
    """Compare the judge (name, version) with people over the episodes it has judged.

    Raises BadInput if a graded item's counterpart is a count, or has marks beyond the item's levels.
    """
    scored = [(one, one.score) for one in episodes if one.score is not None]
    unscored = len(episodes) - len(scored)
    judged = [as_share(score, counterpart, item) for _, score in scored]
    people = [people_share(one.levels, item) if one.levels else float("nan") for one, _ in scored]
    both = [
        _Both(one.case, score, sum(one.levels) / len(one.levels), judge, said)
        for (one, score), judge, said in zip(scored, judged, people, strict=True)
        if one.levels
    ]
    n, unscored_rated = len(both), sum(one.score is None and bool(one.levels) for one in episodes)
    cases, mine = [one.case for one, _ in scored], [one.case for one in both]
    step = 1.0 if item.yes_from is not None else 1 / item.top
    marks = as_marks(item) if item.marked else unchanged
    return WithJudge(
        item=item.id,
        grader=grader[0],
        version=grader[1],
        score=counterpart.score,
        unit="mark" if item.marked else "share",
        correlation=figure(
            n,
            unscored_rated,
            lambda: rank_correlation(
                np.array([one.score for one in both]), np.array([one.level for one in both]), mine
            ),
        ),
        people=marks(share(mine, [one.people for one in both], unscored_rated)),
        judged=marks(share(cases, judged, unscored)),
        corrected=marks(
            figure(n, unscored, lambda: corrected_mean(cases, np.array(judged), np.array(people), step))
        ),
        one_by_one=_one_by_one(item, counterpart, scored, n),
        yes_or_no=_yes_or_no(both, unscored_rated) if item.yes_from is not None else None,
    )


def as_marks(item: ScaleItem) -> Callable[[Figure], Figure]:
    """Return a function from a figure in shares of the highest level to the same in marks from 1."""

    def mark(share: float | None) -> float | None:
        return None if share is None else round(1 + share * item.top, 4)

    return lambda found: found.model_copy(
        update={"value": mark(found.value), "low": mark(found.low), "high": mark(found.high)}
    )


def unchanged(found: Figure) -> Figure:
    """Return a figure as it is."""
    return found


def as_share(score: float, counterpart: Counterpart, item: ScaleItem) -> float:
    """Convert the judge's score to a share: of yes, or of the highest level. Raises BadInput if it cannot."""
    if counterpart.yes_from is not None:
        return float(score >= counterpart.yes_from)
    if counterpart.marks and 1 <= score <= item.top + 1:
        return (score - 1) / item.top
    if counterpart.marks:
        raise BadInput(
            f"{counterpart.score} is {score:g}, which is not a mark from 1 to {item.top + 1}",
            where="--scale",
            hint="an item needs as many levels as its counterpart has marks",
        )
    if not 0 <= score <= 1:
        raise BadInput(
            f"{counterpart.score} is {score:g}, which is not a share",
            where="--scale",
            hint="an item whose counterpart counts something needs yes_from, and so does the counterpart",
        )
    return score


def people_share(levels: Sequence[int], item: ScaleItem) -> float:
    """Return the share of raters who say yes, or the mean level as a share of the highest."""
    if item.yes_from is not None:
        return sum(level >= item.yes_from for level in levels) / len(levels)
    return sum(levels) / len(levels) / item.top


def _one_by_one(
    item: ScaleItem, counterpart: Counterpart, scored: Sequence[tuple[JudgedEpisode, float]], rated: int
) -> OneByOne:
    """Both figures; each pair of raters counts in both orders, as neither is the first."""
    shared = [(one, score) for one, score in scored if len(one.levels) > 1]
    with_judge = [[(score, float(level)) for level in one.levels] for one, score in shared]
    raters = [[(float(a), float(b)) for a, b in permutations(one.levels, 2)] for one, _ in shared]
    cases, left = [one.case for one, _ in shared], rated - len(shared)
    if (yes := item.yes_from) is None:
        judge, people = (_ranks(cases, pairs, left) for pairs in (with_judge, raters))
        return OneByOne(judge=judge, people=people)
    least = counterpart.yes_from or 0.0
    same = [
        [float(np.mean([(a >= first) == (b >= yes) for a, b in two])) for two in pairs]
        for first, pairs in ((least, with_judge), (yes, raters))
    ]
    judge, people = (share(cases, values, left, ONE_RATER) for values in same)
    return OneByOne(judge=judge, people=people)


def _ranks(cases: Sequence[str], pairs: Sequence[Sequence[tuple[float, float]]], left: int) -> Figure:
    """The rank correlation over all pairs of all episodes; `n` counts episodes."""

    def found() -> Estimate:
        sides = np.array([two for each in pairs for two in each], dtype=np.float64).reshape(-1, 2)
        clusters = [case for case, each in zip(cases, pairs, strict=True) for _ in each]
        return rank_correlation(sides[:, 0], sides[:, 1], clusters)

    return figure(len(cases), left, found, "" if cases else ONE_RATER)


def _yes_or_no(both: Sequence[_Both], unscored: int) -> YesOrNo:
    clear = [one for one in both if one.people != _HALF]
    left = len(both) - len(clear) + unscored
    cases = [one.case for one in clear]
    people, judge = [one.people > _HALF for one in clear], [one.judge > _HALF for one in clear]
    same = [float(a == b) for a, b in zip(people, judge, strict=True)]

    def among(wanted: bool) -> Figure:
        of = [at for at, said in enumerate(people) if said is wanted]
        return share([cases[at] for at in of], [same[at] for at in of], left)

    return YesOrNo(
        agreement=share(cases, same, left),
        kappa=figure(len(clear), left, lambda: kappa(people, judge, clusters=cases)),
        sensitivity=among(True),
        specificity=among(False),
    )
