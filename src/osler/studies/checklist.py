"""The audit checklist of a benchmark, as far as a program can check it: 2 holds, 1 in part, 0 does not.

The items are those of public audits of medical-agent benchmarks. Each mark comes with its reason in one line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, NamedTuple

from osler.cases.generator.source import GeneratedSource
from osler.cases.model import Case
from osler.cases.sources import CaseSource, FileSource
from osler.errors import Status
from osler.judging.correctness import plain
from osler.judging.judge import grader_version
from osler.reports.summary import Accuracy, Interval
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.flaws import LOOKS_AT, TOLD_ELSEWHERE, Flaw

Mark = Literal[0, 1, 2]
Judged = tuple[Mark, str]
Item = Literal[
    "traceability",
    "provenance_and_licence",
    "contamination",
    "gold_isolation",
    "frozen_environment",
    "oracle_reaches_100",
    "trivial_near_chance",
    "evaluator_validated",
    "non_determinism_reported",
    "resampling_unit_stated",
    "versions_pinned",
    "slices_reported",
]

MOSTLY: Final = 0.9
ENOUGH: Final = 16
"""The share from which something holds in part."""
_CANARY: Final = re.compile(rb"canary[^\n]{0,40}?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_MISSED: Final = frozenset({"unplayable", TOLD_ELSEWHERE})
_NAMES_IT: Final = frozenset({"answer-leak", "answer-in-name", "answer-denied", "id-hints", "import-flag"})
_HEAD: Final = 4096
_PINNED: Final = ("osler", "knowledge", "cases_fingerprint", "protocol")


class Evidence(NamedTuple):
    """What the battery measured. `again` are the content hashes of a second reading of the source;
    `replayed` is how many episodes came out the same when played again, of how many."""

    cases: tuple[Case, ...]
    source: CaseSource
    again: tuple[str, ...]
    players: Mapping[str, Accuracy]
    lift: Mapping[str, Interval]
    flaws: tuple[Flaw, ...]
    runs: Mapping[str, RunInfo]
    store: Store
    replayed: tuple[int, int]


def marks(seen: Evidence) -> dict[Item, Judged]:
    """Every item's mark with its reason."""
    return {item: check(seen) for item, check in _CHECKS.items()}


def _shared(count: int, of: int, what: str) -> Judged:
    """2 where it holds for all, 1 where for most, 0 else."""
    level: Mark = 2 if count == of else 1 if count >= MOSTLY * of else 0
    return level, f"{count} of {of} {what}"


def _traceability(seen: Evidence) -> Judged:
    planned = sum(run.planned for run in seen.runs.values())
    kept = sum(
        bool(episode.key) and episode.status is not Status.DIVERGED
        for run in seen.runs.values()
        for episode in seen.store.episodes(run.id)
    )
    whole = all(
        (body := seen.store.case(case.content_hash)) is not None
        and Case.model_validate_json(body).content_hash == case.content_hash
        for case in seen.cases
    )
    level, why = _shared(kept, planned, "consultations are stored under a key of all that decides them")
    return level if whole else 0, why if whole else "a stored case is not the one that was played"


def _provenance(seen: Evidence) -> Judged:
    known = [case.provenance for case in seen.cases]
    named = sum(bool(kept.origin and (kept.author or kept.sources)) for kept in known)
    licensed = sum(bool(kept.licence) for kept in known)
    why = f"{named} of {len(known)} cases name an author or source, {licensed} a licence"
    worst = min(named, licensed)
    return (2 if worst == len(known) else 1 if max(named, licensed) >= MOSTLY * len(known) else 0), why


def _contamination(seen: Evidence) -> Judged:
    if isinstance(seen.source, GeneratedSource):
        return 2, "made up from a seed when they are needed"
    files = seen.source.files if isinstance(seen.source, FileSource) else ()
    marked = 0
    for file in files:
        with file.path.open("rb") as opened:
            marked += bool(_CANARY.search(opened.read(_HEAD)))
    return _shared(marked, len(files), "files begin with a canary by which a training set would show them")


def _gold_isolation(seen: Evidence) -> Judged:
    """Titles are for educators and no seat sees them, so they do not count here."""
    found = [flaw for flaw in seen.flaws if flaw.code in _NAMES_IT]
    sure = sum(flaw.level == "error" for flaw in found)
    probes = [name for name in _gainers(seen) if LOOKS_AT[name] != "nothing"]
    why = (
        f"{sure} places name the answer, {len(found) - sure} may; gaining: {', '.join(probes) or 'no probe'}"
    )
    if sure:
        return 0, why
    # What brings somebody in tells a doctor something: that is no leak.
    return _with_enough(seen, 1 if found or set(probes) - {"opening-only"} else 2, why)


