"""The events by which a wrapper instructs the player inside it: memories, corrections, biases, how to
reply."""

from __future__ import annotations

from typing import Final, Literal

from osler.core.events import Event, Frozen
from osler.core.wording import Words, noted


class Hint(Frozen):
    """One memory card as shown. `told`, `found` and `diagnosis` are the parts of `text` that built-in players
    use: the earlier patient's words, the results, and the diagnosis."""

    text: str
    diagnosis: str = ""
    told: str = ""
    found: str = ""


class Recalled(Event):
    """Memory cards shown to the doctor: hints from earlier patients, not facts about this one."""

    kind: Literal["recalled"] = "recalled"
    cards: tuple[Hint, ...]


class Corrected(Event):
    """The feedback before a second attempt at a patient: the wrong first conclusion and, if the feedback
    includes it, the right one. `anew`: the patient is consulted again; else the record of the first attempt
    is thought over."""

    kind: Literal["corrected"] = "corrected"
    wrong: str = ""
    right: str = ""
    anew: bool = True


How = Literal[
    "step by step",
    "vote",
    "conclude",
    "recall",
    "discuss",
    "choose",
    "advise",
    "approve",
    "synthesize",
    "revise",
    "think twice",
    "recruit",
    "listen",
]


class Reconsidered(Event):
    """An instruction to a player inside a composite, before a conclusion or a move: how to proceed, and the
    texts to consider (candidates, colleagues' opinions)."""

    kind: Literal["reconsider"] = "reconsider"
    how: How
    texts: tuple[str, ...] = ()


class Leaning(Event):
    """A bias induced in a player, for the study of biases: `text` for a model, `target` the diagnosis it
    leans to, and its effects on the built-in doctor (`osler.knowledge.biases.Does`)."""

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
"""The wordings of the wrappers' events."""
