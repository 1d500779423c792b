"""Stored episodes played again: every reply is read from the record, so nobody is really asked.

The story makes each request anew, by the same code as then, and the table hashes it: whether the hash is the
recorded one says whether the request is.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from pydantic import BaseModel, ValidationError

from osler.core.attempts import Answer, cause_of
from osler.core.config import Config
from osler.core.contract import NoUsableReply, Request
from osler.core.source import Source
from osler.core.trace import ExchangeRow, InnerRow
from osler.errors import InfrastructureFault
from osler.players.casting import casting_type
from osler.runs.cached_source import placed
from osler.runs.run import config_of, reopen
from osler.runs.stored_case import StoredCase, stored
from osler.store.records import RunInfo
from osler.store.store import Store

CHANGED: Final = "the case or the code has changed since it was recorded"


class RecordEnds(InfrastructureFault):
    """Raised where the record of an episode ends, or cannot be followed further."""


class SetUp(NamedTuple):
    """The parts an episode of a run was played with."""

    config: Config
    case: Any
    source: Source[Any]


def set_up(run: RunInfo, store: Store, ordinal: int, source: Source[Any] | None = None) -> SetUp:
    """Set up an episode as it was played. `source` are the run's cases, if they are open already.

    Raises BadInput if the case is gone, or this version of Osler cannot read it.
    """
    config = config_of(run)
    case_hash = store.case_of_episode(run.id, ordinal)
    if case_hash and not casting_type(config).needs_other_cases(config):
        case = stored(store, config.model)(case_hash)
        return SetUp(config, case, StoredCase(config.cases, case))
    # An episode that has not ended has no case in its row yet.
    cases = placed(reopen(run, store, source)[1], config)
    return SetUp(config, config.ready(cases.get(ordinal // config.repeats)), cases)


@dataclass
class Recorded:
    """The recorded outcome of an exchange: its attempts, and the reply as JSON text."""

    attempts: list[dict[str, Any]]
    reply: str
    refused: list[dict[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        self.refused = Answer(None, self.reply, self.attempts).refused

    @property
    def asks(self) -> int:
        """The number of times the player was asked."""
        return max(1, len(self.refused) + (self.reply != "null"))

    def said(self, tries: int) -> str:
        """The answer at an attempt, from 0."""
        return str(self.refused[tries]["reply"]) if tries < len(self.refused) else self.reply

    def refusal(self, tries: int) -> NoUsableReply:
        """The refusal of an attempt, from 0."""
        one = self.refused[tries]
        last = tries + 1 >= self.asks
        by, cause = one.get("by", one["at"]), cause_of(one)
        return NoUsableReply(one["error"], by=by, cause=cause, said=one["reply"], again=not last)


def recorded_of(row: ExchangeRow | InnerRow) -> Recorded:
    """The recorded outcome of an exchange."""
    return Recorded(json.loads(row.attempts), row.reply)


Meets = Callable[[Request[Any], ExchangeRow | None, int], Awaitable[None]]
"""Is called with each request, its exchange (`None` past the end of the record) and the attempt, from 0."""


class Reread:
    """A player that gives the replies of its seat, `rows`, from the record; `meets` is shown each request."""

    name: str = "reread"
    durable: Final = True

    def __init__(self, rows: Iterable[ExchangeRow], meets: Meets) -> None:
        self._rows, self._meets = deque(rows), meets
        self._tries = 0

    async def reply(self, request: Request[Any], /) -> BaseModel:
        """Give the next recorded answer. Raises RecordEnds where there is none."""
        if not self._rows:
            await self._meets(request, None, 0)
            raise RecordEnds("the record ends here")
        row, tries = self._rows[0], self._tries
        await self._meets(request, row, tries)
        recorded = recorded_of(row)
        self._tries += 1
        if self._tries >= recorded.asks:
            self._rows.popleft()
            self._tries = 0
        if tries < len(recorded.refused):
            raise recorded.refusal(tries)
        assert request.contract is not None, "the table gives one"
        try:
            reply: BaseModel = request.contract.reply.validate_json(row.reply)
        except ValidationError:
            raise RecordEnds(f"the reply of exchange {row.n} can no longer be read: {CHANGED}") from None
        return reply
