"""Inner exchanges: a composite's questions to the players inside it, recorded under a number such as 4.2.

4.2 is the second question that exchange 4 put to a player inside, counting those of the composite's refused
attempts; 4.2.1 is the first question of 4.2, itself a composite. They are numbered in list order when asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Protocol

from pydantic import BaseModel

from osler.core.attempts import Answer, Refusal, answered, recorded
from osler.core.composite import InnerQuestion, answer_of
from osler.core.contract import AnyContract, AnyRequest, Contract, NoUsableReply, OwnReply
from osler.core.events import Event, Noticed, Seat, json_of
from osler.core.trace import InnerRow
from osler.errors import Diverged

Feed = tuple[Event | OwnReply, ...]


class InnerRecorder(Protocol):
    """The sink of inner exchanges. `flush` returns when all of them are durably stored."""

    def inner(self, row: InnerRow) -> None: ...

    async def flush(self) -> None: ...


class InnerDesk:
    """The inner exchanges of one episode; those `recorded` in an earlier session are not asked again."""

    def __init__(
        self,
        recorder: InnerRecorder,
        recorded: Iterable[InnerRow],
        most: int,
        now: Callable[[], int],
    ) -> None:
        self._recorder, self._most, self._now = recorder, most, now
        self._recorded: dict[int, dict[str, InnerRow]] = {}
        self._lines: dict[int, tuple[Event | OwnReply, str]] = {}
        self._rows = list(recorded)
        self._once: dict[tuple[Seat, str, str], tuple[int, BaseModel | NoUsableReply]] = {}
        for row in self._rows:
            self._recorded.setdefault(row.n, {})[row.path] = row

    def of(self, n: int, seat: Seat, request: AnyRequest) -> Asking:
        """Return the asker for exchange `n`, which put this request to a composite in this seat."""
        return Asking(self, n, seat, request.feed, "")

    def skip(self, n: int) -> None:
        """Drop the inner record of exchange `n`: it is answered from the record, so no inner player is
        asked."""
        if self._recorded:
            self._recorded.pop(n, None)

    def check_used(self, n: int) -> None:
        """Raise Diverged if more inner exchanges of exchange `n` were recorded than have been asked."""
        if self._recorded and (rows := self._recorded.get(n)):
            raise Diverged(
                f"exchange {n}.{min(rows, key=_numbers)} of the record was not asked again",
                hint="the players have changed since; restart this episode",
            )

    @property
    def left(self) -> Iterator[int]:
        """The exchanges with recorded inner ones that have not been asked yet."""
        return (n for n, rows in self._recorded.items() if rows)

    async def answer(
        self, n: int, seat: Seat, path: str, question: InnerQuestion, feed: Feed
    ) -> BaseModel | NoUsableReply:
        """Answer one inner question, from the record or from the player; `feed` is the seat's own feed."""
        digest, news = self._digest(question.request), self._news(question, feed)
        inner_row = InnerRow(n, path, seat, question.player.name, digest, news, "", "")
        row = self._take(n, path)
        if row is not None:
            return _settled(_read(row, inner_row, question))
        player = question.player
        contract: AnyContract = Contract(seat, type(question.request.view), question.form)
        request = question.request._replace(contract=contract)
        inner = Asking(self, n, seat, request.feed, f"{path}.")
        minute = self._now()

        def ask(refusals: Sequence[Refusal]) -> Awaitable[object]:
            notices = (Noticed(minute=minute, to=(seat,), text=one.text, said=one.said) for one in refusals)
            return answer_of(player, request._replace(feed=(*request.feed, *notices)), inner)

        who = f"{player.name} ({seat})"
        result = await answered(ask, question.form.validate_python, self._most, who)
        said = inner_row._replace(reply=result.line, attempts=result.attempts_line, calls=result.calls)
        self._recorder.inner(said)
        if player.durable:
            await self._recorder.flush()
        return _settled(result)

    async def once(
        self, asking: Asking, n: int, seat: Seat, question: InnerQuestion, feed: Feed
    ) -> BaseModel | NoUsableReply:
        """Answer a question as an earlier exchange did in which the same player was asked in the same words,
        whatever has happened since; else ask."""
        key = (seat, question.player.name, self._news(question, feed))
        if key not in self._once:
            then = next((row for row in self._rows if row.n < n and (*row[2:4], row.events) == key), None)
            if then is not None:
                where = f"exchange {then.n}.{then.path}"
                answer = recorded(then.reply, then.attempts, question.form, where)
                self._once[key] = then.n, _settled(answer)
        asked_at, said = self._once.get(key, (n, None))
        if said is None or asked_at >= n:
            (said,) = await asking.ask_all([question])
            self._once.setdefault(key, (n, said))
        return said

    def _digest(self, request: AnyRequest) -> str:
        """See `digest_of`."""
        return digest_of(request, self._line)

    def _news(self, question: InnerQuestion, feed: Feed) -> str:
        """The items the inner player sees beyond the composite's own feed, as JSON text."""
        # A wrapper around a composite may add items before the feed as well as after it.
        same, news = 0, []
        for item in question.request.feed:
            if same < len(feed) and (item is feed[same] or item == feed[same]):
                same += 1
            else:
                news.append(self._line(item))
        return f"[{','.join(news)}]"

    def _line(self, item: Event | OwnReply) -> str:
        """A feed item as JSON text; cached, since every question repeats all earlier items."""
        line = self._lines.get(id(item))
        if line is None or line[0] is not item:
            line = self._lines[id(item)] = item, line_of(item)
        return line[1]

    def _take(self, n: int, path: str) -> InnerRow | None:
        """Take the recorded row at this path, dropping the rows below it, which are not asked again
        either."""
        rows = self._recorded.get(n, {})
        row = rows.pop(path, None)
        if row is not None:
            for below in [each for each in rows if each.startswith(f"{path}.")]:
                del rows[below]
        return row


