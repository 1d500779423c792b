"""Rewards by name: those that a trained seat offers, opened with their options."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from osler.core.lazy import load
from osler.errors import BadInput
from osler.training.reward.probes import Probing
from osler.training.reward.score import EpisodeReward, Reward, RewardOptions
from osler.training.state import State
from osler.training.task import TrainedSeat


@runtime_checkable
class Controlled(Protocol):
    """A reward that knows its seat's probes and which of its turns give the answer away."""

    @property
    def probing(self) -> Probing: ...

    def leaks(self, state: State, text: str, /) -> bool: ...


def open_reward(
    seat: TrainedSeat, name: str = "", options: RewardOptions | None = None
) -> Reward | EpisodeReward:
    """Open a reward of a seat by name, by default its first. Raises BadInput, listing the known ones."""
    options = options or RewardOptions()
    wanted = name or next(iter(seat.rewards), "")
    if wanted not in seat.rewards:
        raise BadInput(
            f"the {seat.seat} has no reward {wanted!r}", where="--reward", hint=", ".join(seat.rewards)
        )
    opens: Any = load(seat.rewards[wanted])
    reward: Reward | EpisodeReward = opens(options)
    return reward


def of_turns(reward: Reward | EpisodeReward) -> Reward:
    """The reward, if it scores turns. Raises BadInput for one of whole episodes."""
    if not isinstance(reward, Reward):
        raise BadInput(
            f"{reward.name} is a reward of whole episodes", where="--reward", hint="name one of turns"
        )
    return reward


def controlled(reward: object) -> Controlled | None:
    """The reward with its probes and leaks, if it has them."""
    return reward if isinstance(reward, Controlled) else None


def caution(reward: object) -> str:
    """The words that stand wherever figures of a reward are printed, "" if it has none."""
    return str(getattr(reward, "caution", ""))
