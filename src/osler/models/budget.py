"""Usage accounting and budgets of a run, and the estimates they and `--dry-run` need.

The ledger counts the usage that endpoints report, by seat and endpoint; a call without reported usage is
counted separately and an estimate is charged to the budget, never mixed with what is known. Budgets are
checked before a call, with an estimate that includes calls in flight, and pause the run without ending an
episode.

The estimate of tokens: UTF-8 bytes / 4, rounded up (English has 4 to 4.5 characters per token; other scripts
take more bytes and more tokens per character), 4 for the overhead of each message, 1,000 for each image
whatever its size, and `max_tokens` for the answer, else 400. Meant for English prose; too low for code and
for tables of numbers.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from typing import Any, Final, NamedTuple, Protocol

from osler.errors import BadInput, InfrastructureFault
from osler.models.config import Endpoint
from osler.models.types import CompletionRequest, Message, Usage

BYTES_PER_TOKEN: Final = 4
MESSAGE_TOKENS: Final = 4
IMAGE_TOKENS: Final = 1000
ANSWER_TOKENS: Final = 400
_MILLION: Final = 1_000_000
_CLOSE: Final = 1e-12  # sums of the same money in another order differ by less


@dataclass(slots=True)
class Tally:
    """A tally of usage. Tokens are sums of what was reported; `unreported` counts calls without usage, and
    `assumed_tokens` estimates theirs. `unpriced` counts calls of unknown cost, and `assumed_cost` estimates
    theirs where prices are known. `failed` requests got no answer; `retried` ones were sent again."""

    calls: int = 0
    failed: int = 0
    retried: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    unreported: int = 0
    assumed_tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0
    assumed_cost: float = 0.0

    def add(self, other: Tally) -> None:
        """Add another tally to this one."""
        self.calls += other.calls
        self.failed += other.failed
        self.retried += other.retried
        self.prompt_tokens += other.prompt_tokens
        self.completion_tokens += other.completion_tokens
        self.cached_tokens += other.cached_tokens
        self.reasoning_tokens += other.reasoning_tokens
        self.unreported += other.unreported
        self.assumed_tokens += other.assumed_tokens
        self.cost += other.cost
        self.unpriced += other.unpriced
        self.assumed_cost += other.assumed_cost

    def as_json(self) -> dict[str, int | float | None]:
        """Return it as a command reports it; a cost that is not known in full is `None`."""
        return {
            "calls": self.calls,
            "failed": self.failed,
            "retried": self.retried,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cost": None if self.unpriced else self.cost,
        }

    @property
    def tokens(self) -> int:
        """Known and assumed tokens together, which is what a budget counts."""
        return self.prompt_tokens + self.completion_tokens + self.assumed_tokens


@dataclass(slots=True)
class Ledger:
    """Usage by (seat, endpoint) and in total. The tallies of an earlier session can be added on resuming."""

    rows: dict[tuple[str, str], Tally] = field(default_factory=dict)
    total: Tally = field(default_factory=Tally)

    def charge(self, seat: str, endpoint: Endpoint, usage: Usage, assumed: Estimate) -> None:
        """Count an answered request; `assumed` is used where `usage` is unknown."""
        cost = cost_of(usage, endpoint)
        known = usage.prompt_tokens is not None and usage.completion_tokens is not None
        tally = Tally(
            calls=1,
            prompt_tokens=usage.prompt_tokens or 0,
            completion_tokens=usage.completion_tokens or 0,
            cached_tokens=usage.cached_tokens or 0,
            reasoning_tokens=usage.reasoning_tokens or 0,
        )
        if not known:
            tally.unreported = 1
            tally.assumed_tokens = assumed.tokens - tally.prompt_tokens - tally.completion_tokens
        if cost is None:
            tally.unpriced, tally.assumed_cost = 1, cost_of(assumed, endpoint) or 0.0
        else:
            tally.cost = cost
        self.add(seat, endpoint.name, tally)

    def lost(self, seat: str, endpoint: str) -> None:
        """Count a request that got no answer; its usage is unknown."""
        self.add(seat, endpoint, Tally(calls=1, failed=1))

    def retried(self, seat: str, endpoint: str) -> None:
        """Count a request that is sent again."""
        self.add(seat, endpoint, Tally(retried=1))

    def add(self, seat: str, endpoint: str, tally: Tally) -> None:
        """Add a tally to one seat and endpoint."""
        row = self.rows.get((seat, endpoint))
        if row is None:
            row = self.rows[seat, endpoint] = Tally()
        row.add(tally)
        self.total.add(tally)


class BudgetPaused(InfrastructureFault):
    """A budget of the run is used up; `limit` is "tokens", "money" or "seconds". The run can be resumed.
    `enough` is a limit, to two digits, that leaves as much again, and room for what was wanted. `sent` says
    that a request was under way, and is given up."""

    def __init__(
        self, limit: str, what: str, *, wanted: float = 0.0, allowed: float = 0.0, sent: bool = False
    ) -> None:
        super().__init__(what, where=f"{limit} budget", hint="raise it and resume")
        self.limit, self.sent = limit, sent
        self.enough = _rounded_up(max(2 * allowed, 2 * wanted))

    def as_json(self) -> dict[str, str | float]:
        """Return it as one process tells it to another."""
        return {"limit": self.limit, "what": self.what, "enough": self.enough}

    @staticmethod
    def told(said: Mapping[str, Any]) -> BudgetPaused:
        """Return what another process has told."""
        return BudgetPaused(str(said["limit"]), str(said["what"]), wanted=float(said["enough"]) / 2)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a run, `None` for no limit. `money` is in the currency of the prices; `seconds` is the
    wall time of this session."""

    tokens: int | None = None
    money: float | None = None
    seconds: float | None = None


