"""The forms that models of the ward round fill."""

from __future__ import annotations

from functools import cache
from itertools import product
from types import MappingProxyType
from typing import Final

from osler.models.types import Output
from osler.players.model.schemas import (
    FLAG,
    NOTE,
    Schema,
    choice,
    form,
    list_of,
    listed,
    move,
    neutral_name,
    text,
)
from osler.protocols.ward_round.seats import StudentView, TutorView

STUDENTS: Final = "N"
STEPS: Final = "S"
ITEMS: Final = "Q"
"""The letters of the neutral names of students, steps of the plan, and items of an exam."""
MOST_STUDENTS: Final = 10
_MOST_STEPS: Final = 20
_STEPS: Final = listed(neutral_name(STEPS, "name of a step", _MOST_STEPS), _MOST_STEPS)
_GUIDANCE: Final[Schema] = {"guidance": text(800, "what you say to the group"), "covered_steps": _STEPS}


@cache
def guidance_form(*, thinks: bool, images: bool = False) -> Output:
    """The form of a tutor, who thinks in writing about each student or not, and about images if any."""
    if not thinks:
        return form("guidance", move("GUIDE", **_GUIDANCE))
    name = neutral_name(STUDENTS, "name of the student", MOST_STUDENTS)
    thought = {
        "history": text(200, "what has happened so far"),
        "question": text(200, "which step to lead towards, and how"),
        "students": list_of(MOST_STUDENTS, name=name, thought=text(200, "what they know, lack and need")),
        "group": text(200, "what the group needs now"),
        **({"image": text(200, "what the images show that matters now")} if images else {}),
    }
    return form("guidance", move("GUIDE", **thought, **_GUIDANCE))


def form_of(view: TutorView) -> Output:
    """The form of the tutor with this view."""
    return guidance_form(thinks=view.private_thought, images=bool(view.images))


_QUERY: Final = text(300, "your question")
STUDENT_FORMS: Final = MappingProxyType(
    {
        "analyse": form(
            "analysis", move("ANALYSE", analysis_for_teacher=text(about="one to three sentences"))
        ),
        "exam": form(
            "exam",
            move(
                "ANSWER",
                answers=list_of(40, id=neutral_name(ITEMS, "name of the item"), answer=text(160, "answer")),
            ),
        ),
    }
)
"""The form of a student by what is wanted, but for acting."""


@cache
def act_form(*, patient: bool, expert: bool) -> Output:
    """The form of a student who may ask those who are there to answer, or pass."""
    moves = [move("PASS")]
    if patient:
        moves.append(move("ASK_PATIENT", query_for_patient=_QUERY))
    if expert:
        moves.append(move("ASK_EXPERT", query_for_expert=_QUERY))
    if patient and expert:
        moves.append(move("ASK_BOTH", query_for_patient=_QUERY, query_for_expert=_QUERY))
    return form("action", *moves)


ACT_FORMS: Final = tuple(
    act_form(patient=patient, expert=expert) for patient, expert in product((True, False), repeat=2)
)
"""The forms of a student who acts, that of a round with everybody first."""


def student_form(wanted: str, view: StudentView) -> Output:
    """The form of a student with this view who is asked for this act."""
    if wanted == "act":
        return act_form(patient=view.has_patient, expert=view.has_expert)
    return STUDENT_FORMS[wanted]


FACT_CHECK: Final = form(
    "fact_check",
    move("APPROVE", covered_steps=_STEPS),
    move("REJECT", feedback=text(400, "the words, what is wrong, what is right"), covered_steps=_STEPS),
    note=NOTE,
)
SAFETY_CHECK: Final = form(
    "safety_check",
    move("APPROVE"),
    move(
        "REJECT",
        feedback_and_suggestion=text(400, "the words, and how to put it better"),
        issue_category=choice("safety", "ethics", "bias", "tone", "privacy"),
    ),
    note=NOTE,
)
EXPLANATIONS: Final = form(
    "explanations",
    move(
        "EXPLAIN",
        explanations=list_of(
            MOST_STUDENTS, explanation=text(about="explanation, or empty"), answer_provided=FLAG
        ),
    ),
)
