"""The JSON schemas that models fill: flat, every field required, nothing else allowed.

So they qualify for the strict modes of those endpoints that have one. Reasons stand before what follows from
them, because models write in order. Limits of length are left to validation: strict modes refuse them.
"""

from __future__ import annotations

from typing import Any, Final

from osler.models.types import Output

_TEXT: Final = {"type": "string"}
_TEXTS: Final = {"type": "array", "items": _TEXT}
_TEXT_OR_NULL: Final = {"anyOf": [_TEXT, {"type": "null"}]}
_SHARE_OR_NULL: Final = {"anyOf": [{"type": "number"}, {"type": "null"}]}


def _object(**properties: Any) -> dict[str, Any]:  # JSON of any shape
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _output(name: str, **properties: Any) -> Output:
    return Output(name=name, json_schema=_object(**properties), strict=True)


DOCTOR_MOVE: Final = _output(
    "doctor_move",
    rationale=_TEXTS,
    working_diagnoses={"type": "array", "items": _object(name=_TEXT, confidence=_SHARE_OR_NULL)},
    action={"type": "string", "enum": ["ASK", "REQUEST_TEST", "CALL_MDT", "WAIT", "FINALIZE"]},
    question=_TEXT,
    test_name=_TEXT,
    diagnosis=_TEXT,
    answer=_TEXT_OR_NULL,
    confidence=_SHARE_OR_NULL,
    evidence=_TEXTS,
    plan=_TEXTS,
    followup=_TEXT,
)
PATIENT_ANSWER: Final = _output(
    "patient_answer",
    answer=_TEXT,
    revealed_facts=_TEXTS,
    unanswered_reason={"type": "string", "enum": ["none", "not_in_patient_view", "unclear_question"]},
)
EXAMINATION_MATCH: Final = _output(
    "examination_match",
    match_type={"type": "string", "enum": ["exact", "alias", "fuzzy", "none"]},
    findings=_TEXTS,
    matched_test_name=_TEXT_OR_NULL,
    unheld=_TEXTS,
    unclear=_TEXTS,
    reason=_TEXT,
)
CONSULTANT_ADVICE: Final = _output(
    "consultant_advice",
    note=_TEXT,
    next_question=_TEXT_OR_NULL,
    recommend_finalize={"type": "boolean"},
    diagnosis_suggestion=_TEXT_OR_NULL,
)
GROUNDING_VERDICT: Final = _output("grounding_verdict", unsupported=_TEXTS)
