"""Lint rules for wording: each action is recognized by its own terms, and no vague words earn an item."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from osler.cases.lint_problem import Problem
from osler.cases.scenarios.model import Scenario
from osler.text.act_rules import meets, says

VAGUE: Final = (
    "Hello.",
    "How are you?",
    "Can you tell me more?",
    "I see.",
    "I am going to examine you.",
    "We will do some tests.",
    "I will give you some treatment.",
    "Do you have any questions?",
    "I will help you.",
    "Thank you.",
)
"""Utterances that show nothing in particular. Items that one of these earns need a look."""


def words(scenario: Scenario) -> Iterator[Problem]:
    """Problems of the terms of actions and of the rules for what is said."""
    for action in scenario.actions:
        where = f"actions[{action.id}]"
        if meets(action.what, action.terms) is None:
            yield Problem("not-recognized", "error", "no term of its own recognizes `what`", f"{where}.terms")
        for other in scenario.actions:
            if other.id != action.id and (by := meets(action.what, other.terms)) is not None:
                message = f"`what` is recognized as {other.id} too, by {by!r}"
                yield Problem("ambiguous", "error", message, f"{where}.what")
    yield from _vague(scenario)


def _vague(scenario: Scenario) -> Iterator[Problem]:
    for number, item in enumerate(scenario.rubric, start=1):
        for shown in item.shown_by:
            if shown.did or not shown.said:
                continue
            earned = [one for one in VAGUE if says(one, shown.said)]
            if earned:
                message = f"is earned by saying no more than {earned[0]!r}"
                yield Problem("vague", "warning", message, f"rubric[{number}].shown_by")
