"""The manners in which a patient or carer may speak: they change the wrapping of an answer, never facts."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from osler.errors import BadInput
from osler.seats.patient import Persona

PERSONAS: Final[Mapping[str, Persona]] = MappingProxyType(
    {
        each.name: each
        for each in (
            Persona(name="plain", manner="Answers plainly and briefly, without colouring."),
            Persona(
                name="anxious",
                manner="Worried about what it might be; answers fully but looks for reassurance.",
            ),
            Persona(
                name="stoic",
                manner="Plays things down, speaks little and dislikes fuss; hides nothing when asked.",
            ),
            Persona(name="talkative", manner="Friendly and wordy; wraps every answer in small talk."),
            Persona(
                name="skeptical",
                manner="Doubts that doctors help; answers what is asked, a little grudgingly.",
            ),
        )
    }
)


def persona(name: str) -> Persona:
    """The persona called `name`; raises BadInput, naming those that exist, where there is none."""
    try:
        return PERSONAS[name]
    except KeyError:
        raise BadInput(f"there is no persona {name!r}", mend=f"use one of: {', '.join(PERSONAS)}") from None
