"""The one reward function of a policy's training: a batch of answers in, what the trainer is given out.

There is one, not one for each axis: a trainer sums what it is given, so a veto would not gate, and an axis
whose judge failed would count as 0. Whatever is left out of an update is `None` for its whole group. All
that was scored is kept, by step, prompt and place in the group.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from typing import Any, Final, NamedTuple

from osler.errors import BadInput, InfrastructureFault
from osler.models.overhearing import overhearing
from osler.training.policy import PolicyAnswer
from osler.training.reward.batch import AT_ONCE, ENDPOINT_FAULT, Masked, Remembered, masked, score_all
from osler.training.reward.controls import controls, shuffled
from osler.training.reward.opening import Controlled, controlled, open_reward
from osler.training.reward.outcome import Outcome
from osler.training.reward.score import EpisodeReward, Reward, Score, without_score
from osler.training.sampled import Sampled, Samples
from osler.training.state import State
from osler.training.task import Breach, TrainedSeat
from osler.training.world import PlayedEncounter, by_outcome, whole

Opens = Callable[[], AbstractAsyncContextManager[Reward | EpisodeReward]]
"""Opens the reward, with its judge if it has one, for one batch: connections outlive no event loop."""
_BESIDE: Final = ("n", "mean")
_MOST_CALLS: Final = 16


class Rewarded(NamedTuple):
    """The rewards that a trainer is given for a batch (`None`: left out of the update), and its figures.
    `void` says that no group tells one answer from another, so that there is nothing to learn."""

    given: list[float | None]
    figures: dict[str, float]
    scores: list[Score]
    void: bool


class Answered(NamedTuple):
    """An answer with its score, the calls that this took, and whether it gives the answer away (`None`: the
    seat has nothing to give away)."""

    prompt: str
    tokens: int
    text: str
    valid: bool
    score: Score
    calls: Sequence[dict[str, Any]] = ()
    leaks: bool | None = None


class Batch(NamedTuple):
    """A batch of answers: the step (from 1), and by answer its prompt's id and its length in tokens."""

    step: int
    prompts: Sequence[str]
    tokens: Sequence[int]


def _alone(value: Any) -> list[Any]:
    return [value]


class Together(NamedTuple):
    """The processes that train together: the number of this one, and `of_all`, which hands the value of each
    to each, in the order of their numbers."""

    number: int = 0
    of_all: Callable[[Any], list[Any]] = _alone


_BY_ITSELF: Final = Together()


