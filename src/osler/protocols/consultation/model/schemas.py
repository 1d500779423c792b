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
_NAME: Final = text(120, "name")
_DIFFERENTIAL: Final = list_of(5, name=_NAME, confidence=SHARE)
_ANSWERED: Final[Mapping[str, Mapping[str, Schema]]] = {
    "ASK": {"question": text(about="what you say to the patient")},
    "REQUEST_TEST": {"test_name": text(120, "usual name of one test or examination")},
    "CALL_MDT": {"question": text(about="what you ask the consultant")},
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
        evidence=listed(text(200, "a finding that supports it"), 6),
        working_diagnoses=_DIFFERENTIAL,
        diagnosis=text(200, "the one you hold most likely"),
        **chosen,
        confidence=SHARE,
        plan=listed(text(200, "a step"), 6),
        followup=text(300, "when, and what to watch for"),
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
_OTHERS: Final = {
    "unheld": listed(text(120, "other real test"), 4),
    "unclear": listed(text(120, "words, no test"), 4),
}
_FINDING: Final = neutral_name(FINDINGS, "name of a finding")
EXAMINATION_MATCH: Final = form(
    "examination_match",
    move("MATCH", findings=listed(_FINDING, 8, 1), **_OTHERS),
    move("NONE", **_OTHERS),
    move("AMBIGUOUS", findings=listed(_FINDING, 3, 2)),
)

_ADVICE: Final = text(about="what fits, what does not, what must not be missed")
_SUGGESTED: Final = {"diagnosis_suggestion": text(120, "the most likely, empty if it is too early")}
CONSULTANT_ADVICE: Final = form(
    "consultant_advice",
    move("ASK_NEXT", advice=_ADVICE, next_question=text(200, "the one that would help most"), **_SUGGESTED),
    move("CONCLUDE", advice=_ADVICE, **_SUGGESTED),
)
