"""The wrappers that any seat can have: `+cot`, `+best-of:N`, `+panel:N` and `+self-consistency:N`.

The role under test of every protocol has them by itself; a protocol that shows or compares replies otherwise
than as JSON by their words names them with its `Replies`.
"""

from __future__ import annotations

from typing import Any

from osler.core.role import Wrapper
from osler.players.wrappers.asking import Replies, replies_of
from osler.players.wrappers.best_of import BestOf
from osler.players.wrappers.consistency import SelfConsistency
from osler.players.wrappers.panel import ExpertPanel
from osler.players.wrappers.step_by_step import StepByStep
from osler.seats.contract import Contract


def general_wrappers(of: Replies | Contract[Any, Any]) -> tuple[Wrapper, ...]:
    """The wrappers of a seat, by how its replies are asked for, shown and compared; of a contract alone, they
    are shown as JSON and compared by their words."""
    replies = replies_of(of) if isinstance(of, Contract) else of
    twice = Wrapper("+cot", lambda player, _: StepByStep(player, replies), opinions=True)
    return (twice, *candidate_wrappers(replies))


def candidate_wrappers(replies: Replies) -> tuple[Wrapper, ...]:
    """Those of them that choose among candidates or make one of several opinions."""
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
