"""The check of a trial: the endpoint's first answers, its speed, and a turn in each seat of each protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

from osler.cli.check_endpoint import MANNERS, check_endpoints
from osler.cli.check_result import Check
from osler.cli.check_speed import timed
from osler.cli.check_turns import check_of
from osler.cli.trial_parts import TrialTurn, Work
from osler.errors import InfrastructureFault
from osler.models.budget import Budget, BudgetPaused, Ledger, Limits, prompt_tokens, text_tokens
from osler.models.calls import Overheard
from osler.models.client import EndpointClient
from osler.models.config import Config as Endpoints
from osler.models.config import Endpoint
from osler.models.faults import ModelAnswerError
from osler.models.overhearing import overhearing
from osler.models.types import (
    Completion,
    CompletionRequest,
    Message,
    ModelClient,
    Validate,
)
from osler.runs.real_turns import Turn, request_of, take
from osler.runs.trial_figures import SeatTurn
from osler.runs.trial_plan import Load, Plan, Speed, Step, longest, paced, planned, share

_MEASURING: Final = 0.25
"""The share of the time that measuring the speed may take."""


class TrialCheck:
    """The check under way: what has come of it so far stands in `checks` and `tried`, however it ends.

    `left_s` says how many seconds are left of the trial; `most_money` may be spent.
    """

    def __init__(
        self, endpoint: Endpoint, work: Work, left_s: Callable[[], float], most_money: float | None
    ) -> None:
        self._endpoint, self._work, self._left_s, self._most_money = endpoint, work, left_s, most_money
        self._ledger = Ledger()
        self._key = endpoint.key()
        self._hidden = endpoint.access().hidden(self._key)
        self.checks: list[Check] = []
        self.tried: list[SeatTurn] = []
        self.speed: Speed | None = None
        self.plan: Plan = {}
        self.left_out: list[str] = []

    @property
    def answers(self) -> bool:
        """Whether the endpoint has answered."""
        return any(one.ok for one in self.checks if one.name == "answers")

    @property
    def slow(self) -> bool:
        """Whether the trial plays shorter than it would."""
        full = planned([*self._work.turn_steps, *self._work.part_steps], None, 0)
        return self.speed is not None and self.plan != full

    def run(self) -> dict[str, Any]:
        """Check the endpoint. Returns the status of this step of the trial, and why."""
        prefix, only = (
            f"endpoint {self._endpoint.name}: ",
            Endpoints(endpoints={self._endpoint.name: self._endpoint}),
        )
        for one in check_endpoints(only, online=True):
            self.checks.append(one.model_copy(update={"name": one.name.removeprefix(prefix)}))
        if self.answers:
            steps = [*self._work.turn_steps, *self._work.part_steps]
            asyncio.run(self._measure(request_of(self._work.turns[0].sizes[-1], self._endpoint)))
            self.plan = planned(steps, self.speed, self._left_s())
            asyncio.run(self._take_turns())
        bad = [one.name for one in self.checks if not one.ok]
        why = f"not as it should be: {', '.join(bad)}" if bad else ""
        return {"status": "done" if self.answers else "paused", "why": why}

    async def _measure(self, asked: CompletionRequest | None) -> None:
        async with self._client(self._endpoint) as client:
            try:
                async with asyncio.timeout(self._left_s() * _MEASURING):
                    self.speed = await speed_of(client, asked.messages) if asked else None
            except TimeoutError:
                self.speed = Speed(1.0, 1.0)  # nothing is slower: the smallest of everything

    async def _take_turns(self) -> None:
        patient = self._endpoint.patient(self._left_s()) if self.slow else self._endpoint
        async with self._client(patient) as client:
            await self._take_each(client)

    def _client(self, endpoint: Endpoint) -> EndpointClient:
        budget = Budget(Limits(money=self._most_money), self._ledger)
        return EndpointClient(endpoint, self._key, ledger=self._ledger, budget=budget, manners=MANNERS)

    async def _take_each(self, client: EndpointClient) -> None:
        parts = [step for step in self._work.part_steps if step.name in self.plan]
        ordered = list(zip(self._work.turns, self._work.turn_steps, strict=True))
        if self.slow:  # the shortest first: if the time does not suffice, most seats are tried
            ordered.sort(key=lambda one: one[1].sizes[0].prompt)
        turns, steps = [turn for turn, _ in ordered], [step for _, step in ordered]
        fastest = self.speed
        for at, (turn, step) in enumerate(ordered):
            if self._left_s() <= 0:
                self._leave_out(turns[at:], "the minutes are over")
                return
            size = self.plan.get(step.name, 0)
            rest = [_of(one, self.plan) for one in steps[at:]]
            ahead = [*rest, *(_of(one, self.plan) for one in parts)]
            seconds, most_s = (
                share(ahead, self.speed, self._left_s()),
                longest(rest, self.speed, self._left_s()),
            )
            brief = _Brief(client, None if self.speed is None else ahead[0].most_tokens(self.speed, seconds))
            began = self._left_s()
            try:
                await self._take(turn, turn.sizes[size], Overheard(brief, self._endpoint), most_s)
            except BudgetPaused as paused:
                self._leave_out(turns[at:], paused.what)
                return
            if self.speed is not None and fastest is not None:
                took_s = began - self._left_s()
                self.speed = paced(self.speed, fastest, ahead[0].seconds(self.speed), took_s)

    def _leave_out(self, turns: Sequence[TrialTurn], why: str) -> None:
        names = ", ".join(one.name.removeprefix("as ") for one in turns)
        self.left_out.append(f"a turn as {names}: {why}")

    async def _take(self, turn: TrialTurn, sized: Turn, client: ModelClient, seconds: float) -> None:
        took = None
        with overhearing() as calls:
            try:
                async with asyncio.timeout(seconds):
                    took = await take(sized, client, self._endpoint)
                check = check_of(turn.name, took, self._endpoint, self._hidden)
            except TimeoutError:
                what = f"no answer in the {seconds:.0f} s that it had"
                check = Check(name=turn.name, ok=False, what=what, mend="give it more --minutes")
            except BudgetPaused:
                raise
            except InfrastructureFault as fault:
                check = Check(name=turn.name, ok=False, what=fault.what, mend=fault.hint)
            finally:
                if calls:
                    cause = took.cause if took else str(calls[-1]["outcome"])
                    self.tried.append(SeatTurn(turn.protocol.name, turn.seat, tuple(calls), cause))
        self.checks.append(check)


class _Brief:
    """A client whose answers end at a limit, if there is one, and never beyond the limit of their form."""

    def __init__(self, client: ModelClient, most: int | None) -> None:
        self._client, self._most = client, most

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        """Ask the model."""
        if self._most is not None:
            own = request.sampling.max_tokens or getattr(request.output, "answer_tokens", None) or self._most
            sampling = request.sampling.model_copy(update={"max_tokens": min(own, self._most)})
            request = request._replace(sampling=sampling)
        return await self._client.complete(request, validate=validate)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts."""
        return await self._client.embed(texts)


def _of(step: Step, plan: Plan) -> Load:
    """The load of a step at the size that is planned, or its smallest."""
    return step.sizes[plan.get(step.name, 0)]


# How fast an endpoint reads and writes, by two requests with the same prompt: one token, then some more


WRITTEN: Final = 32
_SHORTEST_S: Final = 1e-3


async def speed_of(client: ModelClient, messages: tuple[Message, ...]) -> Speed | None:
    """The speed of an endpoint, in estimated tokens of the prompt and counted ones of the answer; `None` if
    it does not answer such requests.

    What it takes to answer at all counts as reading, so the speed of a far endpoint is that of its network.
    """
    try:
        first, _, _ = await timed(client, messages, 1)
        second, text, usage = await timed(client, messages, WRITTEN)
    except (InfrastructureFault, ModelAnswerError):
        return None
    tokens = prompt_tokens(messages)
    keeps = second < first or 2 * (usage.cached_tokens or 0) > (usage.prompt_tokens or tokens)
    written = usage.completion_tokens or text_tokens(text) or 1
    writing_s = second if keeps else second - first
    return Speed(tokens / max(first, _SHORTEST_S), written / max(writing_s, _SHORTEST_S), keeps)
