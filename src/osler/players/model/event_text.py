"""Prompt text for the events that protocols share: turns, orders, results and wrappers' messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from osler.core.events import Noticed, TurnBegan
from osler.core.order_events import Ordered, Pictured, Resulted, Taken
from osler.core.wrapper_events import Corrected, How, Leaning, Recalled, Reconsidered
from osler.players.model.seat import Lines
from osler.prompts import for_seat, prompt
from osler.text.hostile import block, neutral

_WRAPPERS: Final = "osler.players.wrappers:prompts/"
SECOND_ATTEMPT: Final = f"{_WRAPPERS}second_attempt.jinja"
"""The prompt of a second attempt at a patient."""
_RECONSIDER: Final = f"{_WRAPPERS}reconsider.jinja"
_DELIBERATE: Final = f"{_WRAPPERS}deliberation.jinja"
PROMPTS: Final[Mapping[How, str]] = {
    **dict.fromkeys(("step by step", "vote", "conclude", "discuss"), _RECONSIDER),
    **dict.fromkeys(("choose", "advise", "approve", "synthesize", "revise"), _DELIBERATE),
    "think twice": f"{_WRAPPERS}second_look.jinja",
    "recruit": f"{_WRAPPERS}panel.jinja",
    "recall": f"{_WRAPPERS}recall.jinja",
    "listen": f"{_WRAPPERS}listen.jinja",
}
"""The prompt for each way of reconsidering a doctor's conclusion or any seat's reply."""
_HINTS: Final = "You remember earlier patients. These are hints from experience, no facts about this patient:"


def turn_line(event: TurnBegan, last: str) -> str:
    """The announcement of a turn with the remainder of each limit; `last` is added on the last turn."""
    left = [f"{event.turns_left} more turns after this one"]
    if event.tests_left is not None:
        left.append(f"{event.tests_left} tests this visit")
    if event.minutes_left is not None:
        left.append(f"{event.minutes_left} minutes of this visit")
    if event.cost_left is not None:
        left.append(f"{event.cost_left} points to spend")
    line = f"Turn {event.turn}, minute {event.minute}. Left: {', '.join(left)}."
    if event.differential_wanted:
        line += " Note your working diagnoses with this move."
    if event.last_chance:
        line += f" {last}"
    return line


def _taken(event: Taken) -> str:
    return f"Ordered: {block('test', event.name)} The result will be ready at minute {event.ready_minute}."


def _resulted(event: Resulted) -> str:
    return block("result" if event.returned else "not_available", f"{event.name}: {event.text}")


def _recalled(event: Recalled) -> str:
    return "\n".join([_HINTS, *(block("memory_card", card.text) for card in event.cards)])


def _corrected(event: Corrected) -> str:
    return prompt(SECOND_ATTEMPT).render({"wrong": event.wrong, "right": event.right, "anew": event.anew})


def _reconsidered(event: Reconsidered) -> str:
    return for_seat(PROMPTS[event.how], event.to[0]).render({"how": event.how, "texts": event.texts})


SHARED_LINES: Final[Lines] = {
    Taken: _taken,
    Resulted: _resulted,
    Pictured: lambda event: f"{block('ordered_as', event.name)}\nDescribe this picture.",
    Ordered: lambda event: block("order", event.name),
    Noticed: lambda event: block("notice", event.text),
    Recalled: _recalled,
    Corrected: _corrected,
    Leaning: lambda event: neutral(event.text),
    Reconsidered: _reconsidered,
}
"""The renderers of shared events, the same in every protocol."""
