"""Personas: manners of speaking for the built-in patient, and libraries of patients and students.

A manner changes how a patient or carer speaks, never the facts.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from osler.errors import BadInput
from osler.knowledge.vocabulary import Persona

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
FROM_LIBRARY: Final = "patient-"


def persona(name: str) -> Persona:
    """The persona called `name`: a manner, or a patient of the library such as `patient-042`.

    Raises BadInput, listing the valid names, for an unknown one.
    """
    if name.startswith(FROM_LIBRARY) and (library := _of_library(name)):
        return library
    try:
        return PERSONAS[name]
    except KeyError:
        hint = f"use one of: {', '.join(PERSONAS)}, or patient-001 to patient-300"
        raise BadInput(f"there is no persona {name!r}", hint=hint) from None


def _of_library(name: str) -> Persona | None:
    # Only a library persona needs the library, which few runs use, so it is built on demand.
    from osler.cases.personas import library, matching  # noqa: PLC0415 - import time

    result = library.patient(name)
    return matching.as_seat(result) if result else None
