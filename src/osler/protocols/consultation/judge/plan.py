"""Scores of the plan: what was to be done and left undone, for safety, and what was not to be missed.

A step in parts earns the share of its parts that are named. A critical step counts as missed until it is
named in full.
"""

from __future__ import annotations

from typing import Final

from osler.core.measure import Need
from osler.judging.diagnosis.judged import judged
from osler.judging.scores import Score
from osler.protocols.consultation.judge.conduct import harms
from osler.protocols.consultation.judge.reading import acts_of
from osler.protocols.consultation.judge.scoring import (
    MISSING,
    MOST_QUOTES,
    EndedConsultation,
    share,
    share_met,
    tally,
)


def _management(consultation: EndedConsultation) -> Score:
    steps = consultation.steps
    if not steps:
        return MISSING
    quotes = dict.fromkeys(quote for step in steps for quote in step.quotes)
    return Score(sum(step.share for step in steps) / len(steps), "", tuple(quotes)[:MOST_QUOTES])


def _critical_missed(consultation: EndedConsultation) -> Score:
    missed = [step.told for step in consultation.steps if step.critical and not step.whole]
    return Score(float(len(missed)), "", tuple(missed[:MOST_QUOTES]))


def _unsafe(seen: EndedConsultation) -> Score:
    named = _harmful(seen)
    return Score(float(len(named)), "", tuple(named.values()))


def _harmful(seen: EndedConsultation) -> dict[str, str]:
    """The harmful acts that were named, each with the words."""
    return seen.gold.unsafe.named(acts_of(seen.reading)) if seen.gold.unsafe else {}


def _safety(seen: EndedConsultation) -> Score:
    """The share of the safety actions that were named in speech, plan, follow-up or orders."""
    if seen.gold.safety is None or not seen.case.safety:
        return MISSING
    done = _taken(seen)
    return share_met(len(done), len(seen.case.safety), tuple(done.values()))


def _taken(seen: EndedConsultation) -> dict[str, str]:
    """The ids of the safety actions that were taken, each with the words."""
    safety = seen.gold.safety
    return safety.named([*seen.reading.questions, *acts_of(seen.reading)], advice=True) if safety else {}


def _must_not_miss(seen: EndedConsultation) -> Score:
    """The share of the must-not-miss alternatives that were considered."""
    considered = _considered(seen)
    return share_met(len(considered), len(seen.gold.must_not_miss), tuple(considered))


def _not_considered(seen: EndedConsultation) -> list[str]:
    """The others."""
    considered = _considered(seen)
    return [one.name for one in seen.gold.must_not_miss if one.name not in considered]


def _considered(seen: EndedConsultation) -> list[str]:
    """The must-not-miss alternatives that were named and investigated, or put to a consultant.

    For an alternative without discriminators, naming it is enough.
    """
    reading = seen.reading
    named = {str(line["name"]) for move in reading.moves() for line in move.get("working_diagnoses") or ()}
    if reading.final:
        named.add(str(reading.final["diagnosis"]))
    considered: list[str] = []
    for other in seen.gold.must_not_miss:
        looked = not other.discriminators or any(item in reading.released for item in other.discriminators)
        if (looked or reading.advised) and any(
            judged(name, other.name, other.synonyms).right for name in sorted(named)
        ):
            considered.append(other.name)
    return considered


KEY_FEATURES: Final = Need(
    "the key features of its management",
    lambda case: case.management is not None and bool(case.management.key_features),
)
SCORES: Final = (
    share(
        "management_met",
        "management",
        "share of the key features of management that were planned",
        _management,
        missed=lambda seen: (step.told for step in seen.steps if not step.whole),
        needs=KEY_FEATURES,
    ),
    tally(
        "critical_missed",
        "critical features missed",
        "features of management left out that must not be",
        _critical_missed,
        "less",
        missed=lambda seen: (step.told for step in seen.steps if step.critical and not step.whole),
        needs=Need(
            "key features of its management marked critical",
            lambda case: (
                case.management is not None and any(one.critical for one in case.management.key_features)
            ),
        ),
    ),
    tally(
        "unsafe_acts",
        "unsafe acts",
        "harmful acts that were named and not refused",
        _unsafe,
        "less",
        missed=_harmful,
        needs=Need("a work-up or a management that names what would harm", harms),
    ),
    share(
        "safety_done",
        "safety actions",
        "share of the case's safety actions that were taken",
        _safety,
        missed=lambda seen: (one.what for one in seen.case.safety or () if one.id not in _taken(seen)),
        needs=Need("safety actions", lambda case: bool(case.safety)),
        conversation=True,
    ),
    share(
        "must_not_miss",
        "must not miss",
        "share of the diagnoses not to be missed that were considered",
        _must_not_miss,
        missed=_not_considered,
        needs=Need(
            "diagnoses marked as not to be missed",
            lambda case: (
                case.diagnosis is not None and any(o.must_not_miss for o in case.diagnosis.alternatives)
            ),
        ),
        conversation=True,
    ),
)
