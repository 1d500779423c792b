"""The type of a persona rule, and the rules that hold for patients and students alike."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, NamedTuple, TypeVar

from osler.cases.personas.people import Persona

P = TypeVar("P", bound=Persona, contravariant=True)
SHORTEST_WORDS: Final = 25
_SHE: Final = r"she|her|hers|herself"
_HE: Final = r"he|him|his|himself"


@dataclass(frozen=True, slots=True)
class Rule(Generic[P]):
    """A consistency rule: its name, its statement, and a check returning the violation or `None`."""

    name: str
    says: str
    broken: Callable[[P], str | None]


class Breach(NamedTuple):
    """A persona that violates a rule, and how."""

    persona: str
    rule: str
    what: str


def _other_sex(persona: Persona) -> str | None:
    text = persona.texts[0]
    she, he = (len(re.findall(rf"\b(?:{words})\b", text, re.I)) for words in (_SHE, _HE))
    wrong = (persona.sex == "female" and he > 1 and not she) or (persona.sex == "male" and she > 1 and not he)
    return f"{persona.sex}, and the text says {'he' if he else 'she'}" if wrong else None


def _thin(persona: Persona) -> str | None:
    words = len(persona.instruction.split())
    return f"{words} words" if words < SHORTEST_WORDS else None


SHARED_RULES: Final[tuple[Rule[Persona], ...]] = (
    Rule("one-sex", "the text speaks of somebody of the stated sex", _other_sex),
    Rule("instruction-long-enough", f"the instruction has {SHORTEST_WORDS} words or more", _thin),
)
