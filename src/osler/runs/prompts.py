"""The prompts of a stored episode, built again from its record and proved by hash.

An episode is played again in its own world, with every reply taken from the record; only a model's player is
really asked, with a client that sends nothing and answers as was recorded. So the messages are made by the
same code as then, and where the hash of what was sent is stored (`osler.models.calls`), it says whether they
are the same.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from pydantic import BaseModel

from osler.core.attempts import Answer, refusal
from osler.core.composite import AnyPlayer, InnerQuestion, answer_of
from osler.core.contract import Contract, NoUsableReply, Request
from osler.core.events import Noticed, Seat
from osler.core.factory import Factory, PlayerRequest
from osler.core.inner import line_of
from osler.core.role import ARGUMENTS, EXTERNAL, PERSON, Seating
from osler.core.trace import AskedRow, ExchangeRow, InnerRow
from osler.models.calls import prompt_hash, shown
from osler.models.config import OWN_SETTINGS, Capabilities, Endpoint
from osler.models.faults import ModelAnswerError
from osler.models.structured import read_answer
from osler.models.types import Completion, CompletionRequest, Message, Validate
from osler.players.casting import casting_of, casting_type
from osler.players.seating import model_player
from osler.runs.endpoints import ENDPOINTS
from osler.runs.reread import RecordEnds, Reread, recorded_of, set_up
from osler.store.records import CallRow, RunInfo
from osler.store.store import Store

GIVEN: Final = "given"
_HOST: Final = "http://nowhere.invalid/v1"


class Prompt(NamedTuple):
    """One call to a model: its place (`call` counts within an exchange, or the inner one at `path`), the
    messages it was sent (`None` if they cannot be built again), the raw reply, and the reasoning (`None` if
    it gave none or none is recorded).

    `proved` says whether these messages are what was sent: `None` if no hash of that is stored.
    """

    n: int
    path: str
    call: int
    seat: Seat
    messages: list[dict[str, Any]] | None
    reply: str
    reasoning: str | None
    proved: bool | None
    outcome: str = "ok"
    role: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        return self._asdict()


def prompts_of(run: RunInfo, store: Store, ordinal: int) -> tuple[Prompt, ...]:
    """Every call to a model in an episode, in order. Raises BadInput if the case or a player cannot be set up
    again."""
    record = _Record(store.recorded(run.id, ordinal), store.recorded_inner(run.id, ordinal))
    for row in store.calls(run.id, ordinal):
        record.calls[row.n, row.path].append(row)
    if not (record.rows or record.within):
        raise store.no_episode(run.id, ordinal, run.name)
    with suppress(RecordEnds):
        asyncio.run(_played_again(run, store, ordinal, record))
    return record.result()


async def _played_again(run: RunInfo, store: Store, ordinal: int, record: _Record) -> None:
    config, case, source = set_up(run, store, ordinal)
    models = _Models(run, record)
    asks: set[Seat] = set()

    def model(asked: PlayerRequest) -> AnyPlayer:
        asks.add(asked.seat)
        return model_player(asked, Seating(config, models))

    others = dict.fromkeys((PERSON, EXTERNAL, GIVEN, *ARGUMENTS), lambda asked: _Nobody())
    more: Mapping[str, Factory] = {**others, "model": model}
    cast = casting_of(config, casting_type(config).supplied(config, more, store, source)).cast(case)
    seated = {
        seat: Reread(record.of_seat(seat), _PromptProbe(player, seat, record) if seat in asks else _unasked)
        for seat, player in cast.items()
    }
    await config.episode(ordinal, case, source).play(seated, record)


class _Stop(Exception):
    """Raised to a model's player whose further calls are not recorded."""


