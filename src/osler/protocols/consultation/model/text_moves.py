"""Text moves of a doctor, as in AgentClinic: parsing of a model's text, and rendering it back as written."""

from __future__ import annotations

import re
from typing import Any, Final

from pydantic import BaseModel

from osler.models.extraction import without_thought
from osler.protocols.consultation.seats import DOCTOR, Ask, CallMdt, DoctorView, Finalize, RequestTest, Wait

_GAP: Final = r"[ \t_*`]{0,8}"
_MOVE: Final = re.compile(
    rf"(?:\b(?:(REQUEST[ _]TESTS?|REQUEST[ _]IMAGES?)|(DIAGNOSIS[ _]READY))"
    rf"|^[ \t*_>#`-]{{0,12}}(CONSULT)){_GAP}:{_GAP}(?:\[([^\]\n]*)|([^\n]*))",
    re.IGNORECASE | re.MULTILINE,
)
_TRIMMED: Final = " \t\r*_`[].\"'"
_WAIT: Final = re.compile(r"^[ \t*_>#`-]{0,12}WAIT[ \t*_`.]{0,8}$", re.MULTILINE)
_LETTER: Final = re.compile(r"\W{0,4}(?:option )?([A-Za-z])(?:[).:\s-]|$)", re.IGNORECASE)
_LONGEST: Final = 4000


def read_move(text: str, view: DoctorView) -> Ask | RequestTest | CallMdt | Wait | Finalize:
    """Parse a move from text. Raises ValueError if there is none.

    The full text is kept as the move's rationale, so that the seat can be shown its own words again.
    """
    said = without_thought(text).strip()
    fields = _fields(said)
    if not fields:
        raise ValueError("the answer says nothing")
    if fields["action"] == "FINALIZE" and view.task.options:
        fields |= _option(fields["diagnosis"], view.task.options)
    move = DOCTOR.reply.validate_python(fields)
    if isinstance(move, Ask) or said == as_text_move(move):
        return move
    return move.model_copy(update={"rationale": (said[:_LONGEST],)})


def as_text_move(move: BaseModel) -> str:
    """Render a doctor's move as text: the original words if they were kept."""
    match move:
        case Ask():
            return move.question
        case RequestTest():
            line = f"REQUEST TEST: [{move.test_name}]"
        case CallMdt():
            line = f"CONSULT: [{move.question}]"
        case Wait():
            line = "WAIT"
        case Finalize():
            line = f"DIAGNOSIS READY: [{move.answer or move.diagnosis}]"
        case _:
            raise TypeError(f"{type(move).__name__} is no move of a doctor's")
    # A rationale that parses to the same action is the original text; any other is a private note.
    said = move.rationale[0] if move.rationale else ""
    return said if _fields(said).get("action") == move.action else line


def _fields(text: str) -> dict[str, Any]:
    """The fields of the move in a text; empty if there is none."""
    return {"action": "WAIT"} if _WAIT.search(text) else read_text_move(text) or {}


def _option(chosen: str, options: dict[str, str]) -> dict[str, str | None]:
    """The option meant, by its letter or by its text."""
    plain = chosen.strip().casefold()
    for key, text in options.items():
        if plain in (key.casefold(), text.strip().casefold()):
            return {"answer": key, "diagnosis": text}
    letter = _LETTER.match(chosen)
    for key, text in options.items():
        if letter and letter[1].casefold() == key.casefold():
            return {"answer": key, "diagnosis": text}
    return {"answer": None}


def read_text_move(text: str) -> dict[str, Any] | None:
    """The move in a text, as the fields of a doctor's reply; `None` if the text is empty.

    `REQUEST TEST: [x]` and `REQUEST IMAGES: [x]` order x, `DIAGNOSIS READY: [x]` concludes with x,
    `CONSULT: [x]` at the start of a line asks the consultant x; of several, the last that names something
    counts. Case, brackets and markdown do not matter. Any other text is said to the patient.
    """
    text = without_thought(text)
    for match in reversed(list(_MOVE.finditer(text))):
        order, ready, consult, bracketed, rest = match.groups()
        what = (bracketed if bracketed is not None else rest).strip(_TRIMMED)
        if consult:
            return {"action": "CALL_MDT", "question": what}
        if what and ready:
            return {"action": "FINALIZE", "diagnosis": what}
        if what and order:
            return {"action": "REQUEST_TEST", "test_name": what.replace("_", " ")}
    return {"action": "ASK", "question": text} if text else None
