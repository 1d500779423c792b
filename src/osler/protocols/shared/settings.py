"""Settings that every protocol's encounters have: each is a field's type, with its option."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from osler.core.option import Option
from osler.knowledge.vocabulary import Unknown
from osler.text.languages import PlayedIn

Language = Annotated[
    PlayedIn,
    Option(
        "The language that models play in, by name or ISO code.",
        "encounter",
        metavar="NAME",
        usual="the case's",
    ),
]
UnknownResults = Annotated[
    Unknown,
    Option(
        "How to answer orders whose result the case lacks. synthesize: a model makes up a normal one, marked"
        " as such.",
        "encounter",
    ),
]
MaxAttempts = Annotated[
    int, Option("Limit on the attempts of a player at a valid reply.", "limits"), Field(ge=1, le=10)
]
Moves = Annotated[
    Literal["json", "text"], Option("The format in which a model under test answers.", "encounter")
]
PersonaName = Annotated[
    str,
    Option(
        "The patient's persona: plain, anxious, stoic, talkative, skeptical, or one of the library, such as"
        " patient-042.",
        "encounter",
        metavar="NAME",
        first=True,
    ),
]