BUDGET: Final = "budget"
"""The entry of a run's manifest with the budget that it was started, or last resumed, with:
`{"max_money": 5.0, "token_budget": null}`."""


def budget_entry(limits: Limits) -> dict[str, Any]:
    """Return a budget as the manifest of its run keeps it."""
    return {BUDGET: {"max_money": limits.money, "token_budget": limits.tokens}}


def limits_in(manifest: Mapping[str, Any]) -> Limits:
    """Return the budget that a manifest keeps; no limit where it keeps none that can be read."""
    kept = manifest.get(BUDGET)
    amounts = kept if isinstance(kept, Mapping) else {}
    tokens, money = (amounts.get(name) for name in ("token_budget", "max_money"))
    return Limits(
        tokens if isinstance(tokens, int) and tokens > 0 else None,
        money if isinstance(money, int | float) and 0 <= money < math.inf else None,
    )


class Amounts(NamedTuple):
    """Tokens and money."""

    tokens: float = 0
    money: float = 0.0


class Purse(Protocol):
    """The budget that the processes of a run spend together."""

    async def reserve(self, limits: Limits, spent: Amounts, under_way: Amounts, wanted: Amounts) -> Amounts:
        """Reserve at least what a request is `wanted` for, beside what this process has `spent` and what it
        has `under_way`. Returns all that it has reserved since it began, what it has spent included; raises
        BudgetPaused if that would exceed a limit."""
        ...


