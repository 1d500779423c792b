"""The one reward function of a policy's training: a batch of answers in, what the trainer is given out.

There is one, not one for each axis: a trainer sums what it is given, so a veto would not gate, and an axis
whose judge failed would count as 0. Whatever is left out of an update is `None` for its whole group. All
that was scored is kept, by step, prompt and place in the group.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Final, NamedTuple

from osler.errors import BadInput
from osler.models.overhearing import overhearing
from osler.training.policy import Said
from osler.training.reward.batch import AT_ONCE, Remembered, masked, score_all
from osler.training.reward.controls import controls, shuffled
from osler.training.reward.opening import controlled
from osler.training.reward.outcome import Outcome
from osler.training.reward.score import EpisodeReward, Reward, Score
from osler.training.sampled import Sampled, Samples
from osler.training.state import State
from osler.training.task import Breach, TrainedSeat
from osler.training.world import Played, by_outcome, whole

Opens = Callable[[], AbstractAsyncContextManager[Reward | EpisodeReward]]
"""Opens the reward, with its judge if it has one, for one batch: connections outlive no event loop."""
_BESIDE: Final = ("n", "mean")
_MOST_CALLS: Final = 16


class Rewarded(NamedTuple):
    """The rewards that a trainer is given for a batch (`None`: left out of the update), and its figures."""

    given: list[float | None]
    figures: dict[str, float]
    scores: list[Score]


class _Found(NamedTuple):
    """A score, the calls that it took, and whether the turn gives the answer away."""

    score: Score
    calls: Sequence[dict[str, Any]]
    leaks: bool


class Batch(NamedTuple):
    """A batch of answers: the step (from 1), and by answer its prompt's id and its length in tokens."""

    step: int
    prompts: Sequence[str]
    tokens: Sequence[int]


@dataclass(frozen=True)
class Rewarding:
    """Scores the answers of a training, in groups of `group`. With `shuffle` each answer is given another's
    total, as a control: what a policy learns then, it does not learn from the reward."""

    seat: TrainedSeat
    opens: Opens
    group: int
    samples: Samples | None = None
    shuffle: bool = False
    seed: int = 0
    at_once: int = AT_ONCE

    def states(self, batch: Batch, states: Sequence[State], said: Sequence[Said]) -> Rewarded:
        """Score answers to recorded states. Raises InfrastructureFault if nothing could be scored."""
        asked = [(state, one.heard) for state, one in zip(states, said, strict=True)]
        found = asyncio.run(self._states(asked))
        valid = [not isinstance(self.seat.read(state, text), Breach) for state, text in asked]
        return self._given(batch, [one.text for one in said], found, valid)

    def rounds(self, batch: Batch, played: Sequence[Played]) -> Rewarded:
        """Score whole encounters: by a reward of encounters, or by the mean of a reward over their turns."""
        found = asyncio.run(self._rounds(played))
        answers = [one.spoken.answers for one in played]
        valid = [bool(each) and all(said.valid for said in each) for each in answers]
        texts = ["\n\n".join(said.text for said in each) for each in answers]
        return self._given(batch, texts, found, valid)

    async def _states(self, asked: Sequence[tuple[State, str]]) -> list[_Found]:
        async with self.opens() as reward:
            if not isinstance(reward, Reward):
                raise BadInput(
                    f"{reward.name} is a reward of whole encounters",
                    where="--reward",
                    hint="train with --rollout round",
                )
            return await self._turns(reward, asked)

    async def _rounds(self, played: Sequence[Played]) -> list[_Found]:
        async with self.opens() as reward:
            if isinstance(reward, Outcome):
                return [_Found(by_outcome(one, reward), [], False) for one in played]
            if not isinstance(reward, Reward):
                raise BadInput(f"{reward.name} scores no encounter that is not stored", where="--reward")
            turns = iter(await self._turns(reward, [turn for one in played for turn in one.turns]))
            found = []
            for one in played:
                own = [next(turns) for _ in one.turns]
                calls = [call for each in own for call in each.calls]
                score = whole(one, [each.score for each in own])
                found.append(_Found(score, calls, any(each.leaks for each in own)))
            return found

    async def _turns(self, reward: Reward, asked: Sequence[tuple[State, str]]) -> list[_Found]:
        heard, known = _Heard(reward), controlled(reward)
        scores = await score_all(Remembered(heard), asked, at_once=self.at_once) if asked else []
        return [
            _Found(score, heard.calls.get((state.id, text), []), bool(known and known.leaks(state, text)))
            for (state, text), score in zip(asked, scores, strict=True)
        ]

    def _given(
        self,
        batch: Batch,
        texts: Sequence[str],
        found: Sequence[_Found],
        valid: Sequence[bool],
    ) -> Rewarded:
        scores = [one.score for one in found]
        left = masked(scores, self.group)
        key = f"{self.seed}/{batch.step}"
        given = shuffled(left.totals, key) if self.shuffle else left.totals
        n, groups = len(scores), max(1, left.groups)
        known = [score.total for score in scores if score.total is not None]
        figures = {
            **({"reward": fmean(known)} if known else {}),
            "vetoed": sum(score.vetoed for score in scores) / n,
            "unscored": sum(score.total is None for score in scores) / n,
            "masked_groups": left.masked / groups,
            "veto_groups": left.vetoed / groups,
            "zero_spread": left.level / groups,
            "valid": fmean(map(float, valid)),
            "length": fmean(map(float, batch.tokens)),
        }
        for axis in dict.fromkeys(axis for score in scores for axis in score.axes):
            figures[f"axis/{axis}"] = fmean(score.axes[axis] for score in scores if axis in score.axes)
        beside = controls(scores, texts, [one.leaks for one in found], key=key).as_json()
        figures |= {
            f"control/{name}": float(value)
            for name, value in beside.items()
            if value is not None and name not in _BESIDE
        }
        if self.samples is not None:
            self.samples.add(
                Sampled(
                    batch.step,
                    batch.prompts[at],
                    at % self.group,
                    texts[at],
                    given[at],
                    scores[at],
                    valid[at],
                    batch.tokens[at],
                    found[at].calls[:_MOST_CALLS],
                )
                for at in range(n)
            )
        return Rewarded(given, figures, scores)


class _Heard:
    """A reward whose judge's answers are kept by state and turn."""

    def __init__(self, reward: Reward) -> None:
        self._reward, self.name, self.version = reward, reward.name, reward.version
        self.calls: dict[tuple[str, str], list[dict[str, Any]]] = {}

    async def score(self, state: State, text: str, /) -> Score:
        """Score a turn."""
        with overhearing() as calls:
            try:
                return await self._reward.score(state, text)
            finally:
                self.calls.setdefault((state.id, text), []).extend(calls)


def always(reward: Reward | EpisodeReward) -> Opens:
    """A reward without a judge: it is open all the time."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Reward | EpisodeReward]:
        yield reward

    return opened
