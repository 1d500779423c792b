"""The JSON schemas that models of the ward round fill: flat, every field required, nothing else allowed."""

from __future__ import annotations

from typing import Any, Final

from osler.players.model.schemas import TEXT, TEXT_OR_NULL, object_of, output

_STEPS: Final = {"type": "array", "items": {"type": "integer"}}
_FLAG: Final = {"type": "boolean"}


def _list(**properties: Any) -> dict[str, Any]:  # JSON of any shape
    return {"type": "array", "items": object_of(**properties)}


TUTOR_GUIDANCE: Final = output(
    "guidance",
    history=TEXT,
    question=TEXT,
    students=_list(name=TEXT, thought=TEXT),
    group=TEXT,
    image=TEXT_OR_NULL,
    guidance=TEXT,
    covered_steps=_STEPS,
)
PLAIN_GUIDANCE: Final = output("plain_guidance", guidance=TEXT, covered_steps=_STEPS)
ANALYSIS: Final = output("analysis", analysis_for_teacher=TEXT)
ACTION: Final = output("action", query_for_patient=TEXT_OR_NULL, query_for_expert=TEXT_OR_NULL)
EXAM: Final = output("exam", answers=_list(id=TEXT, answer=TEXT))
FACT_CHECK: Final = output("fact_check", feedback=TEXT, is_correct=_FLAG)
SAFETY_CHECK: Final = output(
    "safety_check",
    issue_category={
        "anyOf": [
            {"type": "string", "enum": ["safety", "ethics", "bias", "tone", "privacy"]},
            {"type": "null"},
        ]
    },
    feedback_and_suggestion=TEXT,
    is_safe=_FLAG,
)
EXPLANATIONS: Final = output("explanations", explanations=_list(explanation=TEXT, answer_provided=_FLAG))
