"""The forms of a patient's answer and of its second reader's verdict."""

from __future__ import annotations

from typing import Final

from osler.players.model.neutral_names import MOST_NAMES
from osler.players.model.schemas import form, listed, move, neutral_name, output, text

FACTS: Final = "F"
"""The letter of the facts' neutral names."""
FACT_LIST: Final = listed(neutral_name(FACTS, "name of a fact that answers it"), 3, 1)
"""Before the words, and few: a model that names facts after them names all there are."""
_WORDS: Final = text(about="words said aloud")
PATIENT_ANSWER: Final = form(
    "patient_answer",
    move("ANSWER", facts=FACT_LIST, answer=_WORDS),
    move("SMALL_TALK", answer=_WORDS),
    move("NOT_IN_MY_FACTS", answer=_WORDS),
    move("DID_NOT_UNDERSTAND", answer=_WORDS),
)

PATIENT_STATEMENT: Final = form(
    "patient_statement",
    move("ANSWER", facts=listed(neutral_name(FACTS, "name of a fact"), MOST_NAMES), answer=text(1900)),
)
"""For a patient who is asked once, and tells everything."""

GROUNDING_VERDICT: Final = output("grounding_verdict", unsupported=listed(text(300), 8))
