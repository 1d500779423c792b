"""The audit checklist of a consultation benchmark, as far as a program can check it.

The items are those of public audits of medical-agent benchmarks, marked 2 (holds), 1 (holds in part) or 0
(does not hold), each with a one-line reason. Items common to all protocols are in `osler.studies.audit`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from osler.cases.file_source import FileSource
from osler.cases.generator.source import GeneratedSource
from osler.judging.correctness import plain
from osler.judging.diagnosis.measured import standing
from osler.protocols.consultation.case_set_defects import LOOKS_AT, TOLD_ELSEWHERE
from osler.protocols.consultation.judge.built_in import grader_version
from osler.stats.intervals import Bounded
from osler.studies.audit import MOSTLY, NOTHING, Audit, Evidence, Flaw, Judged, shared

_CANARY: Final = re.compile(rb"canary[^\n]{0,40}?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_MISSED: Final = frozenset({"unplayable", TOLD_ELSEWHERE})
_NAMES_IT: Final = frozenset({"answer-leak", "answer-in-name", "answer-denied", "id-hints", "import-flag"})
_HEAD: Final = 4096


def own_items(
    audit: Audit,
    players: Mapping[str, Bounded],
    flaws: tuple[Flaw, ...],
    general: Mapping[str, Judged],
) -> dict[str, Judged]:
    """Return every item's mark with its reason, including those common to all protocols."""
    evidence = audit.seen
    level, why = general["versions_pinned"]
    versions = f"{why.partition('; judged by')[0]}; judged by {grader_version()}"
    return {
        "traceability": general["traceability"],
        "provenance_and_licence": _provenance(evidence),
        "contamination": _contamination(evidence),
        "gold_isolation": _gold_isolation(audit, flaws),
        "frozen_environment": general["frozen_environment"],
        "oracle_reaches_100": _oracle(evidence, flaws),
        "trivial_near_chance": _trivial(audit, players, flaws),
        "evaluator_validated": _evaluator(evidence, flaws),
        "non_determinism_reported": general["non_determinism_reported"],
        "resampling_unit_stated": _resampling(evidence),
        "versions_pinned": (level, versions),
        "slices_reported": _slices(evidence),
    }


def _provenance(evidence: Evidence) -> Judged:
    provenances = [case.provenance for case in evidence.cases.values()]
    named = sum(bool(kept.origin and (kept.author or kept.sources)) for kept in provenances)
    licensed = sum(bool(kept.licence) for kept in provenances)
    why = f"{named} of {len(provenances)} cases name an author or source, {licensed} a licence"
    worst = min(named, licensed)
    return (
        2 if worst == len(provenances) else 1 if max(named, licensed) >= MOSTLY * len(provenances) else 0
    ), why


def _contamination(evidence: Evidence) -> Judged:
    if isinstance(evidence.source, GeneratedSource):
        return 2, "generated from a seed on demand"
    files = [path for _, path in evidence.source.files()] if isinstance(evidence.source, FileSource) else []
    marked = 0
    for path in files:
        with path.open("rb") as opened:
            marked += bool(_CANARY.search(opened.read(_HEAD)))
    return shared(marked, len(files), "files begin with a canary by which a training set would show them")


def _gold_isolation(audit: Audit, flaws: tuple[Flaw, ...]) -> Judged:
    """Mark gold isolation. Titles are for educators and no seat sees them, so they do not count here."""
    result = [flaw for flaw in flaws if flaw.code in _NAMES_IT]
    sure = sum(flaw.level == "error" for flaw in result)
    probes = [name for name in _gainers(flaws) if LOOKS_AT[name] != NOTHING]
    why = (
        f"{sure} places name the answer, {len(result) - sure} may; gaining: {', '.join(probes) or 'no probe'}"
    )
    if sure:
        return 0, why
    # The reason for coming tells a doctor something: that is not a leak.
    return audit.with_enough(1 if result or set(probes) - {"opening-only"} else 2, why)


def _oracle(evidence: Evidence, flaws: tuple[Flaw, ...]) -> Judged:
    stuck = {case for flaw in flaws if flaw.code in _MISSED for case in flaw.cases}
    right = len(evidence.cases) - len(stuck)
    return shared(
        right, len(evidence.cases), "cases give the oracle every key fact, key finding and the score"
    )


def _trivial(audit: Audit, players: Mapping[str, Bounded], flaws: tuple[Flaw, ...]) -> Judged:
    gaining = [name for name in _gainers(flaws) if LOOKS_AT[name] == NOTHING]
    silent = players["null"].value
    scores = ", ".join(
        f"{name} {found.value:.1%}"
        for name, found in players.items()
        if LOOKS_AT.get(name) == NOTHING and found.value is not None
    )
    if silent != 0:
        return 0, f"a player that never concludes is not scored as wrong; {scores}"
    return audit.with_enough(0 if gaining else 2, scores)


def _evaluator(evidence: Evidence, flaws: tuple[Flaw, ...]) -> Judged:
    """At most partly without a measured agreement: that known verdicts are reproduced validates nothing."""
    wrong = {case for flaw in flaws if flaw.code.startswith("judge-") for case in flaw.cases}
    right = len(evidence.cases) - len(wrong)
    level, why = shared(right, len(evidence.cases), "cases: known verdicts are reproduced")
    known = standing()
    measured = known.measured.agreement.value is not None
    return (level if measured else min(level, 1)), f"{known.words.rstrip('.')}; {why}"


def _resampling(evidence: Evidence) -> Judged:
    texts = {
        plain(f"{case.opening.words} {[fact.text for fact in case.facts]}")
        for case in evidence.cases.values()
    }
    doubled = len(evidence.cases) - len(texts)
    if doubled:
        return 1, f"intervals are clustered by case, but {doubled} cases repeat another's text"
    return 2, f"every interval is clustered by case; {len(texts)} distinct cases"


def _slices(evidence: Evidence) -> Judged:
    known = sum(
        bool(case.specialty and case.sex and case.age_years is not None) for case in evidence.cases.values()
    )
    level, why = shared(known, len(evidence.cases), "cases say specialty, sex and age; slices are reported")
    partly = any(case.specialty or case.sex for case in evidence.cases.values())
    return (1 if partly and level == 0 else level), why


def _gainers(flaws: tuple[Flaw, ...]) -> list[str]:
    """Return the trivial players and probes whose lift was found clear of zero."""
    codes = {flaw.code for flaw in flaws}
    return [name for name in LOOKS_AT if name in codes]
