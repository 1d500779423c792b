"""One real turn of a model in a seat: what it answers to the seat's first request, or why it cannot.

`osler check` shows it for every endpoint, and a teacher's room takes it before it opens.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Final, NamedTuple

from osler.core.contract import NoUsableReply
from osler.core.factory import PlayerRequest
from osler.core.lazy import load
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named, protocols
from osler.core.role import Seating
from osler.errors import InfrastructureFault, OslerError
from osler.judging.opening import JudgeModel
from osler.models.config import Endpoint
from osler.models.extraction import without_thought
from osler.models.faults import Kind, ModelAnswerError
from osler.models.secret import Secret, sanitized
from osler.models.types import Completion, CompletionRequest, ModelClient, Rung, Validate
from osler.players.seating import model_player
from osler.runs.first_requests import FirstRequests, play_first
from osler.text.in_role.faults import declines

SHOWN: Final = 200
JUDGE: Final = "judge"


class Turn(NamedTuple):
    """A seat whose turn can be tried, the protocol it is played in, and the encounter (`None`: one of the
    protocol's defaults)."""

    seat: str
    protocol: Protocol
    encounter: FirstRequests | None = None


@cache
def turns() -> dict[str, Turn]:
    """Every seat that a model may take and that is asked something in a plain encounter, by name."""
    result: dict[str, Turn] = {}
    for protocol in protocols():
        try:
            requests = played(protocol.name).requests
        except OslerError:  # an installed package's protocol, whose encounters need more than its defaults
            continue
        names = [role.name for role in protocol.roles if role.takes_models and role.name in requests]
        for name in (*names, JUDGE) if protocol.model_judge else names:
            result.setdefault(name, Turn(name, protocol))
    return result


@cache
def played(protocol: str) -> FirstRequests:
    """One encounter of a protocol's built-in players."""
    return play_first(protocol_named(protocol).config())


class _Overheard:
    """The client of one turn: it keeps the first answer or its failure, and lets no second request out."""

    def __init__(self, client: ModelClient, endpoint: Endpoint) -> None:
        self._client, self._endpoint = client, endpoint
        self.heard: Completion | ModelAnswerError | None = None

    def client(self, name: str) -> _Overheard:
        """Itself, as the client of any model."""
        return self

    def endpoint(self, name: str) -> Endpoint:
        """The endpoint that is checked."""
        return self._endpoint

    def has_eyes(self, name: str) -> bool:
        """Whether it is declared to see images."""
        return self._endpoint.capabilities.images

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        """Ask once."""
        if self.heard is not None:
            raise _Enough("one answer is enough")
        try:
            self.heard = await self._client.complete(request, validate=validate)
        except ModelAnswerError as error:
            self.heard = error
            raise
        return self.heard

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """No player uses embeddings."""
        raise NotImplementedError


class _Enough(InfrastructureFault):
    """Ends a turn that would ask for more than one answer."""


class Took(NamedTuple):
    """A turn taken. `heard` is the answer, the model's own failure to give one, or `None` if nothing was
    asked; `rung` is how it was asked; `refused` is why a run would ask again,
    and `cause` the same as the record names it."""

    heard: Completion | ModelAnswerError | None
    rung: Rung
    refused: str = ""
    cause: str = ""

    @property
    def text(self) -> str:
        """The words that came, whether they could be used or not."""
        if isinstance(self.heard, Completion):
            return self.heard.text
        last = self.heard.attempts[-1] if self.heard and self.heard.attempts else None
        return last.text if last else ""


async def take(turn: Turn, client: ModelClient, endpoint: Endpoint) -> Took:
    """The model's answer to the seat's first request. Raises InfrastructureFault."""
    model, refused, cause = _Overheard(client, endpoint), "", ""
    try:
        await _asked(turn, model)
    except NoUsableReply as error:
        refused, cause = str(error), error.cause
    except _Enough:
        pass
    except InfrastructureFault:
        raise
    except (OslerError, ValueError):
        pass  # the answer, or its failure, was overheard
    heard = model.heard
    tries = heard.attempts if heard else ()
    if isinstance(heard, ModelAnswerError):
        cause = cause or str(heard.kind)  # a judge's
    return Took(heard, tries[-1].rung if tries else "text", refused, cause)


class _Looking:
    """A client that sends nothing and keeps the first request."""

    request: CompletionRequest | None = None

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        """Keep the request."""
        self.request = self.request or request
        raise _Enough("nothing is sent")

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """No player uses embeddings."""
        raise NotImplementedError


def request_of(turn: Turn, endpoint: Endpoint) -> CompletionRequest | None:
    """The request that a turn would send to the model; `None` if it sends none."""
    looking = _Looking()
    with suppress(OslerError, ValueError):
        asyncio.run(_asked(turn, _Overheard(looking, endpoint)))
    return looking.request


async def _asked(turn: Turn, model: _Overheard) -> None:
    protocol, encounter = turn.protocol, turn.encounter or played(turn.protocol.name)
    if turn.seat == JUDGE:
        assert protocol.model_judge is not None
        judge = load(protocol.model_judge.opens)(JudgeModel(model, model.endpoint("")))
        await judge.judge(encounter.episode, encounter.trace)
        return
    seat, request = encounter.requests[turn.seat]
    player_request = PlayerRequest(seat, encounter.case, model.endpoint("").name)
    player: Any = model_player(player_request, Seating(protocol.config(), model))
    await player.reply(request)


def shown(text: str, key: Secret | None) -> str:
    """The first characters of an answer, on one line."""
    return sanitized(text, key, SHOWN)


def remedy(error: ModelAnswerError, endpoint: Endpoint, rung: Rung, text: str) -> str:
    """The remedy for an answer with this text that cannot be used, by its cause."""
    table = f"[endpoints.{endpoint.name}]"
    match error.kind:
        case Kind.LENGTH:
            return f"raise max_answer_tokens in {table}, and timeout_s with it; a reasoning model needs both"
        case _ if error.kind is Kind.REFUSED or declines(without_thought(text)):
            return "the model declines to play; no setting of Osler changes that: choose another model"
        case Kind.FILTERED:
            return (
                "loosen the content filter of this deployment where its provider lets you, or choose another"
            )
        case Kind.TOO_LONG:
            return "start the server with a longer context; a consultation needs some 16,000 tokens"
        case Kind.EMPTY if "tool call" in str(error):
            return "start the server without its tool-call parser"
        case Kind.THOUGHT_ONLY:
            return f"start the server without its reasoning parser, or raise max_answer_tokens in {table}"
        case Kind.EMPTY:
            return "look at the endpoint's own log: it answers without a word"
        case _ if rung == "text":
            return "the model does not write JSON: choose another, or for a doctor --moves text"
    return f"set {rung} = false under [endpoints.{endpoint.name}.capabilities]"
