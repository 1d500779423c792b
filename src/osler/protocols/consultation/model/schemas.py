"""The forms that models in the seats of a consultation fill."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from osler.models.types import Output
from osler.players.model.schemas import (
    NOTE,
    SHARE,
    Schema,
    choice,
    form,
    list_of,
    listed,
    move,
    neutral_name,
    text,
)
from osler.protocols.consultation.seats import DoctorView, ToldView

MOST_REASONS: Final = 6
MOST_DIAGNOSES: Final = 10
MOST_POINTS: Final = 12
_NAME: Final = text(120)
_POINTS: Final = listed(text(200), 6)
_DIFFERENTIAL: Final = list_of(5, name=_NAME, confidence=SHARE)
_ANSWERED: Final[Mapping[str, Mapping[str, Schema]]] = {
    "ASK": {"question": text()},
    "REQUEST_TEST": {"test_name": _NAME},
    "CALL_MDT": {"question": text()},
    "WAIT": {},
}


@cache
def doctor_form(*actions: str, options: tuple[str, ...] = (), noted: bool = False) -> Output:
    """The form of a doctor who may take these actions or conclude: with one of the `options` where the task
    has some, with working diagnoses in every move where they are to be `noted`."""
    thought = {"working_diagnoses": _DIFFERENTIAL} if noted else {}
    moves = [move(action, **thought, **_ANSWERED[action]) for action in actions]
    chosen = {"answer": choice(*options)} if options else {}
    conclusion = move(
        "FINALIZE",
        evidence=_POINTS,
        working_diagnoses=_DIFFERENTIAL,
        diagnosis=text(200),
        **chosen,
        confidence=SHARE,
        plan=_POINTS,
        followup=text(300),
    )
    return form("doctor_move", *moves, conclusion, note=NOTE)


def form_of(view: DoctorView, *, noted: bool = False) -> Output:
    """The form of the doctor with this view."""
    options = tuple(view.task.options or ())
    if isinstance(view, ToldView):
        return doctor_form(options=options)
    actions = ("ASK", "REQUEST_TEST", *(["CALL_MDT"] if view.has_consultant else []), "WAIT")
    return doctor_form(*actions, options=options, noted=noted)


FINDINGS: Final = "F"
"""The letter of the findings' neutral names."""
_PARTS: Final = listed(_NAME, 6)
EXAMINATION_MATCH: Final = form(
    "examination_match",
    move("MATCH", findings=listed(neutral_name(FINDINGS)), unheld=_PARTS, unclear=_PARTS),
    move("NEAR"),
    move("NONE", unheld=_PARTS, unclear=_PARTS),
    note=120,
)

CONSULTANT_ADVICE: Final = form(
    "consultant_advice",
    move("ASK_NEXT", advice=text(), next_question=text(200), diagnosis_suggestion=_NAME),
    move("CONCLUDE", advice=text(), diagnosis_suggestion=_NAME),
)
