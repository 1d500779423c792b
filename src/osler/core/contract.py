"""The contract of a seat: an initial view, an append-only feed, and a reply type.

A request is nothing but `view + feed`. The view is fixed when the seat is taken; the feed holds every event
this seat was told and its own earlier replies, in order. So a prompt built from a request grows only at its
end, only the new events of a request have to be stored, and players can be stateless.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from random import Random
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeAlias, TypeVar

from pydantic import BaseModel, TypeAdapter

from osler.core.events import Event, JsonObject, Seat, View
from osler.core.kinds import NAME
from osler.errors import BadInput

V = TypeVar("V", bound=View)
R = TypeVar("R", bound=BaseModel)


class OwnReply(NamedTuple):
    """An earlier reply of this seat in its feed, including its private parts.

    >>> from osler.protocols.consultation.seats import Ask
    >>> reply = osler.OwnReply(Ask(question="Where does it hurt?"))
    >>> request = osler.Request(osler.View(), (reply,), "world")
    >>> sum(isinstance(item, osler.OwnReply) for item in request.feed)
    1
    """

    reply: BaseModel


class ReplyWithUsage(NamedTuple):
    """A reply with its cost, for players whose replies cost something.

    `noted` are entries for the exchange's record, each with an `at` of its own. `used` counts calls and
    tokens by name, with an entry for each request to a model; `None` means unknown, not zero. `calls` are
    records of these requests (JSON objects), stored beside the episode and never part of it.
    """

    reply: BaseModel
    noted: tuple[dict[str, str], ...] = ()
    used: tuple[dict[str, str | int | None], ...] = ()
    calls: tuple[JsonObject, ...] = ()


Refuser = Literal["model", "form", "rule", "grounding", "player"]
"""What refused a reply: the model's client (no answer could be read, or it is not of the wanted form), the
contract's type, the protocol's rule, the patient's facts; or the player failed."""


Cause = Literal[
    "filtered",  # a content filter removed the answer, or refused the request
    "refused",  # the model declined
    "out_of_role",  # it did not speak as the one whose seat it has
    "truncated",  # cut at the length limit
    "thought_only",  # thought, and no answer
    "empty",
    "unparsable",
    "invalid",  # not of the wanted form
    "rule",  # not allowed now
    "grounding",  # beyond the facts of the case
    "context",  # the prompt no longer fits the model's context
]
"""Why an attempt was refused, for machines; the words are in its `error`."""


class NoUsableReply(ValueError):
    """Raised when a player has no usable answer: why, `by` what it was refused, its `cause`, and what was
    `said`.

    Notes, cost and calls are recorded nevertheless. `again` says whether asking the player once more may
    help; it is then told why, unless the player itself failed.
    """

    def __init__(
        self,
        what: str,
        *,
        by: Refuser = "player",
        cause: Cause = "invalid",
        said: str = "",
        noted: tuple[dict[str, str], ...] = (),
        used: tuple[dict[str, str | int | None], ...] = (),
        calls: tuple[JsonObject, ...] = (),
        again: bool = True,
    ) -> None:
        super().__init__(what)
        self.by, self.cause, self.said = by, cause, said
        self.noted, self.used, self.calls, self.again = noted, used, calls, again


@dataclass(frozen=True)
class Contract(Generic[V, R]):
    """The contract of a seat: its name, the type of its view, and the type of its replies.

    `reply` validates a player's answers. Raises BadInput for an invalid name.

        >>> from pydantic import TypeAdapter
        >>> class Answer(osler.Frozen):
        ...     text: str
        >>> contract = osler.Contract("giver", osler.View, TypeAdapter(Answer))
        >>> contract.reply.validate_python({"text": "Yes."})
        Answer(text='Yes.')
    """

    seat: Seat
    view: type[V]
    reply: TypeAdapter[R]

    def __post_init__(self) -> None:
        if not re.fullmatch(NAME, self.seat):
            raise BadInput(f"{self.seat!r} cannot name a seat", hint="use lower-case letters, digits and _")


AnyContract: TypeAlias = "Contract[Any, Any]"
AnyRequest: TypeAlias = "Request[Any]"
AnyForm: TypeAlias = "TypeAdapter[Any]"
"""A contract, a request and a form of a reply whose types do not matter here."""


class Request(NamedTuple, Generic[V]):
    """One question to a seat: its view, and its feed of events and of its own earlier replies.

    `world` is an opaque token for everything that does not depend on the player; `contract` gives the seat
    and the reply type, for players that cannot tell from the view.

        >>> request = osler.Request(osler.View(), (), "world")
        >>> request.rng("doctor", "order").random() == request.rng("doctor", "order").random()
        True
    """

    view: V
    feed: tuple[Event | OwnReply, ...]
    world: str
    contract: AnyContract | None = None

    def rng(self, seat: Seat, purpose: str) -> Random:
        """A random generator that depends on the world, the seat and the purpose, never on the cast."""
        return rng(self.world, seat, purpose)


class Player(Protocol):
    """The player of a seat, stateless between calls except for caches of what a request determines.

    `name` appears in the cast and in every report. `durable` says that a reply costs something (a model's, a
    person's): it is committed before the encounter goes on. A player with a true attribute `from_outside` is
    answered by somebody who may leave: its question is committed before it is put. Errors are plain Python
    exceptions.

        >>> class Guesser:
        ...     name, durable = "guesser", False
        ...
        ...     async def reply(self, request):
        ...         return {"action": "FINALIZE", "diagnosis": "migraine"}
        >>> osler.run(seats={"doctor": Guesser()}, limit=1).totals.ended
        {'completed': 1}
    """

    @property
    def name(self) -> str: ...

    @property
    def durable(self) -> bool: ...

    async def reply(self, request: AnyRequest, /) -> BaseModel | ReplyWithUsage:
        """Answer a request with the seat's reply type, or with a dict of its fields."""
        ...


def rng(world: str, seat: str, purpose: str) -> Random:
    """A random generator seeded by hash(world, seat, purpose)."""
    return Random(blake2b(f"{world}\x1f{seat}\x1f{purpose}".encode(), digest_size=8).digest())  # noqa: S311 - simulation, not secrecy
