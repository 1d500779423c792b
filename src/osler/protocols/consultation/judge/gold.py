"""The gold standard of a case, compiled once: what was to be asked, ordered, done, and left undone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from osler.cases.model import Alternative, Case, Contraindicated, SafetyAction
from osler.protocols.consultation.judge.follow_up_due import FollowUp, follow_up_of
from osler.protocols.consultation.judge.named_acts import Steps, Terms
from osler.text.lexical_similarity import stems


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A key fact or finding: the texts that state it, and its names (results only).

    Compared by identity, which makes cache lookups fast.
    """

    id: str
    texts: tuple[str, ...]
    names: tuple[frozenset[str], ...]


def grounds_of(case: Case) -> tuple[Ground, ...]:
    """The key facts and findings of a case, in order."""
    facts = [Ground(f.id, (f.text, *([f.spoken] if f.spoken else ())), ()) for f in case.facts if f.key]
    findings = [
        Ground(f.id, (f"{f.name}: {f.result}",), tuple(filter(None, map(stems, (f.name, *f.aliases)))))
        for f in case.findings
        if f.key
    ]
    return (*facts, *findings)


class Gold(NamedTuple):
    """The gold standard of a case. A field is `None` if the case has no such section; `decisive` is what its
    diagnosis rests on, each group met by any of its findings."""

    key_facts: frozenset[str]
    key_findings: frozenset[str]
    required: tuple[frozenset[str], ...]
    decisive: tuple[frozenset[str], ...]
    wanted: frozenset[str]
    features: Steps | None
    unsafe: Terms | None
    unsafe_tests: Terms | None
    unnecessary: Terms | None
    safety: Terms | None
    must_not_miss: tuple[Alternative, ...]
    grounds: tuple[Ground, ...]
    follow_up: FollowUp | None


def gold_of(case: Case) -> Gold:
    """Compile the gold standard of a case."""
    workup, plan, diagnosis = case.workup, case.management, case.diagnosis
    contraindicated = (*(workup.contraindicated if workup else ()), *(plan.contraindicated if plan else ()))
    key_findings = frozenset(finding.id for finding in case.findings if finding.key)
    required = (
        tuple(frozenset(group) for group in workup.required)
        if workup
        else tuple(frozenset({item}) for item in sorted(key_findings))
    )
    wanted = frozenset[str]().union(*required, workup.useful if workup else ())
    return Gold(
        frozenset(fact.id for fact in case.facts if fact.key),
        key_findings,
        required,
        _decisive(required, key_findings),
        wanted,
        Steps(plan.key_features) if plan else None,
        _terms(contraindicated, "harmful") if workup or plan else None,
        _terms(workup.contraindicated, "harmful") if workup else None,
        _terms(contraindicated, "unnecessary") if workup or plan else None,
        _safety(case.safety) if case.safety is not None else None,
        tuple(other for other in diagnosis.alternatives if other.must_not_miss) if diagnosis else (),
        grounds_of(case),
        follow_up_of(case),
    )


def _terms(entries: tuple[Contraindicated, ...], kind: str) -> Terms:
    return Terms({each.name: (each.name, *each.terms) for each in entries if each.class_ == kind})


def _safety(actions: tuple[SafetyAction, ...]) -> Terms:
    return Terms({action.id: action.terms for action in actions}, inflected=True)


def _decisive(required: tuple[frozenset[str], ...], key: frozenset[str]) -> tuple[frozenset[str], ...]:
    """The groups of results that a diagnosis rests on: each key finding with what the work-up takes in its
    place; where none is marked key, all that the work-up requires."""
    with_key = tuple(group for group in required if group & key)
    alone = sorted(key.difference(*with_key))
    return (*with_key, *(frozenset({item}) for item in alone)) or required
