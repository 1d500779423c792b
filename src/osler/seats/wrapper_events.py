"""What a wrapper tells the player inside it: memories, corrections, biases, how to reply."""

from __future__ import annotations

from typing import Final, Literal

from osler.seats.events import Event, Frozen
from osler.seats.wording import Words, noted


class Hint(Frozen):
    """One card as it is shown. `told`, `found` and `diagnosis` are the parts of `text` that a player without
    a model goes by: what earlier patients said, what was found, what it was."""

    text: str
    diagnosis: str = ""
    told: str = ""
    found: str = ""


class Recalled(Event):
    """Cards of a memory laid before the doctor: hints from earlier patients, no facts about this one."""

    kind: Literal["recalled"] = "recalled"
    cards: tuple[Hint, ...]


class Corrected(Event):
    """Told before a second attempt at a patient: what was concluded first and was wrong, and, where the
    feedback says so, what is right."""

    kind: Literal["corrected"] = "corrected"
    wrong: str = ""
    right: str = ""


How = Literal[
    "step by step",
    "vote",
    "conclude",
    "discuss",
    "choose",
    "advise",
    "approve",
    "synthesize",
    "revise",
    "think twice",
]


class Reconsidered(Event):
    """Told to whoever sits inside a composite player, before a conclusion or a move: how to go about it, and
    by whose words (candidates, colleagues' opinions)."""

    kind: Literal["reconsider"] = "reconsider"
    how: How
    texts: tuple[str, ...] = ()


class Leaning(Event):
    """A bias that a player is to have, for the study of biases: `text` for a model, `target` the diagnosis it
    leans to, and what the built-in doctor does about it (`osler.knowledge.biases.Does`)."""

    kind: Literal["leaning"] = "leaning"
    text: str
    target: str
    leans: float = 0.0
    settles: float | None = None
    doubts: float = 0.0


def _reconsidered(event: Reconsidered) -> str:
    return "; ".join((event.how, *event.texts))


WRAPPER_WORDS: Final[Words] = {
    Recalled: lambda event: [noted("recalls", card.text) for card in event.cards],
    Corrected: lambda event: noted(
        "corrected", f"not {event.wrong}{f', but {event.right}' if event.right else ''}"
    ),
    Reconsidered: lambda event: noted("reconsiders", _reconsidered(event)),
    Leaning: lambda event: noted("leans", event.text),
}
"""How what a wrapper tells the player inside it reads."""
