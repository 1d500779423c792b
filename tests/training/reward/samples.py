"""Rewards for tests, over states that are nothing but a number."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from osler.training.reward.score import Score
from osler.training.state import State, said


def state(number: int = 0, case: str = "c") -> State:
    """A state with a number."""
    return State(
        id=f"s{number}",
        protocol="p",
        seat="s",
        run="r",
        episode="e",
        turn=0,
        world="w",
        case_id=case,
        case_hash=case,
        cluster=case,
        messages=(said("user", str(number)),),
        context={"number": number},
    )


class Counting:
    """A reward that gives what `of` makes of a state's number and a text, and counts its calls."""

    name, version = "counting", "1"

    def __init__(self, of: Callable[[int, str], Score]) -> None:
        self.of, self.asked = of, 0

    async def score(self, state: State, text: str, /) -> Score:
        self.asked += 1
        await asyncio.sleep(0)
        number = state.context["number"]
        assert isinstance(number, int)
        return self.of(number, text)
