"""Scores of how the work was done: what was asked, examined and ordered, and what that took.

Formulas as in the field (MedEvoEval, VivaBench): recall = required groups met; precision = required or useful
among what was ordered, panels expanded; contraindicated tests apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from osler.cases.model import Case
from osler.core.measure import Need
from osler.judging.scores import NOT_IN_CASE, QUOTE, Score
from osler.protocols.consultation.judge.reading import Reading
from osler.protocols.consultation.judge.repeats import asked_again
from osler.protocols.consultation.judge.scoring import (
    MOST_QUOTES,
    EndedConsultation,
    groups_in_words,
    in_words,
    share,
    share_met,
    spent,
    tally,
)

_REQUIRED: Final = Need(
    "a work-up that says which examinations and tests are required",
    lambda case: case.workup is not None and bool(case.workup.required),
)


def harms(case: Case, *, of_tests: bool = False) -> bool:
    """Whether a case names anything that would harm: any test or act, or tests alone."""
    sections = (case.workup,) if of_tests else (case.workup, case.management)
    return any(one.class_ == "harmful" for section in sections if section for one in section.contraindicated)


def _repeated(seen: EndedConsultation) -> Score:
    """The share of the doctor's lines that ask again for what was answered before."""
    reading = seen.reading
    if not reading.questions:
        return Score(None, "no_questions")
    again = [one.said[:QUOTE] for one in asked_again(reading.exchanges)]
    return Score(len(again) / len(reading.questions), "", tuple(again[:MOST_QUOTES]))


def _coverage(key: frozenset[str], reading: Reading) -> Score:
    released = [item for item in reading.released if item in key]
    return share_met(len(released), len(key), tuple(released))


def _precision(seen: EndedConsultation) -> Score:
    ordered = set(_ordered(seen.reading))
    if not ordered:
        return Score(None, "nothing_ordered")
    return Score(len(ordered & seen.gold.wanted) / len(ordered))


def _recall(seen: EndedConsultation) -> Score:
    sought = {*seen.reading.released, *seen.reading.pending()}
    required = seen.gold.required
    return share_met(sum(not sought.isdisjoint(group) for group in required), len(required))


def _f1(seen: EndedConsultation) -> Score:
    precision, recall = _precision(seen), _recall(seen)
    if recall.value is None:
        return Score(None, precision.reason or recall.reason or NOT_IN_CASE)
    if precision.value is None:
        return Score(0.0, "nothing_ordered")
    total = precision.value + recall.value
    return Score(2 * precision.value * recall.value / total if total else 0.0)


def _contraindicated(seen: EndedConsultation) -> Score:
    named = _harmful(seen)
    return Score(float(len(named)), "", tuple(named.values()))


def _harmful(seen: EndedConsultation) -> dict[str, str]:
    """The tests ordered that would harm, each with the order."""
    return seen.gold.unsafe_tests.named(seen.reading.orders) if seen.gold.unsafe_tests else {}


def _not_obtained(seen: EndedConsultation) -> Iterator[str]:
    """The key findings that were not obtained; of those ordered, that they were not yet back."""
    left, pending = seen.gold.key_findings - seen.reading.released.keys(), set(seen.reading.pending())
    yield from in_words(seen.case, left - pending)
    yield from (f"{name} (ordered, not yet back)" for name in in_words(seen.case, left & pending))


def _uncalled(seen: EndedConsultation) -> Iterator[str]:
    """The tests ordered that were not called for, those not in the case as they were ordered."""
    others = [one for one in dict.fromkeys(_ordered(seen.reading)) if one not in seen.gold.wanted]
    yield from in_words(seen.case, others)
    yield from (one.removeprefix("? ") for one in others if one.startswith("? "))


def _unordered(seen: EndedConsultation) -> Iterator[str]:
    """The required groups of which nothing was ordered."""
    sought = {*seen.reading.released, *seen.reading.pending()}
    return groups_in_words(seen.case, (one for one in seen.gold.required if sought.isdisjoint(one)))


def _ordered(reading: Reading) -> Iterator[str]:
    """The ids of findings ordered, and the names of tests not in the case, without unclear orders.

    Every part of an order counts, however many tests one order names.
    """
    for name, match in zip(reading.orders, reading.matches, strict=False):
        findings, absent = match.get("findings", ()), match.get("unheld", ())
        yield from findings
        yield from (f"? {test.casefold()}" for test in absent)
        if match.get("match_type") == "none" and not findings and not absent:
            yield f"? {(match.get('matched_test_name') or name).casefold()}"


SCORES: Final = (
    spent("turns", "turns", "turns that the doctor took"),
    spent("tests", "tests", "tests ordered"),
    spent("minutes", "minutes", "simulated minutes"),
    spent("cost", "points", "tariff points of the tests ordered, which is no money"),
    tally(
        "questions",
        "questions",
        "questions put to the patient",
        lambda seen: Score(float(len(seen.reading.questions))),
        conversation=True,
        wordless=True,
    ),
    share(
        "repeated_questions",
        "repeated questions",
        "share of questions that were asked before",
        _repeated,
        "less",
        missed=lambda seen: (one.said[:QUOTE] for one in asked_again(seen.reading.exchanges)),
        conversation=True,
    ),
    share(
        "fact_coverage",
        "facts elicited",
        "share of the case's key facts that were told",
        lambda seen: _coverage(seen.gold.key_facts, seen.reading),
        missed=lambda seen: in_words(seen.case, seen.gold.key_facts - seen.reading.released.keys()),
        needs=Need("facts marked key", lambda case: any(fact.key for fact in case.facts)),
        conversation=True,
        wordless=True,
    ),
    share(
        "finding_coverage",
        "findings obtained",
        "share of the case's key findings that were obtained",
        lambda seen: _coverage(seen.gold.key_findings, seen.reading),
        missed=_not_obtained,
        needs=Need("results marked key", lambda case: any(one.key for one in case.findings)),
        conversation=True,
        wordless=True,
    ),
    share(
        "exam_precision",
        "examination precision",
        "share of the tests ordered that were required or useful",
        _precision,
        missed=_uncalled,
        needs=Need(
            "a work-up that says which examinations and tests are required or useful",
            lambda case: case.workup is not None and bool(case.workup.required or case.workup.useful),
        ),
        conversation=True,
        wordless=True,
    ),
    share(
        "exam_recall",
        "examination recall",
        "share of the required groups of tests that were ordered",
        _recall,
        missed=_unordered,
        needs=_REQUIRED,
        conversation=True,
        wordless=True,
    ),
    share(
        "exam_f1",
        "examination F1",
        "harmonic mean of examination precision and recall",
        _f1,
        missed=lambda seen: [*_unordered(seen), *_uncalled(seen)],
        needs=_REQUIRED,
        conversation=True,
        wordless=True,
    ),
    tally(
        "contraindicated_tests",
        "contraindicated tests",
        "tests ordered that would harm this patient",
        _contraindicated,
        "less",
        missed=_harmful,
        needs=Need("a work-up that names tests which would harm", lambda case: harms(case, of_tests=True)),
        conversation=True,
    ),
)
