"""The base class of model players: messages from the request, one completion, a reply of the seat's type."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property, partial
from hashlib import blake2b
from typing import Any, ClassVar, Final, Generic, Self, TypeVar

from pydantic import BaseModel

from osler.core.composite import AnyPlayer
from osler.core.contract import NoUsableReply, ReplyWithUsage, Request
from osler.core.deliberation import wanted
from osler.core.events import Seat, View, json_of
from osler.core.factory import PlayerRequest
from osler.core.role import Seating
from osler.core.wording import ReplyWords
from osler.errors import BadInput
from osler.models.calls import call_of
from osler.models.faults import ModelAnswerError
from osler.models.types import CompletionRequest, Message, ModelClient, Output, Sampling
from osler.players.model.in_role import fault_of, told_so
from osler.players.model.messages import messages_of, replies_before, seed_of
from osler.players.model.neutral_names import Names
from osler.players.model.opinions import WEIGHING, opinion_asked, opinion_read
from osler.players.model.schemas import fitted, opened
from osler.players.model.seat import ModelSeat, Moves
from osler.players.model.usage import unanswered, used_by
from osler.text.languages import ENGLISH, instruction, played_in

V = TypeVar("V", bound=View)
R = TypeVar("R", bound=BaseModel)


class ModelPlayer(ABC, Generic[V, R]):
    """A language model in a seat; `reads` defines its prompt. Stateless.

    `endpoint` is the name under which the client was configured, `serving` the model and extra fields it
    serves (`Endpoint.serving`); `moves` is the answer format, if the seat supports more than one; with `eyes`
    the model is shown the pictures. If no answer is usable, `reply` raises `NoUsableReply`; a failure that is
    not the model's fault raises `InfrastructureFault`.
    """

    seat: Seat
    reads: ModelSeat
    forms: ClassVar[tuple[Output, ...]] = ()
    """The forms it may be asked to fill; none for a seat that answers in plain words."""
    durable: Final = True
    language: str = ENGLISH
    """The code of the language it plays in."""
    always_looks: ClassVar[bool] = False
    """Whether it is shown the pictures even if the model is not declared to see."""
    narrow: bool = False
    """Whether a form lists only the neutral names on offer, which is right where schemas cost nothing."""
    spoken: ReplyWords = {}  # noqa: RUF012 - never changed
    """The wordings of its protocol's replies, by which what it says aloud is known."""

    def __init__(
        self,
        client: ModelClient,
        endpoint: str,
        *,
        moves: Moves = "json",
        eyes: bool = False,
        serving: bytes = b"",
        sampling: Sampling = Sampling(),  # noqa: B008 - frozen
    ) -> None:
        self._client, self._endpoint, self._eyes = client, endpoint, eyes
        self._moves: Moves = moves
        self._serving, self._sampling = serving, sampling

    @classmethod
    def seated(cls, asked: PlayerRequest, seating: Seating) -> AnyPlayer:
        """Build the player `model:NAME`, to play in the language of the run or of the case. Where its role
        looks at pictures, it is shown them if the model has eyes. Raises BadInput for a model that is not
        configured."""
        return cls.built(asked, seating).checked(seating)

    @classmethod
    def built(cls, asked: PlayerRequest, seating: Seating, **more: Any) -> Self:
        """Build the player itself, with `more` than its `options` for its constructor."""
        name, models, plays = asked.argument, seating.models, seating.config.plays
        if models is None:
            raise BadInput(f"no model was opened for the {asked.seat}", where=f"model:{name}")
        eyes = cls.always_looks or (plays.role(asked.seat).looks and models.has_eyes(name))
        endpoint = models.endpoint(name)
        options = {"eyes": eyes, "serving": endpoint.serving, **cls.options(asked, seating), **more}
        player = cls(models.client(name), name, **options)
        player.spoken = plays.reply_words
        player.language = played_in(getattr(seating.config, "settings", None), asked.case)
        player.narrow = endpoint.local
        return player

    @classmethod
    def options(cls, asked: PlayerRequest, seating: Seating) -> Mapping[str, Any]:
        """The further options of its constructor, by the run's configuration."""
        return {}

    def checked(self, seating: Seating) -> AnyPlayer:
        """The player as it sits: this one, or what checks its words around it."""
        return self

    @property
    def name(self) -> str:
        """The player's name in the cast, the episode's key and every report, with its fingerprint."""
        return f"model:{self._endpoint}#{self.fingerprint}"

    @cached_property
    def fingerprint(self) -> str:
        """8 hex digits over everything that determines its answers: prompt, reply schema, model, sampling."""
        parts = [self.reads.prompt(self._moves).hash, self._shape(), self._sampling.model_dump_json()]
        if self.narrow:
            parts.append("narrow")
        if self._eyes:
            parts.append("eyes")
        if self.language != ENGLISH:
            parts.append(instruction(self.language))
        if self._serving:
            parts.append(self._serving.decode())
        return blake2b("\x1f".join(parts).encode(), digest_size=4).hexdigest()

    async def reply(self, request: Request[V]) -> ReplyWithUsage:
        """Return the seat's reply with its usage; inside a wrapper, an opinion if one is asked for."""
        messages, what = self._messages(request), wanted(request)
        question = CompletionRequest(
            messages=messages,
            sampling=self._sampling,
            seed=seed_of(request.world, self.seat, replies_before(messages)),
            output=self._form(request),
            seat=self.seat,
            once=True,  # the table asks again
            weighs=what in WEIGHING,
        )
        read = partial(self._opened, request) if what == "move" else partial(opinion_read, what)
        try:
            completion = await self._client.complete(question, validate=read)
        except ModelAnswerError as error:
            raise unanswered(error, self._endpoint, question) from None
        reply: Any = completion.parsed  # what `_read` returned
        attempts = () if completion.from_cache else completion.attempts
        used = (used_by(self._endpoint, attempts, completion.model),)
        calls = (call_of(self._endpoint, question, completion),)
        if fault := fault_of(reply, self.seat, self.spoken):
            why, said = told_so(fault, self.seat), json_of(reply)
            raise NoUsableReply(why, by="model", cause=fault.cause, said=said, used=used, calls=calls)
        return ReplyWithUsage(reply, used=used, calls=calls)

    def _messages(self, request: Request[V]) -> tuple[Message, ...]:
        def form_at(at: int) -> Output | None:
            return self._form(request._replace(feed=request.feed[:at]))

        reads = self._reading(request)
        return messages_of(
            request, reads, self._moves, eyes=self._eyes, language=self.language, form_at=form_at
        )

    def _form(self, request: Request[V]) -> Output | None:
        """The form of the answer wanted now: a move, or an opinion inside a wrapper."""
        what = wanted(request)
        if what != "move":
            return opinion_asked(what, self.seat)
        output = None if self._moves == "text" else self._asked(request)
        return output and fitted(output, self._offers(request), narrow=self.narrow)

    def _opened(self, request: Request[V], value: Any) -> R:
        return self._read(request, opened(value) if isinstance(value, dict) else value)

    def _reading(self, request: Request[V]) -> ModelSeat:
        """The rendering of this request, for a seat that has several kinds of view."""
        return self.reads

    def _asked(self, request: Request[V]) -> Output | None:
        """The form of the move asked for now."""
        return self.reads.form(request.view)

    def _offers(self, request: Request[V]) -> tuple[Names, ...]:
        """Return the names that the form's neutral names may now refer to."""
        return ()

    def _shape(self) -> str:
        """The fingerprint's part for the forms."""
        return " ".join(one.digest for one in self.forms) if self._moves == "json" else "text"

    @abstractmethod
    def _read(self, request: Request[V], value: Any, /) -> R:
        """Parse the reply from the fields of its move (from text, if no form is asked for). Raises
        ValueError; the model is told why and may correct its answer."""
