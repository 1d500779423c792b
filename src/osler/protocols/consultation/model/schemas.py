"""JSON schemas that models in the seats of a consultation fill."""

from __future__ import annotations

from typing import Final

from osler.players.model.schemas import FLAG, TEXT, TEXT_OR_NULL, TEXTS, list_of, output

_SHARE_OR_NULL: Final = {"anyOf": [{"type": "number"}, {"type": "null"}]}

DOCTOR_MOVE: Final = output(
    "doctor_move",
    rationale=TEXTS,
    working_diagnoses=list_of(name=TEXT, confidence=_SHARE_OR_NULL),
    action={"type": "string", "enum": ["ASK", "REQUEST_TEST", "CALL_MDT", "WAIT", "FINALIZE"]},
    question=TEXT,
    test_name=TEXT,
    diagnosis=TEXT,
    answer=TEXT_OR_NULL,
    confidence=_SHARE_OR_NULL,
    evidence=TEXTS,
    plan=TEXTS,
    followup=TEXT,
)

EXAMINATION_MATCH: Final = output(
    "examination_match",
    match_type={"type": "string", "enum": ["exact", "alias", "fuzzy", "none"]},
    findings=TEXTS,
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
