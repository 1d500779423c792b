"""The oracle's plan: the answer, and how to elicit every key fact and finding.

The oracle is privileged: it does not measure how well anyone plays, but shows that a case can be played.
"""

from __future__ import annotations

from osler.cases.model import Case, Fact, Finding
from osler.knowledge.catalogue import RECORDS, catalogue
from osler.knowledge.known_tests import meant_test
from osler.knowledge.vocabulary import Told
from osler.protocols.consultation.events import WorkingDiagnosis
from osler.protocols.consultation.players.examination import match_order
from osler.protocols.consultation.players.oracle import OraclePlan
from osler.protocols.consultation.seats import Finalize
from osler.protocols.consultation.views import examination_view
from osler.text.topics import canonical_question

_ASSURANCE: dict[Told, str] = {
    "volunteered": "",
    "asked": "",
    "in_private": "May I speak with you alone, in private? ",
    "normalized": "I ask everyone this, as it is very common. ",
    "confidential": "Whatever you tell me here is confidential and stays between us. ",
}


def _ask(fact: Fact) -> tuple[str, str]:
    words = fact.spoken or fact.text
    return f"{_ASSURANCE[fact.told]}{canonical_question(fact.topic)}", words


def _not_to_be_missed(case: Case) -> list[WorkingDiagnosis]:
    others = case.diagnosis.alternatives if case.diagnosis else ()
    return [
        WorkingDiagnosis(name=other.name[:300], confidence=0.0) for other in others if other.must_not_miss
    ]


def listed_name(case: Case, finding: Finding) -> str:
    """Return a name of the catalogue under which a finding is found; its own name if there is none."""
    views, names = examination_view(case).findings, catalogue()
    test = meant_test(finding.name)
    likely = [name for name in (finding.name, test.name if test else "") if name in names]
    pairs = (name for name in (*likely, *names) if finding.id in match_order(name, views).findings)
    return next(pairs, finding.name)


def oracle_plan(case: Case) -> OraclePlan:
    """Return questions for the key facts, orders for the key findings and required groups, and the answer."""
    asks = [_ask(fact) for fact in case.facts if fact.key and fact.known_by != "record"]
    required = {group[0] for group in case.workup.required} if case.workup else set[str]()
    findings = [finding for finding in case.findings if finding.key or finding.id in required]
    task = case.task
    answer = task.options[task.answer] if task.kind == "choice" and task.options else task.answer
    management = case.management
    features = management.key_features if management else ()
    final = Finalize(
        diagnosis=answer,
        answer=task.answer if task.kind == "choice" else None,
        confidence=1.0,
        working_diagnoses=(WorkingDiagnosis(name=answer[:300], confidence=1.0), *_not_to_be_missed(case)),
        evidence=(
            *((fact.spoken or fact.text)[:4000] for fact in case.facts if fact.key),
            *(f"{finding.name}: {finding.result}"[:4000] for finding in findings),
        ),
        plan=(*(step.what for step in features), *(act.what for act in case.safety or ())),
        followup=" ".join((management.disposition, *management.safety_net)) if management else "",
    )
    in_the_record = any(fact.key and fact.known_by == "record" for fact in case.facts)
    orders = [(finding.name, listed_name(case, finding)) for finding in findings]
    orders += [(RECORDS, RECORDS)] if in_the_record else []
    return OraclePlan(asks=tuple(asks), orders=tuple(orders), final=final)
