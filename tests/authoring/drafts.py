"""A sound draft as a model might write it, and a scripted model that says what it is told."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

from osler.models.types import Completion, CompletionRequest, ModelClient, Validate

_FACTS = (
    ("course", "The cough began five days ago.", "It started five days ago.", True, True),
    ("associated", "He has had fever with shivers.", "I have been hot and shivering.", True, True),
    ("associated", "He brings up rust-coloured sputum.", "What I cough up looks rusty.", True, False),
    ("systems", "He has not lost weight.", "My weight is the same.", False, False),
    ("systems", "He has no leg swelling.", "My legs are as ever.", False, False),
    ("past_medical", "He has had no earlier lung disease.", "My chest was always fine.", False, False),
    ("medications", "He takes no regular medicines.", "I take nothing.", False, False),
    ("allergies", "He has no known allergies.", "None that I know of.", False, False),
    ("ideas", "He thinks it is a cold that will not go.", "I think it is a stubborn cold.", True, False),
)
_FINDINGS: tuple[tuple[object, ...], ...] = (
    ("examination", "Vital signs", ["observations"], "Temperature 38.9 C, pulse 104/min.", True, False),
    ("examination", "Respiratory examination", ["chest"], "Crackles at the right base.", True, True),
    ("test", "Full blood count", ["FBC"], "White cells 15.2 x10^9/L (4.0-11.0).", True, False),
    ("image", "Chest X-ray", ["CXR"], "Dense shadow in the right lower zone.", True, True),
    ("test", "D-dimer", [], "0.3 mg/L (below 0.5).", False, False),
)


def draft(**changes: Any) -> dict[str, Any]:
    """A case that needs no mending; `changes` replace its fields."""
    found: dict[str, Any] = {
        "diagnosis": "Pneumonia",
        "synonyms": ["community-acquired pneumonia", "lobar pneumonia"],
        "title": "A cough that stays",
        "age_years": 47,
        "sex": "male",
        "setting": "primary care",
        "speaker": "patient",
        "door_note": "A 47-year-old man has come because of a cough.",
        "first_words": "This cough will not leave me alone, doctor.",
        "history": [
            dict(zip(("topic", "fact", "spoken", "present", "key"), row, strict=True)) for row in _FACTS
        ],
        "findings": [
            dict(zip(("kind", "name", "aliases", "result", "abnormal", "key"), row, strict=True))
            for row in _FINDINGS
        ],
        "alternatives": [
            {
                "name": "Pulmonary embolism",
                "why_less_likely": "The D-dimer is normal and no leg is swollen.",
                "must_not_miss": True,
                "told_apart_by": ["d-dimer", "A test that is not there"],
            }
        ],
        "management": [{"what": "An oral antibiotic.", "words": ["amoxicillin"], "critical": True}],
        "never": [{"name": "Sedatives", "words": ["diazepam"], "why": "They depress breathing."}],
        "disposition": "Home, seen again in two days.",
        "safety_net": ["Come back if you become breathless."],
        "guideline": "A national guideline on pneumonia",
        "guideline_year": 2019,
        "jurisdiction": "United Kingdom",
    }
    return copy.deepcopy({**found, **changes})


class Model(ModelClient):
    """Answers from a list, the last one again and again; keeps what it was asked."""

    def __init__(self, *answers: object) -> None:
        self.answers = list(answers)
        self.name = "scripted-1"
        self.asked: list[CompletionRequest] = []

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        self.asked.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return Completion(text=json.dumps(answer), parsed=answer, model=self.name)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise NotImplementedError
