"""What a scripted model answers at each step for the source of `source.py`, and a client that does so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from osler.authoring.scenarios.asking import SEATS, Asker, Askers
from osler.models.types import Completion, CompletionRequest, ModelClient, Validate
from tests.authoring.scenarios.source import ITEMS

TRIAGE: dict[str, Any] = {
    "simulatable": True,
    "simulatable_reason": "A nurse meets one patient, with a brief, an actor's notes and a checklist.",
    "case_shape": "one encounter",
    "scenarios": [
        {
            "scenario_id": "scenario1",
            "scenario_title": "A stronger painkiller",
            "department": "general practice",
            "urgency_level": "routine",
            "patient_gender": "female",
            "patient_age": "34 years",
            "injury_body_part": "head",
            "hidden": ["medication-overuse headache"],
            "files": [1, 2, 3],
        }
    ],
}
NOT_SIMULATABLE: dict[str, Any] = {
    "simulatable": False,
    "simulatable_reason": "It is a lecture on headache; nobody meets a patient in it.",
    "case_shape": "not a case",
    "scenarios": [],
}
BRIEF = """# Your task
You are the nurse in a nurse-led clinic. Next is Maya Lind, a 34-year-old woman, who asked for a stronger
painkiller. You have 12 minutes. Take a history, tell her what you think, and agree on a plan.
"""
PATIENT = """# Maya Lind
You are Maya Lind, 34 years old, a florist, tired and a little impatient.
First words: "I just need something stronger for my head."
- For half a year a dull headache on most days; before that, migraine since school.
- Only if asked: a tablet of codeine with paracetamol on about 20 days a month.
- You fear a brain tumour, because your aunt Rosa had one. Only if asked what you fear.
"""
CONTROLLER = """# The clinic
Maya Lind's aunt Rosa is not there. One state; it ends when a plan is agreed.
- If measured: BP 118/74, HR 72, temperature 36.6 °C. Neurological examination normal.
- If asked for a headache diary: headache on 24 days of the last month.
"""
COMPETENCIES = ("ICS", "PC", "PC", "ICS", "MK", "PC", "SBP")
RUBRIC: dict[str, Any] = {
    "items": [{"competency": c, "text": text} for c, text in zip(COMPETENCIES, ITEMS, strict=True)]
}
AUDIT: dict[str, Any] = {
    "findings": [
        {
            "kind": "other",
            "severity": "moderate",
            "role": "sp_actor",
            "quote": "tired and a little impatient",
            "what": "It is not said what would calm her.",
            "mend": "Say what makes her open up.",
        }
    ]
}


def packet(markdown: str, name: str = "material") -> dict[str, Any]:
    """A role's answer of one file."""
    return {"files": [{"name": name, "markdown": markdown}]}


def evaluation(last_line: int = 12, file: int = 3) -> dict[str, Any]:
    """Where the checklist stands: the third file in natural order."""
    return {"passages": [{"name": "checklist", "file": file, "first_line": 1, "last_line": last_line}]}


def answers(**changes: Any) -> dict[str, Any]:
    """The answer to each question, by what is asked; `changes` replace some."""
    found: dict[str, Any] = {
        "triage": TRIAGE,
        "examinee": packet(BRIEF),
        "sp_actor": packet(PATIENT),
        "environment_controller": packet(CONTROLLER),
        "evaluator": evaluation(),
        "rubric": RUBRIC,
        "audit": AUDIT,
    }
    return {**found, **changes}


def script(model: str, **changes: Any) -> list[dict[str, Any]]:
    """The answers as rules of the fake endpoint."""
    given = answers(**changes)
    schemas = {"triage": "scenario_triage", "rubric": "scenario_rubric", "audit": "scenario_audit"}
    rules = [
        {"match": {"model": model, "schema_name": schema}, "reply": given[name]}
        for name, schema in schemas.items()
    ]
    roles = ("examinee", "sp_actor", "environment_controller", "evaluator")
    rules += [
        {"match": {"model": model, "anywhere": f"The role: {role}"}, "reply": given[role]} for role in roles
    ]
    return rules


class Scripted(ModelClient):
    """Answers by what is asked; a list is used up one by one, its last again and again."""

    def __init__(self, **changes: Any) -> None:
        given = answers(**changes)
        self.given = {n: list(a) if isinstance(a, list) else a for n, a in given.items()}
        self.asked: list[str] = []
        self.requests: list[CompletionRequest] = []

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        assert request.output is not None
        seat = request.seat.removeprefix("author ")
        last = next(m.text for m in reversed(request.messages[:4]) if m.role == "user")
        name = last.removeprefix("The role: ") if seat == "packets" else seat
        self.asked.append(name)
        self.requests.append(request)
        answer = self.given[name]
        if isinstance(answer, list):
            answer = answer.pop(0) if len(answer) > 1 else answer[0]
        if isinstance(answer, Exception):
            raise answer
        return Completion(text=json.dumps(answer), parsed=answer, model="scripted")

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise NotImplementedError


def askers(client: ModelClient, by: str = "writer 1") -> Askers:
    """The same client in every seat."""
    return {seat: Asker(client, by) for seat in SEATS}
