"""The JSON schemas that models of the ward round fill: flat, every field required, nothing else allowed."""

from __future__ import annotations

from typing import Final

from osler.players.model.schemas import FLAG, INTEGER, TEXT, TEXT_OR_NULL, list_of, listed, output

_MOST_ANSWERS: Final = 200
_STEPS: Final = listed(INTEGER, 100)
TUTOR_GUIDANCE: Final = output(
    "guidance",
    history=TEXT,
    question=TEXT,
    students=list_of(name=TEXT, thought=TEXT),
    group=TEXT,
    image=TEXT_OR_NULL,
    guidance=TEXT,
    covered_steps=_STEPS,
)
PLAIN_GUIDANCE: Final = output("plain_guidance", guidance=TEXT, covered_steps=_STEPS)
ANALYSIS: Final = output("analysis", analysis_for_teacher=TEXT)
ACTION: Final = output("action", query_for_patient=TEXT_OR_NULL, query_for_expert=TEXT_OR_NULL)
EXAM: Final = output("exam", answers=list_of(_MOST_ANSWERS, id=TEXT, answer=TEXT))
FACT_CHECK: Final = output("fact_check", feedback=TEXT, is_correct=FLAG, covered_steps=_STEPS)
SAFETY_CHECK: Final = output(
    "safety_check",
    issue_category={
        "anyOf": [
            {"type": "string", "enum": ["safety", "ethics", "bias", "tone", "privacy"]},
            {"type": "null"},
        ]
    },
    feedback_and_suggestion=TEXT,
    is_safe=FLAG,
)
EXPLANATIONS: Final = output("explanations", explanations=list_of(explanation=TEXT, answer_provided=FLAG))
