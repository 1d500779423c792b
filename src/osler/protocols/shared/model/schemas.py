"""JSON schemas of a patient's answer and of its second reader's verdict."""

from __future__ import annotations

from typing import Final

from osler.players.model.schemas import TEXT, TEXTS, listed, output

MOST_FACTS: Final = 60
PATIENT_ANSWER: Final = output(
    "patient_answer",
    answer=TEXT,
    revealed_facts=listed(TEXT, MOST_FACTS),
    unanswered_reason={"type": "string", "enum": ["none", "not_in_patient_view", "unclear_question"]},
)

GROUNDING_VERDICT: Final = output("grounding_verdict", unsupported=TEXTS)
