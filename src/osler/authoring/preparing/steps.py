"""A teaching plan derived from a structured case, without a model: observe, interpret, conclude.

It has as many steps as the case supports: its history, each examination and test that matters, the
differential, the answer, and the management. Nothing is added to what the case says; a section that it lacks
has no step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from osler.authoring.preparing.siblings import siblings
from osler.cases.answers import answer_of, names_the_answer
from osler.cases.model import Case, Fact, Finding, SocraticStep, TeachingPlan
from osler.knowledge.vocabulary import FindingKind

MOST_RESULTS: Final = 4
_MOST_FACTS: Final = 6
_HISTORY: Final = "Which parts of the history matter most here, and what do they have in common?"
_OTHERS: Final = "What else could this be, which of these must not be missed, and what tells them apart?"
_PLAN: Final = "What must be done now, what must be kept from this patient, and who looks after them next?"
_KINDS: Final[dict[FindingKind, str]] = {
    "examination": "You examine the patient: {name}. What is found, and what does it mean with the story?",
    "test": "Which result do you look for here: {name}? Read it together with what you know so far.",
    "image": "What does this show: {name}? Describe before you interpret.",
}


def plan_of(case: Case) -> TeachingPlan:
    """The case's own plan where it has one, else one built from its content; siblings likewise. Pure."""
    plan = case.teaching or TeachingPlan(objectives=(), steps=tuple(_steps(case)))
    return plan if plan.siblings else plan.model_copy(update={"siblings": siblings(case, plan.steps)})


def _steps(case: Case) -> Iterator[SocraticStep]:
    if facts := _telling(case.facts):
        yield SocraticStep(key_question=_HISTORY, summary=" ".join(_sentence(fact.text) for fact in facts))
    for finding in _results(case):
        name = "this result" if names_the_answer(case, finding.name) else finding.name
        asked = _KINDS[finding.kind].format(name=name)
        image = finding.id if finding.kind == "image" or finding.picture is not None else None
        yield SocraticStep(
            key_question=asked, summary=_sentence(f"{finding.name}: {finding.result}"), image=image
        )
    if case.diagnosis and case.diagnosis.alternatives:
        others = (
            f"{other.name}{' (must not be missed)' if other.must_not_miss else ''}: {other.why_less_likely}"
            for other in case.diagnosis.alternatives
        )
        yield SocraticStep(key_question=_OTHERS, summary=" ".join(map(_sentence, others)))
    yield SocraticStep(
        key_question=f"Put it all together. {_sentence(case.task.question, '?')}",
        summary=_sentence(answer_of(case)),
    )
    if case.management and case.management.key_features:
        done = (feature.what for feature in case.management.key_features)
        lines = (f"Not {harm.name}: {harm.why}" for harm in case.management.contraindicated)
        words = (*done, *lines, case.management.disposition)
        yield SocraticStep(key_question=_PLAN, summary=" ".join(map(_sentence, words)))


def _telling(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """The key facts, or where none is marked the first positive ones."""
    key = [fact for fact in facts if fact.key]
    return tuple((key or [fact for fact in facts if not fact.absent])[:_MOST_FACTS])


def _results(case: Case) -> tuple[Finding, ...]:
    """The key findings; where none is marked, the abnormal ones; where that is unknown, the first ones."""
    key = [finding for finding in case.findings if finding.key]
    abnormal = [finding for finding in case.findings if finding.abnormal]
    return tuple((key or abnormal or case.findings)[:MOST_RESULTS])


def _sentence(text: str, end: str = ".") -> str:
    words = text.strip()
    return words if words.endswith((".", "?", "!")) else f"{words}{end}"