def _with_enough(seen: Evidence, level: Mark, why: str) -> Judged:
    """No full mark where so few cases could not show a gain of 20 points: with none of 16 right, the interval
    ends at 0.19."""
    if level == 2 and len(seen.cases) < ENOUGH:
        return 1, f"{why}; {len(seen.cases)} cases are too few to show a gain"
    return level, why


def _frozen(seen: Evidence) -> Judged:
    first = tuple(case.content_hash for case in seen.cases)
    hashes = {run.manifest["configuration"]["cases_fingerprint"] for run in seen.runs.values()}
    if first != seen.again or len(hashes) != 1:
        return 0, "the cases changed between two readings"
    return 2, f"two readings gave the same {len(first)} cases; every run names fingerprint {hashes.pop()[:8]}"


def _oracle(seen: Evidence) -> Judged:
    stuck = {case for flaw in seen.flaws if flaw.code in _MISSED for case in flaw.cases}
    right = len(seen.cases) - len(stuck)
    return _shared(right, len(seen.cases), "cases give the oracle every key fact, key finding and the score")


def _trivial(seen: Evidence) -> Judged:
    gaining = [name for name in _gainers(seen) if LOOKS_AT[name] == "nothing"]
    silent = seen.players["null"].value
    scores = ", ".join(
        f"{name} {found.value:.1%}"
        for name, found in seen.players.items()
        if LOOKS_AT.get(name) == "nothing" and found.value is not None
    )
    if silent != 0:
        return 0, f"one who never concludes is not wrong; {scores}"
    return _with_enough(seen, 0 if gaining else 2, scores)


def _evaluator(seen: Evidence) -> Judged:
    wrong = {case for flaw in seen.flaws if flaw.code.startswith("judge-") for case in flaw.cases}
    right = len(seen.cases) - len(wrong)
    return _shared(right, len(seen.cases), "cases: verdicts known beforehand come out so (not human labels)")


def _determinism(seen: Evidence) -> Judged:
    same, tried = seen.replayed
    return _shared(same, tried, "consultations played again gave the same trace and judgement, byte for byte")


def _resampling(seen: Evidence) -> Judged:
    texts = {plain(f"{case.opening.words} {[fact.text for fact in case.facts]}") for case in seen.cases}
    doubled = len(seen.cases) - len(texts)
    if doubled:
        return 1, f"intervals are clustered by case, but {doubled} cases repeat another's text"
    return 2, f"every interval is clustered by case; {len(texts)} distinct cases"


def _versions(seen: Evidence) -> Judged:
    whole = 0
    for run in seen.runs.values():
        pinned: dict[str, Any] = {**run.manifest["configuration"], **run.manifest["versions"]}
        whole += all(pinned.get(name) for name in (*_PINNED, "python"))
    level, why = _shared(whole, len(seen.runs), "runs name every version")
    return level, f"{why}; judged by {grader_version()}"


def _slices(seen: Evidence) -> Judged:
    known = sum(bool(case.specialty and case.sex and case.age_years is not None) for case in seen.cases)
    level, why = _shared(known, len(seen.cases), "cases say specialty, sex and age; slices are reported")
    partly = any(case.specialty or case.sex for case in seen.cases)
    return (1 if partly and level == 0 else level), why


def _gainers(seen: Evidence) -> list[str]:
    """Trivial players and probes whose lift was found clear of zero."""
    found = {flaw.code for flaw in seen.flaws}
    return [name for name in LOOKS_AT if name in found]


_CHECKS: Final[dict[Item, Callable[[Evidence], Judged]]] = {
    "traceability": _traceability,
    "provenance_and_licence": _provenance,
    "contamination": _contamination,
    "gold_isolation": _gold_isolation,
    "frozen_environment": _frozen,
    "oracle_reaches_100": _oracle,
    "trivial_near_chance": _trivial,
    "evaluator_validated": _evaluator,
    "non_determinism_reported": _determinism,
    "resampling_unit_stated": _resampling,
    "versions_pinned": _versions,
    "slices_reported": _slices,
}
