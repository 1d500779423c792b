"""The wrappers' settings for a tutor's guidance: its rendering, and the panel of experts."""

from __future__ import annotations

from typing import Final

from osler.players.wrappers.asking import Expert, replies_of
from osler.protocols.ward_round.seats import TUTOR, Guidance

TEACHERS: Final = (
    Expert("the clinical teacher", "what the group has understood, and which question leads it on"),
    Expert("the physician", "whether what is said of this patient is right, and what is missing"),
    Expert("the examiner", "whether the students reason it out themselves, or are told the answer"),
    Expert("the quietest student's advocate", "who has not been heard or was left behind, and why"),
    Expert("the safety officer", "what could harm a patient if the students acted on these words"),
    Expert("the reasoning coach", "which step of the reasoning was skipped, or taken too early"),
    Expert("the communicator", "how the words will sound: clear, short, kind and at the students' level"),
    Expert("the ethicist", "consent, confidentiality, honesty and fairness at the bedside"),
    Expert("the timekeeper", "what the rounds that are left have to be kept for"),
)


def shown(reply: Guidance) -> str:
    """Render a guidance for critics and experts: the words to the group, and the steps marked as covered."""
    steps = ", ".join(map(str, reply.covered_steps)) or "none"
    return f"Says to the group: {reply.guidance}\nSteps covered so far: {steps}."


TUTORS: Final = replies_of(TUTOR, shown=shown, experts=TEACHERS)
"""The wrapper settings of a tutor's turns."""
