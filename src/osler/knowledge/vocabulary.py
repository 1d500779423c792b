"""Words that cases, views and players share: topics, kinds of finding, conditions of disclosure, roles."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Final, Literal, get_args

from pydantic import Field

from osler.core.events import Frozen

Topic = Literal[
    "complaint",  # what brings them here
    "course",  # onset, duration, development, timing
    "character",  # what it is like, where, how bad
    "modifiers",  # what brings it on, worsens or eases it
    "associated",  # what else goes with it
    "systems",  # review of systems, positive or negative
    "past_medical",
    "past_surgical",
    "medications",
    "allergies",
    "family",
    "tobacco",
    "alcohol",
    "drugs",
    "occupation",
    "home",  # who they live with, support, daily function
    "travel",
    "exposure",  # contacts, animals, toxins, food
    "sexual",
    "gynaecological",  # periods, pregnancies, contraception
    "birth",  # birth, growth, development, feeding
    "immunization",
    "diet",  # eating, exercise, weight
    "mood",
    "ideas",
    "concerns",
    "expectations",
    "identity",  # name, age
    "other",
]

TOPICS: tuple[Topic, ...] = get_args(Topic)

NOBODY: Final = "nobody"
"""The speaker of a patient who cannot speak, where nobody is there who does."""

NO_ANSWER: Final = "(There is no answer.)"
"""What is heard of such a patient, whatever is asked."""

Told = Literal["volunteered", "asked", "in_private", "normalized", "confidential"]

Unknown = Literal["standard", "withhold", "normal", "synthesize"]


class Persona(Frozen):
    """A manner of speaking, independent of the content."""

    name: str
    manner: str


class Identity(Frozen):
    """A patient's name, date of birth and hospital number, and the name of the carer who speaks for them."""

    name: Annotated[str, Field(min_length=1, max_length=120)]
    born: date | None = None
    number: Annotated[str, Field(min_length=1, max_length=40)]
    speaker: str | None = Field(default=None, exclude_if=lambda name: name is None)

    @property
    def birthday(self) -> str:
        """The date of birth as people say it ("3 May 1968"); empty if it is not known."""
        return f"{self.born.day} {self.born:%B %Y}" if self.born else ""

    @property
    def in_words(self) -> str:
        """Name, date of birth and hospital number in one line."""
        born = f", born {self.birthday}" if self.born else ""
        return f"{self.name}{born}, hospital number {self.number}"


FindingKind = Literal["examination", "test", "image"]

PersonId = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]

Role = Literal["patient", "family", "team", "other"]
"""Patient and family are voiced by the patient's seat; team and others by the script and the controller."""

VOICED_BY_PATIENT: Final = frozenset[Role]({"patient", "family"})

PATIENT_ID: Final = "patient"
