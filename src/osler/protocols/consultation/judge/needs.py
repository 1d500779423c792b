"""The part of a case that each score of a consultation needs; without it the score is `not_in_case`.

An imported case holds what its source holds. Which results a diagnosis rests on, what must be done and what
must not, few sources say, and nothing here guesses it: a share of what an importer happened to mark would be
a number about the importer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from osler.cases.made_up import made_up
from osler.cases.model import Case
from osler.core.measure import Need
from osler.protocols.consultation.judge.follow_up import follow_up_of


def says_what_is_decisive(case: Case) -> bool:
    """Whether the case says which of its results matter: some are marked key, or it has a work-up. A made-up
    case marks what it was drawn by, perhaps the history alone."""
    return case.workup is not None or any(finding.key for finding in case.findings) or made_up(case)


def _evidence(case: Case) -> bool:
    marked = any(fact.key for fact in case.facts) or any(finding.key for finding in case.findings)
    return marked and says_what_is_decisive(case)


def _harm(case: Case, *, of_tests: bool = False) -> bool:
    sections = (case.workup,) if of_tests else (case.workup, case.management)
    return any(one.class_ == "harmful" for section in sections if section for one in section.contraindicated)


def _followed(case: Case) -> bool:
    wanted = follow_up_of(case)
    return wanted is not None and bool(wanted.place or wanted.warnings)


_DIAGNOSIS: Final = Need(
    "a diagnosis as its answer", lambda case: case.diagnosis is not None or case.task.kind == "diagnosis"
)
_REQUIRED: Final = Need(
    "a work-up that says which examinations and tests are required",
    lambda case: case.workup is not None and bool(case.workup.required),
)
_DECISIVE: Final = Need(
    "a work-up with required tests, or results marked key",
    lambda case: bool(case.workup.required) if case.workup else any(one.key for one in case.findings),
)

NEEDS: Final[Mapping[str, Need]] = {
    **dict.fromkeys(("answered_broader", "answered_unsupported", "answered_list"), _DIAGNOSIS),
    "fact_coverage": Need("facts marked key", lambda case: any(fact.key for fact in case.facts)),
    "finding_coverage": Need("results marked key", lambda case: any(one.key for one in case.findings)),
    "exam_precision": Need(
        "a work-up that says which examinations and tests are required or useful",
        lambda case: case.workup is not None and bool(case.workup.required or case.workup.useful),
    ),
    "exam_recall": _REQUIRED,
    "exam_f1": _REQUIRED,
    "contraindicated_tests": Need(
        "a work-up that names tests which would harm", lambda case: _harm(case, of_tests=True)
    ),
    "premature_closure": _DECISIVE,
    **dict.fromkeys(("right_but_unsupported", "supported", "concluded_without_evidence"), _DECISIVE),
    "provisional_correct": Need("a diagnosis", lambda case: case.diagnosis is not None),
    "management_met": Need(
        "the key features of its management",
        lambda case: case.management is not None and bool(case.management.key_features),
    ),
    "critical_missed": Need(
        "key features of its management marked critical",
        lambda case: (
            case.management is not None and any(one.critical for one in case.management.key_features)
        ),
    ),
    "unsafe_acts": Need("a work-up or a management that names what would harm", _harm),
    "safety_done": Need("safety actions", lambda case: bool(case.safety)),
    "must_not_miss": Need(
        "diagnoses marked as not to be missed",
        lambda case: case.diagnosis is not None and any(o.must_not_miss for o in case.diagnosis.alternatives),
    ),
    "supporting_evidence": Need("results marked key, or a work-up and facts marked key", _evidence),
    "follow_up": Need("a disposition or warnings to come back for, in its management", _followed),
}
"""The needs by score; a score that is not here can be had of any case."""


def lacking(case: Case) -> frozenset[str]:
    """The scores whose need a case does not meet."""
    return frozenset(name for name, need in NEEDS.items() if not need.met(case))