class Asking:
    """The asker handed to a composite for one reply. See `osler.core.composite.Inner`."""

    def __init__(self, desk: InnerDesk, n: int, seat: Seat, feed: Feed, prefix: str) -> None:
        self._desk, self._n, self._seat, self._feed, self._prefix = desk, n, seat, feed, prefix
        self._asked = 0

    async def ask_all(self, asked: Sequence[InnerQuestion]) -> list[BaseModel | NoUsableReply]:
        """See `Inner.ask_all`. If the network fails one question, the others' answers are recorded first."""
        answers = []
        for question in asked:
            self._asked += 1
            path = f"{self._prefix}{self._asked}"
            answers.append(self._desk.answer(self._n, self._seat, path, question, self._feed))
        results = await asyncio.gather(*answers, return_exceptions=True)
        settled: list[BaseModel | NoUsableReply] = []
        for one in results:
            if isinstance(one, BaseException) and not isinstance(one, NoUsableReply):
                raise one
            settled.append(one)
        return settled

    async def ask_once(self, question: InnerQuestion) -> BaseModel | NoUsableReply:
        """See `Inner.ask_once`."""
        return await self._desk.once(self, self._n, self._seat, question, self._feed)


def _settled(answer: Answer) -> BaseModel | NoUsableReply:
    return answer.reply if answer.reply is not None else NoUsableReply(answer.failure, cause=answer.cause)


def _read(row: InnerRow, inner_row: InnerRow, question: InnerQuestion) -> Answer:
    """Return the recorded answer. Raises Diverged if it answered another question."""
    where = f"exchange {row.n}.{row.path}"
    if row[:6] != inner_row[:6]:  # all but the answer
        raise Diverged(
            f"{where} was put to {row.player} as {row.request[:8]}, "
            f"now to {inner_row.player} as {inner_row.request[:8]}",
            hint="the case, the players or the code have changed since; restart this episode",
        )
    return recorded(row.reply, row.attempts, question.form, where)


def line_of(item: Event | OwnReply) -> str:
    """A feed item as JSON text."""
    return f'{{"own":{json_of(item.reply)}}}' if isinstance(item, OwnReply) else item.line


def digest_of(request: AnyRequest, line: Callable[[Event | OwnReply], str] = line_of) -> str:
    """16 hex digits over the whole request: world, view and feed."""
    digest = blake2b(f"{request.world}{request.view.text}".encode(), digest_size=8)
    for item in request.feed:
        digest.update(line(item).encode())
    return digest.hexdigest()


def _numbers(path: str) -> tuple[int, ...]:
    return tuple(map(int, path.split(".")))
