"""The measures of scenarios: scores over the frozen rubric's items, overall and by competency."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from osler.cases.rubrics import near_duplicates as likeness
from osler.cases.rubrics.model import COMPETENCIES, NAMES, Competency, RubricItem
from osler.cases.scenarios.model import Scenario
from osler.core.measure import (
    NOTHING,
    Grouping,
    Measure,
    Missed,
    Need,
    Ratio,
    Reading,
    Scored,
    Value,
    share_of,
    with_needs,
)
from osler.judging.rubric.judgement import RubricJudgement, rubric_judgement_in
from osler.judging.rubric.scores import NOT_ASKED, Scores
from osler.judging.scores import Score
from osler.protocols.scenario.judge.keyed import rubric_of
from osler.protocols.shared.claim_counts import CLAIMED_NOT_TOLD, TOLD_NOT_CLAIMED, WRONG_ACTS


def judgement(scenario: Callable[[], Scenario], body: Mapping[str, Any]) -> RubricJudgement:
    """Parse a stored judgement. Raises ValueError if it was made with a rubric other than the scenario's."""
    return rubric_judgement_in(body, rubric_of(scenario()))


def clusters(scenarios: Mapping[str, Scenario]) -> dict[str, str]:
    """Map content hashes to clusters: scenarios of one source case, or with half their items alike, share
    one."""
    rubrics = {key: rubric_of(scenario) for key, scenario in scenarios.items()}
    cluster_of = likeness.clusters({rubric.key: rubric for rubric in rubrics.values()}.values())
    return {key: cluster_of[rubric.key] for key, rubric in rubrics.items()}


def _score(of: Callable[[Scores], Score], competency: Competency | None = None) -> Reading:
    """A reader of a score over all items, or over a competency's; `NOTHING` if the rubric has none to
    score."""

    def read(found: Scored) -> Value:
        judged: RubricJudgement | None = found.judgement
        if judged is None:
            return None
        scores = judged.by_competency.get(competency) if competency else judged.scores
        if scores is None:
            return NOTHING
        score = of(scores)
        return NOTHING if score.value is None and score.reason in NOT_ASKED else score.value

    return read


_completion: Final = _score(lambda scores: scores.completion)


def _wrong(fits: Callable[[RubricItem], bool] = lambda _: True, *, published: bool = False) -> Missed:
    """A reader of the items that went wrong; as `published`, those that do not hold, whatever they are."""

    def read(found: Scored) -> Iterator[str]:
        judged: RubricJudgement | None = found.judgement
        for item in judged.rubric.items if judged else ():
            harmful = item.traits.negative and not published
            if fits(item) and judged and judged.by_id[item.id].holds is harmful:
                yield " ".join(item.text.split())

    return read


def _items_met(found: Scored) -> Value:
    completion = _completion(found)
    if not isinstance(completion, float):
        return completion
    items = len(found.judgement.verdicts)
    return Ratio(float(round(completion * items)), float(items))


def _net_of(competency: Competency) -> Measure:
    words = f"{competency} net"
    means = f"net score of the items on {NAMES[competency]}"
    of = _score(lambda scores: scores.net, competency)
    missed = _wrong(lambda item: item.competency == competency)
    return share_of(f"net_{competency.lower()}", words, means, of=of, estimated="mean", missed=missed)


def _items(words: str, fits: Callable[[RubricItem], bool] = lambda _: True) -> Need:
    return Need(words, lambda scenario: any(fits(item) for item in rubric_of(scenario).items))


def _positive(competency: Competency | None = None) -> Need:
    of = f" on {NAMES[competency]}" if competency else ""
    return _items(
        f"rubric items{of} that count for the examinee",
        lambda item: not item.traits.negative and competency in (None, item.competency),
    )


NEEDS: Final = {
    "net": _positive(),
    "completion_macro": _items("rubric items"),
    "completion_micro": _items("rubric items"),
    "critical": _items("rubric items marked critical", lambda item: item.traits.critical),
    "harm": _items(
        "rubric items on something harmful that may be done",
        lambda item: item.traits.harmful and not item.traits.group,
    ),
    **{f"net_{competency.lower()}": _positive(competency) for competency in COMPETENCIES},
}
"""The part of a scenario that a score needs. Without it the scenario is neither scored nor unscored."""

_MEASURES: Final = (
    share_of(
        "net",
        "net score",
        "weights of the positive items met less those of the negative ones, of all positive weights",
        of=_score(lambda scores: scores.net),
        estimated="mean",
        missed=_wrong(),
    ),
    share_of(
        "completion_macro",
        "completion, by scenario",
        "mean over scenarios of the share of items that hold, as published: negative ones count like others,"
        " so a play without fault stays below 100 %",
        of=_completion,
        missed=_wrong(published=True),
    ),
    share_of(
        "completion_micro",
        "completion, by item",
        "share of all items that hold, negative ones included",
        of=_items_met,
        missed=_wrong(published=True),
        ratio=True,
    ),
    share_of(
        "critical",
        "critical items right",
        "share of scenarios in which every critical item went right",
        of=_score(lambda scores: scores.critical),
        missed=_wrong(lambda item: item.traits.critical),
    ),
    share_of(
        "harm",
        "harm done",
        "share of scenarios in which something was done that the rubric holds against the examinee",
        "less",
        of=_score(lambda scores: scores.harm),
        missed=_wrong(lambda item: item.traits.negative),
    ),
    *map(_net_of, COMPETENCIES),
    CLAIMED_NOT_TOLD,
    TOLD_NOT_CLAIMED,
    WRONG_ACTS,
)

MEASURES: Final = with_needs(_MEASURES, NEEDS)
"""Every measure, the headline first, in the order of a table."""

UNSTATED: Final = "not stated"


def _by(name: str, of: Callable[[Scenario], str | None]) -> Grouping:
    return Grouping(name, lambda found: of(found.case()) or UNSTATED)


GROUPS: Final = (
    _by("specialty", lambda scenario: scenario.specialty),
    _by("urgency", lambda scenario: scenario.urgency),
    _by("case_shape", lambda scenario: scenario.case_shape),
)
"""The parts of the case mix."""