@dataclass(frozen=True)
class Rewarding:
    """Scores the answers of a training, in groups of `group`. With `shuffle` each answer is given another's
    total, as a control: what a policy learns then, it does not learn from the reward.

    Of several processes each scores its own answers; figures and what is left out are those of all."""

    seat: TrainedSeat
    opens: Opens
    group: int
    samples: Samples | None = None
    shuffle: bool = False
    seed: int = 0
    at_once: int = AT_ONCE
    together: Together = _BY_ITSELF

    def states(self, batch: Batch, states: Sequence[State], said: Sequence[PolicyAnswer]) -> Rewarded:
        """Score answers to recorded states. Raises InfrastructureFault if nothing could be scored."""
        pairs = [(state, one.heard) for state, one in zip(states, said, strict=True)]
        valid = [not isinstance(self.seat.read(state, text), Breach) for state, text in pairs]
        return self._scored(batch, [one.text for one in said], valid, lambda: self._states(pairs))

    def rounds(self, batch: Batch, played: Sequence[PlayedEncounter]) -> Rewarded:
        """Score whole encounters: by a reward of encounters, or by the mean of a reward over their turns."""
        answers = [one.spoken.answers for one in played]
        valid = [bool(each) and all(answer.valid for answer in each) for each in answers]
        texts = ["\n\n".join(answer.text for answer in each) for each in answers]
        return self._scored(batch, texts, valid, lambda: self._rounds(played))

    def _scored(
        self,
        batch: Batch,
        texts: Sequence[str],
        valid: Sequence[bool],
        scored: Callable[[], Coroutine[Any, Any, list[_ScoredTurn]]],
    ) -> Rewarded:
        """Score this process's answers, and give out rewards by the answers of all."""
        fault: InfrastructureFault | None = None
        try:
            result = asyncio.run(scored())
        except InfrastructureFault as error:
            fault = error
            result = [_ScoredTurn(without_score(ENDPOINT_FAULT))] * len(texts)
        own = [
            Answered(prompt, tokens, text, parses, one.score.plain(), [*map(dict, one.calls)], one.leaks)
            for prompt, tokens, text, parses, one in zip(
                batch.prompts, batch.tokens, texts, valid, result, strict=True
            )
        ]
        each = self.together.of_all((own, fault is not None))
        if fault is not None and all(failed for _, failed in each):
            raise fault
        before = sum(len(part) for part, _ in each[: self.together.number])
        whole = self._given(batch.step, [one for part, _ in each for one in part])
        mine = slice(before, before + len(own))
        return whole._replace(given=whole.given[mine], scores=whole.scores[mine])

    async def _states(self, asked: Sequence[tuple[State, str]]) -> list[_ScoredTurn]:
        async with self.opens() as reward:
            if not isinstance(reward, Reward):
                raise BadInput(
                    f"{reward.name} is a reward of whole encounters",
                    where="--reward",
                    hint="train with --rollout round",
                )
            return await self._turns(reward, asked)

    async def _rounds(self, encounters: Sequence[PlayedEncounter]) -> list[_ScoredTurn]:
        async with self.opens() as reward:
            if isinstance(reward, Outcome):
                return [_ScoredTurn(by_outcome(one, reward), leaks=self._leaks(one)) for one in encounters]
            if not isinstance(reward, Reward):
                raise BadInput(f"{reward.name} scores no encounter that is not stored", where="--reward")
            turns = iter(await self._turns(reward, [turn for one in encounters for turn in one.turns]))
            rounds = []
            for one in encounters:
                own = [next(turns) for _ in one.turns]
                calls = [call for each in own for call in each.calls]
                rounds.append(_ScoredTurn(whole(one, [each.score for each in own]), calls, self._leaks(one)))
            return rounds

    async def _turns(self, reward: Reward, asked: Sequence[tuple[State, str]]) -> list[_ScoredTurn]:
        cached_reward = _CachedReward(reward)
        scores = await score_all(Remembered(cached_reward), asked, at_once=self.at_once) if asked else []
        return [
            _ScoredTurn(score, cached_reward.calls.get((state.id, text), []), self._leak(state, text))
            for (state, text), score in zip(asked, scores, strict=True)
        ]

    def _leak(self, state: State, text: str) -> bool | None:
        """Whether a turn gives the answer away, whatever reward is trained on; `None` if none can tell."""
        known = self._knows_leaks
        return known.leaks(state, text) if known is not None else None

    def _leaks(self, encounter: PlayedEncounter) -> bool | None:
        each = [self._leak(state, text) for state, text in encounter.turns]
        return None if None in each else any(each)

    @cached_property
    def _knows_leaks(self) -> Controlled | None:
        """A reward of the seat, without a judge, that knows which turns give the answer away."""
        each = (controlled(open_reward(self.seat, name)) for name in self.seat.rewards)
        return next((one for one in each if one is not None), None)

    def _given(self, step: int, found: Sequence[Answered]) -> Rewarded:
        scores = [one.score for one in found]
        left = masked(scores, self.group)
        key = f"{self.seed}/{step}"
        given = shuffled(left.totals, key) if self.shuffle else left.totals
        if self.samples is not None and self.together.number == 0:
            self.samples.add(
                Sampled(
                    step,
                    one.prompt,
                    at % self.group,
                    one.text,
                    given[at],
                    one.score,
                    one.valid,
                    one.tokens,
                    one.calls[:_MOST_CALLS],
                )
                for at, one in enumerate(found)
            )
        groups = [given[at : at + self.group] for at in range(0, len(given), self.group)]
        void = all(len(set(group)) == 1 for group in groups)
        return Rewarded(given, _figures(found, left, key), scores, void)


class _ScoredTurn(NamedTuple):
    """A score, the calls that it took, and whether the answer is given away."""

    score: Score
    calls: Sequence[dict[str, Any]] = ()
    leaks: bool | None = None


def _figures(found: Sequence[Answered], left: Masked, key: str) -> dict[str, float]:
    """The figures of a step's answers."""
    scores = [one.score for one in found]
    n, groups = len(scores), max(1, left.groups)
    totals = [score.total for score in scores if score.total is not None]
    figures = {
        **({"reward": fmean(totals)} if totals else {}),
        "vetoed": sum(score.vetoed for score in scores) / n,
        "unscored": (n - len(totals)) / n,
        "masked_groups": left.masked / groups,
        "veto_groups": left.vetoed / groups,
        "zero_spread": left.level / groups,
        "valid": fmean(float(one.valid) for one in found),
        "length": fmean(float(one.tokens) for one in found),
    }
    for axis in dict.fromkeys(axis for score in scores for axis in score.axes):
        figures[f"axis/{axis}"] = fmean(score.axes[axis] for score in scores if axis in score.axes)
    return figures | _controls(found, key)


def _controls(found: Sequence[Answered], key: str) -> dict[str, float]:
    """The controls of a step's answers; those of leaks only where leaks were looked for."""
    scores = [one.score for one in found]
    beside = controls(scores, [one.text for one in found], [bool(one.leaks) for one in found], key=key)
    blind = all(one.leaks is None for one in found)
    return {
        f"control/{name}": float(value)
        for name, value in beside.as_json().items()
        if value is not None and name not in _BESIDE and not (blind and name.endswith("leak"))
    }


class _CachedReward:
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
