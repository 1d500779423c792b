"""What every model player does: messages from the request, one completion, a reply of the seat's type."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from hashlib import blake2b
from typing import Any, ClassVar, Final, Generic, TypeVar

from pydantic import BaseModel

from osler.models.types import CompletionRequest, Message, ModelClient, Output, Sampling
from osler.players.model.messages import messages_of, replies_before, seed_of
from osler.players.model.replied import Replied, refused_of, used_in
from osler.prompts import prompt
from osler.seats.contract import Request
from osler.seats.events import Seat, View

V = TypeVar("V", bound=View)
R = TypeVar("R", bound=BaseModel)


class ModelPlayer(ABC, Generic[V, R]):
    """A language model in a seat. Keeps nothing between calls.

    `endpoint` is the name under which the client was configured. An answer that cannot be used raises
    `ModelAnswerError` (a ValueError, with its attempts); whatever is not the model's fault raises
    `InfrastructureFault`.
    """

    seat: ClassVar[Seat]
    prompt_name: str
    output: ClassVar[Output]
    durable: Final = True

    def __init__(self, client: ModelClient, endpoint: str, *, sampling: Sampling = Sampling()) -> None:  # noqa: B008 - frozen
        self._client, self._endpoint, self._sampling = client, endpoint, sampling

    @property
    def name(self) -> str:
        """The player as the cast and every report name it."""
        return f"model:{self._endpoint}"

    @property
    def fingerprint(self) -> str:
        """16 hex digits over what decides this player's answers besides the model: prompt, reply schema and
        sampling."""
        output = self._output()
        shape = output.digest if output else "text"
        parts = (prompt(self.prompt_name).hash, shape, self._sampling.model_dump_json())
        return blake2b("\x1f".join(parts).encode(), digest_size=8).hexdigest()

    async def reply(self, request: Request[V]) -> R:
        """The seat's reply."""
        return (await self.replied(request)).reply

    async def replied(self, request: Request[V]) -> Replied[R]:
        """The seat's reply with what it took to get it."""
        messages = self._messages(request)
        completion = await self._client.complete(
            CompletionRequest(
                messages=messages,
                sampling=self._sampling,
                seed=seed_of(request.world, self.seat, replies_before(messages)),
                output=self._output(),
                seat=self.seat,
            ),
            validate=partial(self._read, request),
        )
        reply: Any = completion.parsed  # what `_read` returned
        attempts = completion.attempts
        if completion.from_cache:
            return Replied(reply, model=completion.model)
        return Replied(reply, refused_of(attempts), used_in(attempts), len(attempts), completion.model)

    def _messages(self, request: Request[V]) -> tuple[Message, ...]:
        return messages_of(request)

    def _output(self) -> Output | None:
        return self.output

    @abstractmethod
    def _read(self, request: Request[V], value: Any, /) -> R:
        """The reply in a JSON value (in a text, where no output type is asked). Raises ValueError; the model
        is told why and may mend its answer."""
