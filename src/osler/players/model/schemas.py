"""The JSON schemas that models fill: flat, every field required, nothing else allowed.

So they qualify for the strict modes of those endpoints that have one. Reasons come before conclusions,
because models write in order. Limits of length are left to validation: strict modes refuse them.
"""

from __future__ import annotations

from typing import Any, Final

from osler.models.types import Output

TEXT: Final = {"type": "string"}
TEXTS: Final = {"type": "array", "items": TEXT}
TEXT_OR_NULL: Final = {"anyOf": [TEXT, {"type": "null"}]}
_SHARE_OR_NULL: Final = {"anyOf": [{"type": "number"}, {"type": "null"}]}


def object_of(**properties: Any) -> dict[str, Any]:  # JSON of any shape
    """The schema of an object with exactly these properties, all of them required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def output(name: str, **properties: Any) -> Output:
    """The strict output schema of such an object."""
    return Output(name=name, json_schema=object_of(**properties), strict=True)


DOCTOR_MOVE: Final = output(
    "doctor_move",
    rationale=TEXTS,
    working_diagnoses={"type": "array", "items": object_of(name=TEXT, confidence=_SHARE_OR_NULL)},
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
PATIENT_ANSWER: Final = output(
    "patient_answer",
    answer=TEXT,
    revealed_facts=TEXTS,
    unanswered_reason={"type": "string", "enum": ["none", "not_in_patient_view", "unclear_question"]},
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
    recommend_finalize={"type": "boolean"},
    diagnosis_suggestion=TEXT_OR_NULL,
)
GROUNDING_VERDICT: Final = output("grounding_verdict", unsupported=TEXTS)
