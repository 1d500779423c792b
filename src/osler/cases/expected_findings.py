"""Findings that a case's diagnosis makes likely, and those of them that the case leaves unwritten."""

from __future__ import annotations

from osler.cases.model import Case, once_a_case
from osler.knowledge.conditions import likely_findings
from osler.knowledge.findings import Finding
from osler.text.findings_in_text import mentions


def likely(case: Case) -> tuple[Finding, ...]:
    """Findings that the diagnosis makes likely."""
    return likely_findings(case.diagnosis.name if case.diagnosis else case.task.answer)


@once_a_case
def unwritten(case: Case) -> tuple[Finding, ...]:
    """Findings that the diagnosis makes likely and the case does not mention.

    No player may deny these or call them normal: the case ought to have said.
    """
    ought = likely(case)
    if not ought:
        return ()
    written = [case.opening.words, case.opening.door_note]
    written += [fact.text for fact in case.facts] + [finding.result for finding in case.findings]
    mentioned = set[str]().union(*(mentions(text) for text in written))
    return tuple(finding for finding in ought if finding.id not in mentioned)
