"""Rates: how many requests and tokens an endpoint takes per minute, kept by one process or by many.

A bucket does not say how much there is but *when*: whoever takes so many seconds' worth of the rate is given
the instant at which they have passed, behind everybody who has taken before. So one statement takes a chunk,
nobody polls, nobody is passed over, and nothing is granted before its time. An idle bucket is behind the
clock by at most `cap_s`: that is its burst, and a new one has none.

After congestion the rate is halved, once for all requests that were sent under the same epoch, and comes back
by the same amount each second, the whole of it in `RECOVERY_S`.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, NamedTuple, Protocol

from osler.models.config import MINUTE_S, Rates

RECOVERY_S: Final = 60.0
SLOWEST: Final = 1 / 64
_EPSILON: Final = 1e-9


class State(NamedTuple):
    """The state of a bucket, in seconds of one clock: until when its requests and its tokens have been given
    away, the share of the rate it was lowered to, when that was, and how often it was lowered."""

    requests_until: float
    tokens_until: float
    factor: float
    since: float
    epoch: int


class Chunk(NamedTuple):
    """A chunk that was taken: it may be used after `wait_s` seconds; `epoch` is that of the bucket."""

    wait_s: float
    epoch: int


def fresh(now: float) -> State:
    """Return an empty bucket."""
    return State(now, now, 1.0, now, 0)


def factor_of(state: State, now: float) -> float:
    """Return the share of the rate that is granted now."""
    return min(1.0, state.factor + max(0.0, now - state.since) / RECOVERY_S)


def take(state: State, now: float, requests_s: float, tokens_s: float, cap_s: float) -> tuple[State, Chunk]:
    """Take requests and tokens worth so many seconds of the full rate."""
    factor = factor_of(state, now)
    requests = max(state.requests_until, now - cap_s) + requests_s / factor
    tokens = max(state.tokens_until, now - cap_s) + tokens_s / factor
    after = state._replace(requests_until=requests, tokens_until=tokens)
    return after, Chunk(max(0.0, requests - now, tokens - now), state.epoch)


def slowed(state: State, now: float, epoch: int) -> State:
    """Halve the rate, unless that was done since `epoch`, under which the refused request was sent."""
    if epoch != state.epoch:
        return state
    factor = max(SLOWEST, factor_of(state, now) / 2)
    return state._replace(factor=factor, since=now, epoch=epoch + 1)


class Bucket(Protocol):
    """A bucket. A chunk should be worth about `chunk_s` seconds of its taker's use, and what is not used
    within `cap_s` seconds is to be forfeited."""

    chunk_s: float
    cap_s: float

    async def take(self, requests_s: float, tokens_s: float) -> Chunk:
        """Take requests and tokens worth so many seconds of the full rate."""
        ...

    async def slow(self, epoch: int) -> None:
        """Halve the rate, unless that was done since `epoch`."""
        ...


class LocalBucket:
    """The bucket of one process."""

    chunk_s = 0.25
    cap_s = 0.5

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._state = fresh(clock())

    async def take(self, requests_s: float, tokens_s: float) -> Chunk:
        self._state, chunk = take(self._state, self._clock(), requests_s, tokens_s, self.cap_s)
        return chunk

    async def slow(self, epoch: int) -> None:
        self._state = slowed(self._state, self._clock(), epoch)


class Pass(NamedTuple):
    """Leave to send a request: the epoch under which it is sent, and the tokens it was counted as."""

    epoch: int
    tokens: float


class Pacer:
    """The queue for an endpoint's rates in one event loop, in the order of arrival. It takes from its bucket
    in chunks: for all that waits, or for what was used lately, if that is more."""

    def __init__(
        self,
        rates: Rates,
        bucket: Bucket,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self.rates, self.bucket = rates, bucket
        self._clock, self._sleep = clock, sleep
        self._waiting: deque[tuple[float, asyncio.Future[Pass]]] = deque()
        self._requests, self._tokens = _Balance(), _Balance()
        self._use, self._used_at, self._mean_tokens = 0.0, clock(), 0.0
        self._epoch = 0
        self._taking: asyncio.Task[None] | None = None

    async def admit(self, tokens: int = 0) -> Pass:
        """Wait until a request of about so many tokens may be sent. More than a minute's tokens count as a
        minute's. Raises InfrastructureFault if a shared bucket cannot be reached."""
        worth = min(float(tokens), (self.rates.tokens or 0.0) * MINUTE_S)
        turn: asyncio.Future[Pass] = asyncio.get_running_loop().create_future()
        self._waiting.append((worth, turn))
        self._serve()
        if not turn.done() and (self._taking is None or self._taking.done()):
            self._taking = asyncio.create_task(self._take_on())
        return await turn

    def settle(self, leave: Pass, used: int) -> None:
        """Count the tokens that a request has used instead of those it was counted as."""
        if self.rates.tokens is not None:
            self._tokens.add(leave.tokens - used, self._clock(), self.bucket.cap_s)
            self._serve()

    async def congested(self, leave: Pass) -> None:
        """Halve the rate, once for all requests sent before it was last halved."""
        await self.bucket.slow(leave.epoch)

    async def close(self) -> None:
        """Take no more."""
        if self._taking is not None:
            self._taking.cancel()
            with suppress(asyncio.CancelledError):
                await self._taking

    async def _take_on(self) -> None:
        """Take until nothing waits."""
        try:
            while self._serve():
                requests, tokens = self._chunk()
                chunk = await self.bucket.take(
                    requests / (self.rates.requests or math.inf), tokens / (self.rates.tokens or math.inf)
                )
                if chunk.wait_s > 0:
                    await self._sleep(chunk.wait_s)
                now, cap_s = self._clock(), self.bucket.cap_s
                self._requests.add(requests, now, cap_s)
                self._tokens.add(tokens, now, cap_s)
                self._epoch = chunk.epoch
        except Exception as error:  # whatever it is, those that wait must hear of it
            while self._waiting:
                turn = self._waiting.popleft()[1]
                if not turn.done():
                    turn.set_exception(error)

    def _chunk(self) -> tuple[float, float]:
        """The requests and tokens to take for those that wait, beside what is left."""
        now, seconds = self._clock(), self.bucket.chunk_s
        lately = int(self._use * math.exp(self._used_at - now) * seconds)
        most = math.inf if self.rates.requests is None else max(1.0, self.rates.requests * seconds)
        waitings = [worth for worth, turn in self._waiting if not turn.done()]
        count = int(min(max(len(waitings), lately), most))
        tokens, most_tokens = 0.0, (self.rates.tokens or 0.0) * seconds
        for at in range(count):
            more = waitings[at] if at < len(waitings) else self._mean_tokens
            if at and self.rates.tokens is not None and tokens + more > most_tokens:
                count = at
                break
            tokens += more
        left, left_tokens = self._requests.left(now), self._tokens.left(now)
        return max(0.0, count - left), max(0.0, tokens - left_tokens)

    def _serve(self) -> bool:
        """Let go whom there is enough for, in order; return whether anybody still waits."""
        while self._waiting:
            worth, turn = self._waiting[0]
            now = self._clock()
            if not turn.done():
                if self.rates.requests is not None and self._requests.left(now) < 1 - _EPSILON:
                    return True
                if self.rates.tokens is not None and self._tokens.left(now) < worth - _EPSILON * (1 + worth):
                    return True
                self._requests.amount -= 1
                self._tokens.amount -= worth
                self._use = self._use * math.exp(self._used_at - now) + 1
                self._used_at = now
                self._mean_tokens += (worth - self._mean_tokens) / min(self._use + 1, 16)
                turn.set_result(Pass(self._epoch, worth))
            self._waiting.popleft()
        return False


class _Balance:
    """An amount taken and not used yet. It is forfeited if it lies unused; a debt stays."""

    def __init__(self) -> None:
        self.amount, self._until = 0.0, -math.inf

    def add(self, amount: float, now: float, keeps_s: float) -> None:
        """Add what may be used for `keeps_s` seconds."""
        self.amount = self.left(now) + amount
        self._until = now + keeps_s

    def left(self, now: float) -> float:
        """Return what may be used now."""
        if now > self._until:
            self.amount = min(0.0, self.amount)
        return self.amount