class Budget:
    """The budget of a run. `cover` and `reserve` before a request, `release` the reservation when it has
    ended. With a purse, which other processes spend from, too, it may spend what it has reserved there.
    """

    def __init__(self, limits: Limits, ledger: Ledger, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._ledger, self._clock = limits, ledger, clock
        self._began = clock()
        self._tokens, self._money = 0, 0.0
        self._purse: Purse | None = None
        self._before, self._held = Amounts(), Amounts()
        self._asking = asyncio.Lock()

    @property
    def bounds_spending(self) -> bool:
        """Whether tokens or money are limited."""
        return self._limits.tokens is not None or self._limits.money is not None

    def share(self, purse: Purse) -> None:
        """From here on, spend from a purse."""
        self._purse, self._before, self._held = purse, self._spent(), Amounts()

    def spent_here(self) -> Amounts:
        """The amounts spent since the purse is shared."""
        now = self._spent()
        return Amounts(now.tokens - self._before.tokens, now.money - self._before.money)

    def _spent(self) -> Amounts:
        used = self._ledger.total
        return Amounts(used.tokens, used.cost + used.assumed_cost)

    async def cover(self, endpoint: Endpoint, wanted: Estimate) -> None:
        """See that the purse, if there is one, has reserved enough for a request that is reserved at once
        afterwards. Raises BudgetPaused as `reserve` does."""
        if self._purse is None or not self.bounds_spending or not self._lacks(endpoint, wanted):
            return
        async with self._asking:
            while self._lacks(endpoint, wanted):
                self._held = await self._purse.reserve(
                    self._limits,
                    self.spent_here(),
                    Amounts(self._tokens, self._money),
                    Amounts(wanted.tokens, cost_of(wanted, endpoint) or 0.0),
                )

    def _lacks(self, endpoint: Endpoint, wanted: Estimate) -> bool:
        spent, limits, close = self.spent_here(), self._limits, 1 + _CLOSE
        tokens = spent.tokens + self._tokens + wanted.tokens
        money = spent.money + self._money + (cost_of(wanted, endpoint) or 0.0)
        return (limits.tokens is not None and tokens > self._held.tokens * close) or (
            limits.money is not None and money > self._held.money * close
        )

    def admit(self, endpoint: Endpoint) -> None:
        """Reject a money limit on an endpoint without prices (BadInput), before anything is spent."""
        check_priced(self._limits, endpoint)

    def reserve(self, endpoint: Endpoint, wanted: Estimate) -> tuple[int, float]:
        """Reserve tokens and money for a request. Raises BudgetPaused naming the limit it would exceed."""
        limits = self._limits
        if (left_s := self._left_s()) is not None and left_s <= 0:
            raise self._over()
        tokens, money = wanted.tokens, cost_of(wanted, endpoint) or 0.0
        if self._purse is None:
            under_way, wants = Amounts(self._tokens, self._money), Amounts(tokens, money)
            check_within(limits, self._spent(), under_way, wants)
        self._tokens += tokens
        self._money += money
        return tokens, money

    @asynccontextmanager
    async def in_time(self) -> AsyncIterator[None]:
        """Give up a request within the block when the seconds are over. Raises BudgetPaused."""
        try:
            async with asyncio.timeout(self._left_s()):
                yield
        except TimeoutError:
            raise self._over(sent=True) from None

    def _left_s(self) -> float | None:
        limit = self._limits.seconds
        return None if limit is None else limit - (self._clock() - self._began)

    def _over(self, *, sent: bool = False) -> BudgetPaused:
        return BudgetPaused("seconds", f"{round(self._limits.seconds or 0, 1):g} s are over", sent=sent)

    def release(self, reserved: tuple[int, float]) -> None:
        """Release a reservation made by `reserve`."""
        self._tokens -= reserved[0]
        self._money -= reserved[1]


def check_priced(limits: Limits, endpoint: Endpoint) -> None:
    """Raise BadInput for a money limit on an endpoint without prices."""
    if limits.money is not None and endpoint.price_in is None:
        hint = "set price_in and price_out, or budget tokens instead"
        raise BadInput("a money limit needs prices", where=f"endpoint {endpoint.name}", hint=hint)


def check_within(limits: Limits, spent: Amounts, under_way: Amounts, wanted: Amounts) -> None:
    """Raise BudgetPaused naming the limit that what is wanted would exceed."""
    tokens, money = (
        spent.tokens + under_way.tokens + wanted.tokens,
        sum(each.money for each in (spent, under_way, wanted)),
    )
    if limits.tokens is not None and tokens > limits.tokens * (1 + _CLOSE):
        what = (
            f"{spent.tokens:.0f} used, {under_way.tokens:.0f} under way, about {wanted.tokens:.0f} wanted"
            f" of {limits.tokens}"
        )
        raise BudgetPaused("tokens", what, wanted=tokens, allowed=limits.tokens)
    if limits.money is not None and money > limits.money * (1 + _CLOSE):
        what = (
            f"{spent.money:.4f} spent, {under_way.money:.4f} under way, {wanted.money:.4f} wanted"
            f" of {limits.money:g}"
        )
        raise BudgetPaused("money", what, wanted=money, allowed=limits.money)


def _rounded_up(number: float) -> float:
    """A positive number rounded up to two significant digits; 0 stays 0."""
    if number <= 0:
        return 0.0
    unit = Decimal(1).scaleb(Decimal(repr(float(number))).adjusted() - 1)
    return float((Decimal(repr(float(number))) / unit).to_integral_value(ROUND_CEILING) * unit)


class Estimate(NamedTuple):
    """The estimated tokens of a prompt and its completion."""

    prompt: int
    completion: int

    @property
    def tokens(self) -> int:
        """The sum of both."""
        return self.prompt + self.completion


def text_tokens(text: str) -> int:
    """The estimated tokens of a text."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
    return -(-size // BYTES_PER_TOKEN)


def prompt_tokens(messages: Iterable[Message]) -> int:
    """The estimated tokens of a prompt."""
    total = 0
    for message in messages:
        total += MESSAGE_TOKENS + text_tokens(message.text)
        if message.images:
            total += IMAGE_TOKENS * len(message.images)
    return total


def estimate(request: CompletionRequest, added: Iterable[Message] = ()) -> Estimate:
    """The estimated usage of a request; `added` are messages appended to it."""
    prompt = prompt_tokens(request.messages) + prompt_tokens(added)
    return Estimate(prompt, request.sampling.max_tokens or ANSWER_TOKENS)


class Priced(Protocol):
    """The prices of a model per million tokens; `None` is unknown."""

    @property
    def price_in(self) -> float | None: ...
    @property
    def price_out(self) -> float | None: ...
    @property
    def price_cached(self) -> float | None: ...


def cost_of(usage: Usage | Estimate, endpoint: Priced) -> float | None:
    """The cost of usage at these prices, such as an endpoint's; `None` if the prices or the tokens are
    unknown. Tokens not known to be cached are charged in full."""
    if endpoint.price_in is None or endpoint.price_out is None:
        return None
    if isinstance(usage, Estimate):
        prompt, completion, cached = usage.prompt, usage.completion, 0
    elif usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    else:
        prompt, completion = usage.prompt_tokens, usage.completion_tokens
        cached = min(usage.cached_tokens or 0, prompt)
    price_cached = endpoint.price_in if endpoint.price_cached is None else endpoint.price_cached
    fresh = prompt - cached
    return (fresh * endpoint.price_in + cached * price_cached + completion * endpoint.price_out) / _MILLION
