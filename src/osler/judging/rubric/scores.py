"""Rubric scores computed from item verdicts by pure rules; `None` with a reason if they cannot be.

    completion    items that hold / all items, negative ones included, as the benchmark published it
    net           (weights of positive items met - weights of negative items met) / weights of positive items;
                  a group of levels counts once, by the highest level met; may be below 0 for one episode
    critical      1 if every critical item went well: positive ones met, negative ones not
    harm          1 if something was done that the rubric counts as harmful

A judge by rule may leave a verdict open: not recognized, or not for rules to say. Then the score is a lower
bound, and `at_most` gives the upper one: the result is a range. Harm that was recognized is definite.

A score exists only if every item it depends on has a verdict, except that one critical item missed, or one
harm done, is decisive whatever the others are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple

from osler.cases.rubrics.model import COMPETENCIES, Competency, Rubric, RubricItem
from osler.judging.lines import Quote
from osler.judging.scores import Score

NAMES: Final = ("completion", "net", "critical", "harm")
EMPTY: Final = "empty_rubric"
NO_POSITIVE: Final = "no_positive_items"
NO_CRITICAL: Final = "no_critical_items"
NO_HARM: Final = "no_harmful_items"
CONTRADICTION: Final = "levels_contradict"
NOT_ASKED: Final = frozenset({EMPTY, NO_POSITIVE, NO_CRITICAL, NO_HARM})
"""The reasons that mean there was nothing to score, as opposed to something that could not be scored."""


Open = Literal["", "not_seen", "not_by_rule", "ordered"]
"""How far a verdict by rule is open. `not_seen`: the examiner by rule did not recognize it, which does not
mean that it was not done; `not_by_rule`: no rule can tell (empathy, rapport), the quotes are moments to look
at; `ordered`: asked for and not yet back or not carried out. Empty for a definite verdict."""


class Verdict(NamedTuple):
    """The verdict on an item. `holds` is `None` if there is none, and `reason` says why; `each` holds the
    verdicts of all repeats, and `agreement` is the share of them with the modal verdict.

    An examiner by rule leaves a verdict `open` where it may be wrong; `holds` is then its lower bound.
    """

    id: str
    holds: bool | None
    reason: str = ""
    quotes: tuple[Quote, ...] = ()
    why: str = ""
    each: tuple[bool | None, ...] = ()
    agreement: float = 1.0
    open: Open = ""

    @property
    def may_hold(self) -> bool:
        """Whether it holds, or may hold although no rule recognized it."""
        return bool(self.holds) or self.open in ("not_seen", "not_by_rule")


class Scores(NamedTuple):
    """The scores of one set of items."""

    completion: Score
    net: Score
    critical: Score
    harm: Score


def scored(items: Sequence[RubricItem], verdicts: Mapping[str, Verdict]) -> Scores:
    """The scores of a set of items, whose verdicts are in `verdicts` by id."""
    return Scores(
        _completion(items, verdicts),
        _net(items, verdicts),
        _critical(items, verdicts),
        _harm(items, verdicts),
    )


def at_most(items: Sequence[RubricItem], verdicts: Mapping[str, Verdict]) -> Scores:
    """The scores if everything that a rule left open was done: the upper end of a result by rule."""
    return scored(items, kindest(items, verdicts))


def kindest(items: Sequence[RubricItem], verdicts: Mapping[str, Verdict]) -> dict[str, Verdict]:
    """The verdicts with everything done that a rule left open."""
    return {
        item.id: verdicts[item.id]._replace(holds=True)
        if verdicts[item.id].may_hold and not item.traits.negative
        else verdicts[item.id]
        for item in items
    }


def by_competency(rubric: Rubric, verdicts: Mapping[str, Verdict]) -> dict[Competency, Scores]:
    """The scores of each competency that has items."""
    return {name: scored(items, verdicts) for name in COMPETENCIES if (items := rubric.of(name))}


def _completion(items: Sequence[RubricItem], verdicts: Mapping[str, Verdict]) -> Score:
    if not items:
        return Score(None, EMPTY)
    if missing := _missing(items, verdicts):
        return missing
    return Score(sum(bool(verdicts[item.id].holds) for item in items) / len(items))


def _net(items: Sequence[RubricItem], verdicts: Mapping[str, Verdict]) -> Score:
    if not items:
        return Score(None, EMPTY)
    if missing := _missing(items, verdicts):
        return missing
    earned = possible = 0.0
    groups: dict[str, list[RubricItem]] = defaultdict(list)
    for item in items:
        traits = item.traits
        if traits.group:
            groups[traits.group].append(item)
            continue
        possible += 0 if traits.negative else traits.weight
        if verdicts[item.id].holds:
            earned += -traits.weight if traits.negative else traits.weight
    for levels in groups.values():
        worth = max(item.traits.weight for item in levels)
        met = [item.traits.level for item in levels if verdicts[item.id].holds]
        if met and min(met) == 0 < max(met):
            return Score(None, CONTRADICTION)
        possible += worth
        earned += worth * max(met, default=0.0)
    return Score(earned / possible) if possible else Score(None, NO_POSITIVE)


def _critical(items: Sequence[RubricItem], verdicts: Mapping[str, Verdict]) -> Score:
    critical = [item for item in items if item.traits.critical]
    if not critical:
        return Score(None, NO_CRITICAL)
    rubric_items = [item for item in critical if verdicts[item.id].holds is not None]
    if any(verdicts[item.id].holds == item.traits.negative for item in rubric_items):
        return Score(0.0)
    return _missing(critical, verdicts) or Score(1.0)


def _harm(items: Sequence[RubricItem], verdicts: Mapping[str, Verdict]) -> Score:
    harmful = [item for item in items if item.traits.harmful and not item.traits.group]
    if not harmful:
        return Score(None, NO_HARM)
    done = [verdicts[item.id] for item in harmful if verdicts[item.id].holds]
    if done:
        return Score(1.0, "", tuple(quote.text for verdict in done for quote in verdict.quotes))
    return _missing(harmful, verdicts) or Score(0.0)


def _missing(items: Sequence[RubricItem], verdicts: Mapping[str, Verdict]) -> Score | None:
    """The unscored score with the reason of the first item without a verdict, or `None`."""
    reason = next((verdicts[item.id].reason for item in items if verdicts[item.id].holds is None), None)
    return None if reason is None else Score(None, reason)
