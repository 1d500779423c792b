"""Confidence that a fact answers a question: a conditional logit over the facts of a case, and none of them.

The weights are in confidence.yaml, with how they were made. A fact that falls short is not told: a patient
who asks what is meant does less harm than one who answers something else.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from math import exp
from typing import Any, Final

import yaml

from osler.protocols.shared.patient import PatientFact
from osler.protocols.shared.players.answer_features import Candidates, candidates_of
from osler.protocols.shared.players.question_bank import bank
from osler.protocols.shared.players.weighing import Heard, Known, known
from osler.text.topics import is_canonical

_MOST: Final = 3


def answers(
    heard: Heard,
    recalled: Sequence[PatientFact],
    facts: Sequence[PatientFact],
    told: Collection[str],
    *,
    leans: bool,
) -> tuple[PatientFact, ...]:
    """The facts that surely enough answer a question, the likeliest first; none where no fact is sure enough.

    `recalled` are those that the rules of evidence find: they answer our own canonical questions, and others
    where they are likely enough besides. Several facts are told where it is one of them that is asked for.
    """
    if heard.plain or is_canonical(heard.text):
        return tuple(recalled)
    there = tuple([known(fact) for fact in facts])
    chances = chances_of(heard, there, leans)
    order = sorted(range(len(facts)), key=lambda at: -chances[at])
    model = _model()
    if not order:
        return ()
    best = order[0]
    least = model["least" if bank().holds(there) else "least_in_other_cases"]
    kept = [best] if chances[best] >= least else []
    if len(order) > 1 and not kept:
        second = order[1]
        pair = chances[best] + chances[second]
        if pair >= model["least_of_two"] and chances[second] >= model["second"]:
            found = [at for at in (best, second) if facts[at] in recalled]
            kept = found if found == [best] else [best, second]
        elif len(order) >= _MOST:
            # "Where is the pain?": its place, its spread and its character all say so.
            each = order[:_MOST]
            total = sum(chances[at] for at in each)
            if total >= model["least_of_three"] and chances[each[-1]] >= model["third"]:
                kept = each
    if not kept and len(recalled) > 1:
        # "Any illnesses?": each of them says so, and none alone is the answer.
        of_topic = [at for at in order if facts[at].topic == facts[best].topic]
        asked = all(fact.topic == facts[best].topic for fact in recalled)
        if asked and sum(chances[at] for at in of_topic) >= model["least_of_topic"]:
            return tuple(recalled)
    if not kept:
        # "Have you had any chest pain?": when it began, where it is and what it is like all say so.
        named = [at for at in order if there[at].findings.intersection(heard.findings)]
        if named[:1] == [best] and sum(chances[at] for at in named) >= model["least_of_finding"]:
            kept = [best]
    if not kept:
        return ()
    if facts[best].id in told:
        # Asked again: what was not told yet may be what is wanted.
        kept += [at for at in order[1:_MOST] if chances[at] >= model["besides"] and at not in kept]
    kept += [
        at for at in order if facts[at] in recalled and chances[at] >= model["besides"] and at not in kept
    ]
    return tuple(facts[at] for at in kept[:_MOST])


def suspects(heard: Heard, facts: Sequence[PatientFact], *, leans: bool) -> bool:
    """Whether a fact may well be the answer, though none is sure enough: what it holds is never denied."""
    there = tuple([known(fact) for fact in facts])
    name = "may_be" if bank().holds(there) else "may_be_in_other_cases"
    return max(chances_of(heard, there, leans), default=0.0) >= float(_model()[name])


def surest(heard: Heard, facts: Sequence[PatientFact], *, leans: bool) -> PatientFact | None:
    """The fact that answers an utterance read as one question, if it is surer than one question needs."""
    chances = chances_of(heard, tuple([known(fact) for fact in facts]), leans)
    best = max(range(len(facts)), key=chances.__getitem__, default=None)
    return facts[best] if best is not None and chances[best] >= _model()["least_as_one"] else None


def likeliest(heard: Heard, facts: Sequence[PatientFact]) -> PatientFact | None:
    """The fact that is more likely the answer than all others and none together."""
    chances = chances_of(heard, tuple([known(fact) for fact in facts]), False)
    return next((fact for fact, chance in zip(facts, chances, strict=True) if chance > 0.5), None)


@lru_cache(maxsize=8192)
def chances_of(heard: Heard, facts: tuple[Known, ...], leans: bool) -> tuple[float, ...]:
    """The probability that each fact of a case is the answer to a question, by the model."""
    weights = _model()["weights" if bank().holds(facts) else "weights_of_other_cases"]
    return probabilities(candidates_of(heard, facts, leans), weights)


def probabilities(candidates: Candidates, weights: Mapping[str, float]) -> tuple[float, ...]:
    """The conditional logit: the probability of each candidate against the others and against none."""
    scores = [_weighed(features, weights) for features in (*candidates.facts, candidates.none)]
    most = max(scores)
    raised = [exp(score - most) for score in scores]
    return tuple(one / sum(raised) for one in raised[:-1])


def _weighed(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    return sum(weights.get(name, 0.0) * value for name, value in features.items())


@cache
def _model() -> dict[str, Any]:
    text = resources.files("osler.knowledge").joinpath("confidence.yaml").read_text(encoding="utf-8")
    model: dict[str, Any] = yaml.safe_load(text)
    return model
