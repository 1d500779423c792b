"""A reward's score of one turn, and the two interfaces of rewards: of a turn at a state, and of an episode.

Unscored is `total=None` with a reason. It is never 0, and a score is never left out of a list: a trainer that
is handed fewer rewards than it has samples gives them to the wrong ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

from osler.judging.opening import JudgeModel
from osler.training.state import State

_NONE: Final[Mapping[str, Any]] = MappingProxyType({})


class Score(NamedTuple):
    """The score of one turn.

    `total` is what a trainer is given, `None` if it is unscored, and then `unscored` says why. `items` are
    the marks by item, `axes` their weighted sums by axis: of an unscored turn, those that are known. `quotes`
    are the words of the turn that prove a negative mark. `vetoed` says that the total is the penalty.
    """

    total: float | None
    items: Mapping[str, int] = _NONE
    axes: Mapping[str, float] = _NONE
    vetoed: bool = False
    unscored: str | None = None
    quotes: Mapping[str, str] = _NONE

    def plain(self) -> Score:
        """The same with dictionaries of its own, which can be sent to another process."""
        return self._replace(items=dict(self.items), axes=dict(self.axes), quotes=dict(self.quotes))


def without_score(why: str, items: Mapping[str, int] = _NONE) -> Score:
    """The score of a turn that could not be scored, with the marks that are known."""
    if not why:
        raise ValueError("an unscored turn says why")
    return Score(None, items, unscored=why)


@runtime_checkable
class Reward(Protocol):
    """A reward of turns. `version` changes whenever the same turn might be scored otherwise."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    async def score(self, state: State, text: str, /) -> Score:
        """Score the turn `text` at a state. Raises InfrastructureFault, and nothing else."""
        ...


class EpisodeReward(Protocol):
    """A reward of whole episodes, from a stored judgement: correctness, net rubric, learning gain."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def of(self, status: str, figures: Mapping[str, float | None], /) -> Score:
        """Score an episode that ended with a status, by its measures (`None`: unscored)."""
        ...


class RewardOptions(NamedTuple):
    """The settings of a reward: its veto, weights by item (1 unless given), the model that judges (`None`:
    rules stand in), the theory of learning of the students that a gain is simulated with, and the bytes of
    images by SHA-256, where an open store does not have them."""

    veto: str = "floor"
    weights: Mapping[str, float] = _NONE
    judge: JudgeModel | None = None
    theory: str = "construct"
    pictures: Mapping[str, bytes] = _NONE
