"""The events specific to a consultation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from pydantic import Field

from osler.core.events import Event, Frozen
from osler.core.wording import Wording, Words, noted, said
from osler.protocols.shared.patient import VisitBegan


class WorkingDiagnosis(Frozen):
    """One line of a differential. `confidence` is a probability between 0 and 1, or `None` if not given."""

    name: str = Field(min_length=1, max_length=300)
    confidence: float | None = Field(default=None, ge=0, le=1)


class Registered(Event):
    """An entry of the registration form beyond age and sex: one trait and its value."""

    kind: Literal["registered"] = "registered"
    trait: str
    value: str
    text: str


class Presented(Event):
    """A patient told of in one text instead of a conversation: as a written vignette, as the history in the
    record, or as a summary of the consultation that was held."""

    kind: Literal["presented"] = "presented"
    how: Literal["vignette", "record", "summary"]
    text: str


class Unheld(Event):
    """A real test was ordered of which the case holds no result, and one is to be made up."""

    kind: Literal["unheld"] = "unheld"
    order: int
    name: str


class ConsultAsked(Event):
    """The attending's question and working diagnoses, shown to the consultant."""

    kind: Literal["consult"] = "consult"
    question: str
    working_diagnoses: tuple[WorkingDiagnosis, ...] = ()


class Advised(Event):
    """The consultant's advice. The decision stays with the doctor."""

    kind: Literal["advice"] = "advice"
    note: str
    next_question: str | None = None
    recommend_finalize: bool = False
    diagnosis_suggestion: str | None = None


def _asked(event: ConsultAsked) -> Iterator[Wording]:
    if event.question:
        yield said("doctor", event.question, to="the consultant")
    if event.working_diagnoses:
        yield noted("thinks of", "; ".join(each.name for each in event.working_diagnoses))


def _advised(event: Advised) -> Wording:
    parts = (event.note, event.next_question, event.diagnosis_suggestion)
    return said("consultant", " ".join(part for part in parts if part))


CONSULTATION_WORDS: Final[Words] = {
    VisitBegan: lambda event: noted("visit", f"number {event.visit} begins"),
    Registered: lambda event: noted("registered", event.text),
    Presented: lambda event: Wording("", event.how, event.text),
    Unheld: lambda event: noted("made up", f"{event.name}, of which the case holds no result"),
    ConsultAsked: _asked,
    Advised: _advised,
}
"""The wordings of a consultation's events."""