class _Record:
    """The record of an episode, with what is found out about its calls. A recorder of the episode as it
    is played again."""

    def __init__(self, rows: Iterable[ExchangeRow], inner: Iterable[InnerRow]) -> None:
        self.rows = {row.n: row for row in rows}
        self.within = {(row.n, row.path): row for row in inner}
        self.calls: dict[tuple[int, str], deque[CallRow]] = defaultdict(deque)
        self.once: dict[tuple[Seat, str, str], tuple[int, BaseModel | NoUsableReply]] = {}
        self._found: list[Prompt] = []
        self._numbers: dict[tuple[int, str], int] = defaultdict(int)
        self._other: set[int] = set()

    def of_seat(self, seat: Seat) -> list[ExchangeRow]:
        """The exchanges of a seat, in order."""
        return [row for _, row in sorted(self.rows.items()) if row.seat == seat]

    def asked(self, row: AskedRow, *, at_once: bool) -> None:
        """Nothing is asked: every reply is read from the record."""

    def exchange(self, row: ExchangeRow) -> None:
        """Note whether an exchange was put as it had been recorded."""
        if (then := self.rows.get(row.n)) is None or then[:3] != row[:3]:
            self._other.add(row.n)

    def inner(self, row: InnerRow) -> None:
        """Nothing is stored."""

    def row_within(self, n: int, path: str) -> InnerRow:
        """A recorded inner exchange. Raises _Stop if there is none."""
        if (row := self.within.get((n, path))) is None:
            raise _Stop
        return row

    async def flush(self) -> None:
        """Nothing is stored."""

    def call(self, place: _Place, request: CompletionRequest) -> CallRow | None:
        """Note a call that was built again; return it as recorded, `None` if it was not."""
        key = (place.n, place.path)
        self._numbers[key] += 1
        recorded = self.calls[key].popleft() if self.calls[key] else None
        self._found.append(_prompt(place, self._numbers[key], recorded, request))
        return recorded

    def result(self) -> tuple[Prompt, ...]:
        """All calls in order, those that could not be built again included."""
        left = [_left(row, self.rows) for rows in self.calls.values() for row in rows]
        found = [self._checked(one) for one in self._found]
        return tuple(sorted((*found, *left), key=_order))

    def _checked(self, one: Prompt) -> Prompt:
        # Without a hash, the request's own must vouch for the messages.
        wrong = one.n in self._other and one.proved is None
        return one._replace(messages=None, proved=False) if wrong else one


def _order(one: Prompt) -> tuple[int, tuple[int, ...], int]:
    return one.n, tuple(map(int, filter(None, one.path.split(".")))), one.call


def _prompt(place: _Place, number: int, row: CallRow | None, request: CompletionRequest) -> Prompt:
    role = request.seat if request.seat != place.seat else ""
    head = Prompt(place.n, place.path, number, place.seat, shown(request.messages), "", None, None, role=role)
    if row is None:
        return head._replace(reply=place.said)
    body = row.body
    sent = prompt_hash(request.messages)
    head = _as_recorded(head, body)
    if prompt := body.get("messages"):
        same = sent == body["prompt"] or _hash_of(prompt) == body["prompt"]
        return head._replace(messages=prompt, proved=same)
    return head._replace(proved=sent == body["prompt"])


def _left(row: CallRow, rows: Mapping[int, ExchangeRow]) -> Prompt:
    """A recorded call that the episode did not make when it was played again."""
    kept = row.body.get("messages")
    proved = kept is not None and _hash_of(kept) == row.body["prompt"]
    seat, role = row.body["seat"], row.body.get("role", "")
    return _as_recorded(Prompt(row.n, row.path, row.call, seat, kept, "", None, proved, role=role), row.body)


def _as_recorded(one: Prompt, body: Mapping[str, Any]) -> Prompt:
    return one._replace(reply=body["text"], reasoning=body["reasoning"] or None, outcome=body["outcome"])


def _hash_of(kept: Sequence[Mapping[str, Any]]) -> str | None:
    """The hash of kept messages; `None` for those with pictures, of which only hashes are kept."""
    if any("pictures" in one for one in kept):
        return None
    return prompt_hash([Message(role=one["role"], text=one["text"]) for one in kept])


# The players and their models


@dataclass
class _Place:
    """The place in the record of a model's call; `said` is the recorded reply, for calls not recorded."""

    n: int
    path: str
    seat: Seat
    said: str


_place: ContextVar[_Place] = ContextVar("place")


class _Client:
    """A client that sends nothing and answers as was recorded."""

    def __init__(self, record: _Record) -> None:
        self._record = record

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        row = self._record.call(_place.get(), request)
        if row is None:
            raise _Stop
        text, finish = row.body["text"], row.body["finish_reason"]
        value, wrong = read_answer(text, finish, request.output, validate)
        if wrong is not None:
            raise ModelAnswerError(wrong)
        return Completion(text=text, parsed=value, finish_reason=finish)

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        raise _Stop


