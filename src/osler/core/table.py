"""The table: the only seam between a protocol and its players.

A protocol tells events and asks seats. The table numbers each exchange when it is asked, answers it from the
record while the record lasts, otherwise asks the player, validates the reply, and records it. So resume,
replay, branching and people in any seat need nothing from a protocol.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from random import Random
from typing import Any, NamedTuple, Protocol, TypeVar

from pydantic import BaseModel

from osler.core.attempts import Answer, Refusal, answered, recorded, refusal
from osler.core.composite import AnyPlayer, answer_of
from osler.core.contract import AnyContract, Contract, OwnReply, Request, rng
from osler.core.events import Event, Noticed, Seat, View
from osler.core.inner import InnerDesk, InnerRecorder
from osler.core.pace import PACE
from osler.core.trace import AskedRow, ExchangeRow, InnerRow
from osler.errors import Diverged, EpisodeFault, InvalidPlay, SimulatorFault, TimeUp

V = TypeVar("V", bound=View)
R = TypeVar("R", bound=BaseModel)
T = TypeVar("T")
Check = Callable[[Any], None]


class Recorder(InnerRecorder, Protocol):
    """The sink of exchanges, inner ones included. `flush` returns when all of them are durably stored.

    `asked` is called before a durable player is asked. With `at_once` the question is to be stored by the
    next `flush`, which follows; otherwise soon, unless it is answered meanwhile.
    """

    def asked(self, row: AskedRow, *, at_once: bool) -> None: ...

    def exchange(self, row: ExchangeRow) -> None: ...


@dataclass(slots=True)
class _Seated:
    """A taken seat: its feed, and a running hash of its view and everything it was told."""

    view: View
    player: AnyPlayer
    digest: blake2b
    feed: list[Event | OwnReply] = field(default_factory=list)


class _Question(NamedTuple):
    """One exchange as it is asked; `events` holds the events told since the one before."""

    n: int
    contract: AnyContract
    check: Check | None
    digest: str
    events: str
    world: str


class Table:
    """One episode's table, at which a protocol seats players, tells them events and asks them.

    `world` is the token that all random numbers depend on, besides seat and purpose. `recorded` are exchanges
    of an earlier session, `recorded_inner` those inside its composites: they are not asked again.
    `under_test` is the seat whose failure to move is its own fault; any other seat's failure is the
    simulator's. `max_attempts` limits the attempts at one exchange. `reseeded` are (exchange, world) in
    ascending order: everything asked after that exchange is asked in that world. Times are simulated minutes.

        >>> from osler.core.episode import TeeRecorder
        >>> table = osler.Table({}, TeeRecorder(), world="w", under_test="doctor")
        >>> table.pass_time(5)
        >>> table.tell(osler.Said, by="patient", text="It hurts.")
        >>> table.close()
        '[{"kind":"said","minute":5,"by":"patient","text":"It hurts."}]'
    """

    def __init__(
        self,
        cast: Mapping[Seat, AnyPlayer],
        recorder: Recorder,
        *,
        world: str,
        under_test: Seat,
        recorded: Iterable[ExchangeRow] = (),
        recorded_inner: Iterable[InnerRow] = (),
        max_attempts: int = 3,
        reseeded: Sequence[tuple[int, str]] = (),
    ) -> None:
        self.minute = 0
        self.exchanges = 0
        self._cast, self._recorder, self._world = cast, recorder, world
        self._recorded = {row.n: row for row in recorded}
        self._inner = InnerDesk(recorder, recorded_inner, max_attempts, lambda: self.minute)
        self._under_test, self._max_attempts, self._reseeded = under_test, max_attempts, reseeded
        self._seats: dict[Seat, _Seated] = {}
        self._untold: list[str] = []

    def seat(self, contract: Contract[V, R], view: V) -> None:
        """Give a seat its view. Its player must be in the cast. Given another view, a seat begins anew: it is
        shown nothing of what it was told and said before."""
        digest = blake2b(f"{self._world}{view.text}".encode(), digest_size=8)
        self._seats[contract.seat] = _Seated(view, self._cast[contract.seat], digest)

    def rng(self, purpose: str) -> Random:
        """A random generator for what the protocol itself draws, in the world of the next exchange."""
        return rng(self._worlds(self.exchanges + 1)[-1], "table", purpose)

    def pass_time(self, minutes: int) -> None:
        """Advance the simulated clock; raises ValueError for a negative time."""
        if minutes < 0:
            raise ValueError("time does not run back")
        self.minute += minutes

    def tell(self, kind: Callable[..., Event], *to: Seat, **what: object) -> None:
        """Record an event that happens now, and tell it to the seats named."""
        event = kind(minute=self.minute, to=to, **what)
        line = event.line
        self._untold.append(line)
        if to:
            told = line.encode()
            for name in to:
                seated = self._seats[name]
                seated.feed.append(event)
                seated.digest.update(told)

    async def ask(self, contract: Contract[V, R], check: Callable[[R], None] | None = None) -> R:
        """Ask one seat. `check` raises ValueError if a well-formed reply is not allowed now."""
        question = self._number(contract, check)
        return self._settle(contract, await self._answer(question))

    async def ask_all(self, asked: Iterable[tuple[AnyContract, Check | None]]) -> list[Any]:
        """Ask independent seats concurrently; their exchanges are numbered in list order.

        If the network fails one of them, the others' answers are awaited and recorded first.
        """
        questions = [self._number(contract, check) for contract, check in asked]
        answers = await asyncio.gather(*map(self._answer, questions), return_exceptions=True)
        settled = []
        for question, answer in zip(questions, answers, strict=True):
            if isinstance(answer, BaseException):
                raise answer
            settled.append(self._settle(question.contract, answer))
        return settled

    async def work(self, work: Callable[[], T]) -> T:
        """Return what `work` returns: what a protocol itself computes for long, in the encounter's turn."""
        pace = PACE.get()
        return work() if pace is None else await pace.work(work)

    def close(self) -> str:
        """Return the events told since the last exchange, as JSON text. Raises Diverged if part of the record
        is unused."""
        if left := {*self._recorded, *self._inner.left}:
            raise Diverged(f"the record goes on to exchange {max(left)}, the encounter has ended")
        return self._take_untold()

    # How one exchange is answered

    def _number(self, contract: AnyContract, check: Check | None) -> _Question:
        self.exchanges += 1
        digest, worlds = self._seats[contract.seat].digest.copy(), self._worlds(self.exchanges)
        for other in worlds[1:]:
            digest.update(other.encode())
        return _Question(self.exchanges, contract, check, digest.hexdigest(), self._take_untold(), worlds[-1])

    def _worlds(self, exchange: int) -> list[str]:
        """The worlds that an exchange depends on; the last is the one it is asked in."""
        return [self._world, *(world for after, world in self._reseeded if exchange > after)]

    async def _answer(self, question: _Question) -> Answer:
        row = self._recorded.pop(question.n, None)
        if row is None:
            return await self._from_player(question)
        if (pace := PACE.get()) is not None:
            await pace.replayed()
        self._inner.skip(question.n)
        contract = question.contract
        if row[:4] != (question.n, contract.seat, question.digest, question.events):
            raise Diverged(
                f"exchange {row.n} was put to {row.seat} as {row.request[:8]}, "
                f"now to {contract.seat} as {question.digest[:8]}",
                hint="the case or the code has changed since; restart this episode",
            )
        return recorded(row.reply, row.attempts, contract.reply, f"exchange {row.n}")

    async def _from_player(self, question: _Question) -> Answer:
        contract, n = question.contract, question.n
        seated = self._seats[contract.seat]
        request = Request(seated.view, tuple(seated.feed), question.world, contract)
        inner = self._inner.of(n, contract.seat, request)

        def ask(refusals: Sequence[Refusal]) -> Awaitable[object]:
            notices = (
                Noticed(minute=self.minute, to=(contract.seat,), text=one.text, said=one.said)
                for one in refusals
            )
            asked = request._replace(feed=(*request.feed, *notices)) if refusals else request
            return answer_of(seated.player, asked, inner)

        def read(said: object) -> BaseModel:
            reply: BaseModel = contract.reply.validate_python(said)
            if question.check:
                question.check(reply)
            return reply

        if seated.player.durable:
            await self._put_down(question, at_once=getattr(seated.player, "from_outside", False))
        who = f"{seated.player.name} ({contract.seat})"
        try:
            answer = await answered(ask, read, self._max_attempts, who)
        except (EpisodeFault, TimeUp):
            # There will be no exchange, so its events belong to the end.
            self._untold[:0] = [question.events[1:-1]] if question.events != "[]" else []
            raise
        self._inner.check_used(n)
        row = ExchangeRow(
            n,
            contract.seat,
            question.digest,
            question.events,
            answer.line,
            answer.attempts_line,
            answer.calls,
        )
        self._recorder.exchange(row)
        if seated.player.durable:
            await self._recorder.flush()
        return answer

    async def _put_down(self, question: _Question, *, at_once: bool) -> None:
        """Record the question itself; a person's is stored before it is put."""
        row = AskedRow(question.n, question.contract.seat, question.digest, question.events)
        self._recorder.asked(row, at_once=at_once)
        if at_once:
            await self._recorder.flush()

    def _settle(self, contract: Contract[V, R], answer: Answer) -> R:
        for attempt in answer.refused if answer.attempts else ():
            self.tell(Noticed, contract.seat, **refusal(attempt)._asdict())
        if answer.reply is None:
            blame = InvalidPlay if contract.seat == self._under_test else SimulatorFault
            raise blame(answer.failure, where=contract.seat, cause=answer.cause)
        seated = self._seats[contract.seat]
        seated.feed.append(OwnReply(answer.reply))
        seated.digest.update(answer.line.encode())
        reply: R = answer.reply  # type: ignore[assignment]  # the contract's adapter made it
        return reply

    def _take_untold(self) -> str:
        if not self._untold:
            return "[]"
        lines, self._untold = self._untold, []
        return f"[{','.join(lines)}]"
