"""A prepared case in the published form of exam vignettes: question, options, label, steps, patient script.

For a case imported from this form the prose is assembled again from the case's pieces.
"""

from __future__ import annotations

from hashlib import blake2b
from string import ascii_uppercase
from typing import Any

from osler.authoring.preparing.by_model import images_of
from osler.authoring.preparing.script import Script, published
from osler.cases.answers import answer_of
from osler.cases.model import Case


def published_case(case: Case, script: Script) -> dict[str, Any]:
    """The published record, in which `label` is the right option's letter."""
    options, label = _options(case)
    images = list(images_of(case))
    return {
        "id": case.id,
        "question": _prose(case, options),
        "options": options,
        "label": label,
        **({"images": images} if images else {}),
        "medical_task": "Diagnosis" if case.task.kind == "diagnosis" else "Other",
        "body_system": case.specialty or "",
        "question_type": "Reasoning",
        "question_steps": [
            {
                "key_question": step.key_question,
                "step_summary": step.summary,
                "associated_image_id": step.image,
            }
            for step in (case.teaching.steps if case.teaching else ())
        ],
        "patient_script": published(script),
    }


def _options(case: Case) -> tuple[dict[str, str], str]:
    """The options and the label: the case's own, else its diagnosis among the differential."""
    if case.task.kind == "choice" and case.task.options:
        return dict(case.task.options), case.task.answer
    right = answer_of(case)
    others = [other.name for other in case.diagnosis.alternatives] if case.diagnosis else []
    names = sorted([right, *others], key=lambda name: blake2b(f"{case.id}{name}".encode()).digest())
    options = dict(zip(ascii_uppercase, names, strict=False))
    return options, next(letter for letter, name in options.items() if name == right)


def _prose(case: Case, options: dict[str, str]) -> str:
    facts = " ".join(fact.text for fact in case.facts)
    results = " ".join(f"{finding.name}: {finding.result}" for finding in case.findings)
    prose = " ".join(part for part in (case.opening.door_note, facts, results, case.task.question) if part)
    if not options:
        return prose
    choices = " ".join(f"({letter}) {text}" for letter, text in options.items())
    return f"{prose}\nAnswer Choices: {choices}"
