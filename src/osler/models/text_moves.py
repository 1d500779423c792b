"""Parsing of a doctor's moves from text, for models that cannot write JSON and as in AgentClinic."""

from __future__ import annotations

import re
from typing import Any, Final

from osler.models.extraction import without_thought

_GAP: Final = r"[ \t_*`]{0,8}"
_MOVE: Final = re.compile(
    rf"(?:\b(?:(REQUEST[ _]TESTS?|REQUEST[ _]IMAGES?)|(DIAGNOSIS[ _]READY))"
    rf"|^[ \t*_>#`-]{{0,12}}(CONSULT)){_GAP}:{_GAP}(?:\[([^\]\n]*)|([^\n]*))",
    re.IGNORECASE | re.MULTILINE,
)
_TRIMMED: Final = " \t\r*_`[].\"'"


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
