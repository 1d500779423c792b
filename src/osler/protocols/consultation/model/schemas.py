"""JSON schemas that models in the seats of a consultation fill."""

from __future__ import annotations

from typing import Final

from osler.models.types import Output
from osler.players.model.schemas import FLAG, TEXT, TEXT_OR_NULL, TEXTS, list_of, listed, output

_SHARE_OR_NULL: Final = {"anyOf": [{"type": "number"}, {"type": "null"}]}

MOST_REASONS: Final = 6
MOST_DIAGNOSES: Final = 10
MOST_POINTS: Final = 12


def _doctor_move(*actions: str) -> Output:
    return output(
        "doctor_move",
        rationale=listed(TEXT, MOST_REASONS),
        working_diagnoses=list_of(MOST_DIAGNOSES, name=TEXT, confidence=_SHARE_OR_NULL),
        action={"type": "string", "enum": list(actions)},
        question=TEXT,
        test_name=TEXT,
        diagnosis=TEXT,
        answer=TEXT_OR_NULL,
        confidence=_SHARE_OR_NULL,
        evidence=listed(TEXT, MOST_POINTS),
        plan=listed(TEXT, MOST_POINTS),
        followup=TEXT,
    )


DOCTOR_MOVE: Final = _doctor_move("ASK", "REQUEST_TEST", "CALL_MDT", "WAIT", "FINALIZE")
LONE_DOCTOR_MOVE: Final = _doctor_move("ASK", "REQUEST_TEST", "WAIT", "FINALIZE")
"""The move of a doctor without a consultant."""
CONCLUSION: Final = _doctor_move("FINALIZE")
"""The move of a doctor who is told of the patient and only concludes."""

EXAMINATION_MATCH: Final = output(
    "examination_match",
    match_type={"type": "string", "enum": ["exact", "alias", "fuzzy", "none"]},
    findings=listed(TEXT, 60),
    matched_test_name=TEXT_OR_NULL,
    unheld=TEXTS,
    unclear=TEXTS,
    reason=TEXT,
)

CONSULTANT_ADVICE: Final = output(
    "consultant_advice",
    note=TEXT,
    next_question=TEXT_OR_NULL,
    recommend_finalize=FLAG,
    diagnosis_suggestion=TEXT_OR_NULL,
)
