"""The table: the only seam between a protocol and its players.

A protocol tells events and asks seats. The table numbers each exchange when it is asked, answers it from the
record while the record lasts, otherwise asks the player, validates the reply, and records it. So resume,
replay, branching and people in any seat need nothing from a protocol.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from osler.encounter.trace import ExchangeRow
from osler.errors import Diverged, InfrastructureFault, InvalidPlay, SimulatorFault
from osler.seats.contract import Contract, Own, Player, Replied, Request, Unanswered
from osler.seats.events import NOT_VALID, Event, Noticed, Seat, View, json_of

V = TypeVar("V", bound=View)
R = TypeVar("R", bound=BaseModel)
Check = Callable[[Any], None]
OURS = ("player", "form", "rule")
"""Attempts that the table refused. What a player refused itself is `model`, what a reply cost is `used`."""


class Recorder(Protocol):
    """Where exchanges go. `flush` returns when all of them are safe."""

    def exchange(self, row: ExchangeRow) -> None: ...

    async def flush(self) -> None: ...


@dataclass(slots=True)
class _Seated:
    """A taken seat: its feed, and a running hash of its view and everything it was told."""

    view: View
    player: Player
    digest: Any
    feed: list[Event | Own] = field(default_factory=list)


class _Question(NamedTuple):
    """One exchange as it is asked; `events` is what was told since the one before."""

    n: int
    contract: Contract[Any, Any]
    check: Check | None
    digest: str
    events: str
    world: str


@dataclass(slots=True)
class _Answer:
    """What became of one question: the reply (`None` if none was valid) and the attempts refused."""

    reply: BaseModel | None
    line: str
    attempts: list[dict[str, Any]]


class Table:
    """One episode's table.

    `recorded` are exchanges of an earlier sitting: they are not asked again. `under_test` is the seat whose
    failure to move is its own fault; any other seat's failure is the simulator's. `max_attempts` bounds how
    often one exchange is tried. `reseeded` are (exchange, world) in rising order: what is asked after that
    exchange is asked in that world.
    """

    def __init__(
        self,
        cast: Mapping[Seat, Player],
        recorder: Recorder,
        *,
        world: str,
        recorded: Iterable[ExchangeRow] = (),
        under_test: Seat = "doctor",
        max_attempts: int = 3,
        reseeded: Sequence[tuple[int, str]] = (),
    ) -> None:
        self.minute = 0
        self.exchanges = 0
        self._cast, self._recorder, self._world = cast, recorder, world
        self._recorded = {row.n: row for row in recorded}
        self._under_test, self._max_attempts, self._reseeded = under_test, max_attempts, reseeded
        self._seats: dict[Seat, _Seated] = {}
        self._untold: list[str] = []

    def seat(self, contract: Contract[V, R], view: V) -> None:
        """Give a seat its view. Its player must stand in the cast."""
        digest = blake2b(f"{self._world}{view.text}".encode(), digest_size=8)
        self._seats[contract.seat] = _Seated(view, self._cast[contract.seat], digest)

    def pass_time(self, minutes: int) -> None:
        """Let simulated minutes pass; time never runs back."""
        if minutes < 0:
            raise ValueError("time does not run back")
        self.minute += minutes

    def tell(self, kind: Callable[..., Event], *to: Seat, **what: Any) -> None:
        """Something happened now: write it down and tell the seats named."""
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
        """Ask one seat. `check` raises ValueError where a well-formed reply is not allowed now."""
        question = self._number(contract, check)
        return self._settle(contract, await self._answer(question))

    async def ask_all(self, asked: Iterable[tuple[Contract[Any, Any], Check | None]]) -> list[Any]:
        """Ask seats that do not depend on one another at the same time; numbered in list order.

        Where the network fails one of them, the others' answers are waited for and recorded first.
        """
        questions = [self._number(contract, check) for contract, check in asked]
        answers = await asyncio.gather(*map(self._answer, questions), return_exceptions=True)
        settled = []
        for question, answer in zip(questions, answers, strict=True):
            if isinstance(answer, BaseException):
                raise answer
            settled.append(self._settle(question.contract, answer))
        return settled

    def close(self) -> str:
        """What was told since the last exchange, as JSON text. Refuses to close over an unused record."""
        if self._recorded:
            raise Diverged(f"the record goes on to exchange {max(self._recorded)}, the encounter has ended")
        return self._take_untold()

    # How one exchange is answered

    def _number(self, contract: Contract[Any, Any], check: Check | None) -> _Question:
        self.exchanges += 1
        digest, world = self._seats[contract.seat].digest.copy(), self._world
        for after, other in self._reseeded:
            if self.exchanges > after:
                world = other
                digest.update(world.encode())
        return _Question(self.exchanges, contract, check, digest.hexdigest(), self._take_untold(), world)

    async def _answer(self, question: _Question) -> _Answer:
        row = self._recorded.pop(question.n, None)
        if row is None:
            return await self._from_player(question)
        contract = question.contract
        if row[:4] != (question.n, contract.seat, question.digest, question.events):
            raise Diverged(
                f"exchange {row.n} was put to {row.seat} as {row.request[:8]}, "
                f"now to {contract.seat} as {question.digest[:8]}",
                mend="the case or the code has changed since; restart this episode",
            )
        try:
            reply = None if row.reply == "null" else contract.reply.validate_json(row.reply)
            return _Answer(reply, row.reply, json.loads(row.attempts))
        except ValueError as error:
            raise Diverged(f"exchange {row.n} of the record cannot be read") from error

    async def _from_player(self, question: _Question) -> _Answer:
        contract = question.contract
        seated = self._seats[contract.seat]
        answer = _Answer(None, "null", [])
        notices: list[Event | Own] = []
        again = True
        while again and len(notices) < self._max_attempts:
            request = Request(seated.view, (*seated.feed, *notices), question.world)
            try:
                said: object = await seated.player.reply(request)
            except InfrastructureFault:
                raise
            except Unanswered as error:
                answer.attempts += _taken(error.refused, error.used)
                refused, again = _attempt("player", str(error), None), error.again
            except Exception as error:  # a player may raise anything; here it becomes data
                refused = _attempt("player", f"{type(error).__name__}: {error}", None)
            else:
                if isinstance(said, Replied):
                    answer.attempts += _taken(said.refused, said.used)
                    said = said.reply
                try:
                    reply = contract.reply.validate_python(said)
                    if question.check:
                        question.check(reply)
                    answer.reply, answer.line = reply, json_of(reply)
                    break
                except ValidationError as error:
                    refused = _attempt("form", _in_short(error), said)
                except ValueError as error:
                    refused = _attempt("rule", str(error), said)
            answer.attempts.append(refused)
            notices.append(Noticed(minute=self.minute, to=(contract.seat,), text=_refusal(refused)))
        self._recorder.exchange(
            ExchangeRow(
                question.n,
                contract.seat,
                question.digest,
                question.events,
                answer.line,
                json.dumps(answer.attempts) if answer.attempts else "[]",
            )
        )
        if seated.player.durable:
            await self._recorder.flush()
        return answer

    def _settle(self, contract: Contract[V, R], answer: _Answer) -> R:
        refused = [attempt for attempt in answer.attempts if attempt["at"] in OURS]
        for attempt in refused:
            self.tell(Noticed, contract.seat, text=_refusal(attempt))
        if answer.reply is None:
            last, tries = refused[-1]["error"], len(refused)
            blame = InvalidPlay if contract.seat == self._under_test else SimulatorFault
            times = "1 attempt" if tries == 1 else f"{tries} attempts"
            raise blame(f"no valid reply in {times}; the last: {last}", where=contract.seat)
        seated = self._seats[contract.seat]
        seated.feed.append(Own(answer.reply))
        seated.digest.update(answer.line.encode())
        reply: R = answer.reply  # type: ignore[assignment]  # the contract's adapter made it
        return reply

    def _take_untold(self) -> str:
        if not self._untold:
            return "[]"
        lines, self._untold = self._untold, []
        return f"[{','.join(lines)}]"


def _taken(
    refused: tuple[dict[str, str], ...], used: tuple[dict[str, str | int | None], ...]
) -> list[dict[str, Any]]:
    """What a reply took, as entries of the record."""
    return [*refused, *({"at": "used", **one} for one in used)]


def _attempt(at: str, error: str, said: object) -> dict[str, str]:
    """A refused attempt: where it failed (player, form or rule), why, and what was said."""
    if isinstance(said, BaseModel):
        shown = said.model_dump_json()
    elif isinstance(said, dict | list | str | int | float):
        shown = repr(said)
    else:  # other objects' own words may differ from sitting to sitting
        shown = "" if said is None else f"<{type(said).__name__}>"
    return {"at": at, "error": error[:500], "reply": shown[:4000]}


def _refusal(attempt: dict[str, Any]) -> str:
    """What a seat is told of a refused attempt; a failure inside the player is never spoken of."""
    why = attempt["error"] if attempt["at"] != "player" else "no answer could be read"
    return f"{NOT_VALID}: {why}"


def _in_short(error: ValidationError) -> str:
    parts = (f"{'.'.join(map(str, e['loc'])) or 'reply'}: {e['msg']}" for e in error.errors()[:5])
    return "; ".join(parts)