class _Models:
    """The models of a run as its manifest records them."""

    def __init__(self, run: RunInfo, record: _Record) -> None:
        self._record = record
        self._records: Mapping[str, Any] = run.manifest.get(ENDPOINTS, {})

    def client(self, name: str) -> _Client:
        return _Client(self._record)

    def endpoint(self, name: str) -> Endpoint:
        record = self._records.get(name)
        if record is None:  # begun by a program that did not say
            return Endpoint(name=name, base_url=_HOST, model=name)
        settings = dict(record["settings"])
        own = {name: settings.pop(name) for name in OWN_SETTINGS if name in settings}
        return Endpoint(
            name=name,
            base_url=_HOST,
            model=record["model"],
            extra=settings,
            **own,
            capabilities=Capabilities(images=record["images"]),
        )

    def has_eyes(self, name: str) -> bool:
        return self.endpoint(name).capabilities.images


class _Nobody:
    """A player that is never asked: what it said is in the record."""

    name, durable = "nobody", False

    async def reply(self, request: Request[Any], /) -> BaseModel:
        raise _Stop


async def _unasked(request: Request[Any], row: ExchangeRow | None, tries: int) -> None:
    """Make no calls: no model sits here."""


class _PromptProbe:
    """Asks a model's own player beside the record, for its prompts alone."""

    def __init__(self, player: AnyPlayer, seat: Seat, record: _Record) -> None:
        self._player, self._record = player, record
        self._inner = _Inside(record, 0, "", seat)

    async def __call__(self, request: Request[Any], row: ExchangeRow | None, tries: int) -> None:
        if row is None:
            return
        if tries == 0:
            self._inner = _Inside(self._record, row.n, "", row.seat)
        place = _Place(row.n, "", row.seat, recorded_of(row).said(tries))
        await _ask(self._player, request, self._inner, place)


class _Inside:
    """A composite's questions to its inner players, answered from the record. See `osler.core.composite`."""

    def __init__(self, record: _Record, n: int, prefix: str, seat: Seat) -> None:
        self._record, self._n, self._prefix, self._seat = record, n, prefix, seat
        self._asked = 0

    async def ask_all(self, asked: Sequence[InnerQuestion]) -> list[BaseModel | NoUsableReply]:
        return [await self._answer(one) for one in asked]

    async def ask_once(self, question: InnerQuestion) -> BaseModel | NoUsableReply:
        words = question.request.feed[-1]
        key = (self._seat, question.player.name, line_of(words))
        then, said = self._record.once.get(key, (self._n, None))
        if said is None or then >= self._n:
            said = await self._answer(question)
            self._record.once.setdefault(key, (self._n, said))
        return said

    async def _answer(self, question: InnerQuestion) -> BaseModel | NoUsableReply:
        self._asked += 1
        path = f"{self._prefix}{self._asked}"
        row = self._record.row_within(self._n, path)
        recorded = recorded_of(row)
        contract: Contract[Any, Any] = Contract(self._seat, type(question.request.view), question.form)
        request = question.request._replace(contract=contract)
        inside = _Inside(self._record, self._n, f"{path}.", self._seat)
        for tries in range(recorded.asks):
            noticeds = (
                Noticed(minute=0, to=(self._seat,), text=refusal(one)) for one in recorded.refused[:tries]
            )
            put = request._replace(feed=(*request.feed, *noticeds))
            await _ask(question.player, put, inside, _Place(self._n, path, row.seat, recorded.said(tries)))
        if row.reply == "null":
            return NoUsableReply(Answer(None, row.reply, recorded.attempts).failure)
        reply: BaseModel = question.form.validate_json(row.reply)
        return reply


async def _ask(player: AnyPlayer, request: Request[Any], inside: _Inside, place: _Place) -> None:
    """Have a model's player make its calls; what it answers is in the record."""
    if isinstance(player, _Nobody):
        return
    token = _place.set(place)
    try:
        await answer_of(player, request, inside)
    except Exception:  # noqa: S110 - a player may raise anything, as it did then
        pass
    finally:
        _place.reset(token)
