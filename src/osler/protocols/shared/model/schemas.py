"""JSON schemas of a patient's answer and of its second reader's verdict."""

from __future__ import annotations

from typing import Final

from osler.players.model.schemas import TEXT, TEXTS, output

PATIENT_ANSWER: Final = output(
    "patient_answer",
    answer=TEXT,
    revealed_facts=TEXTS,
    unanswered_reason={"type": "string", "enum": ["none", "not_in_patient_view", "unclear_question"]},
)

GROUNDING_VERDICT: Final = output("grounding_verdict", unsupported=TEXTS)
