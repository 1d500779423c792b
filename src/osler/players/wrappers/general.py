"""The general wrappers, available to any seat: `+cot`, `+best-of:N`, `+panel:N` and `+self-consistency:N`.

The role under test of every protocol gets them by default. They show replies as JSON and compare them by
their words; a protocol that does either differently passes its own `Replies`.
"""

from __future__ import annotations

from typing import Any

from osler.core.contract import Contract
from osler.core.role import Wrapper
from osler.players.wrappers.asking import Replies, replies_of
from osler.players.wrappers.best_of import BestOf
from osler.players.wrappers.consistency import SelfConsistency
from osler.players.wrappers.panel import ExpertPanel
from osler.players.wrappers.step_by_step import StepByStep


def general_wrappers(of: Replies | Contract[Any, Any]) -> tuple[Wrapper, ...]:
    """The wrappers of a seat, given how its replies are requested, shown and compared. For a bare contract,
    replies are shown as JSON and compared by their words."""
    replies = replies_of(of) if isinstance(of, Contract) else of
    twice = Wrapper("+cot", lambda player, _: StepByStep(player, replies), opinions=True)
    return (twice, *candidate_wrappers(replies))


def candidate_wrappers(replies: Replies) -> tuple[Wrapper, ...]:
    """The wrappers that choose among candidate replies or merge several opinions."""
    return (
        Wrapper(
            "+best-of",
            lambda player, n: BestOf(player, n, replies),
            counted=True,
            opinions=True,
            unweighed="the critic's call in each turn whose candidates differ",
        ),
        Wrapper(
            "+panel",
            lambda player, n: ExpertPanel(player, n, replies),
            counted=True,
            opinions=True,
            unweighed="the second move in each turn whose first one is voted down",
        ),
        Wrapper("+self-consistency", lambda player, n: SelfConsistency(player, n, replies), counted=True),
    )
