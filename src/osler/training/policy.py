"""A policy in a seat: tokens in, tokens out.

It is the model player of the house with a client of its own, so it is given to the letter what a served
model is given. What was sampled is never tokenized again: a prompt grows by the tokens of its own answers,
and by those that the template has for what others said since.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from typing import Protocol as Interface

from osler.core.contract import Cause, NoUsableReply
from osler.errors import BadInput
from osler.models.faults import Kind
from osler.models.structured import read_answer
from osler.models.types import Completion, CompletionRequest, Usage, Validate
from osler.training.batcher import Batcher
from osler.training.state import chat_of

POLICY: Final = "policy"
"""The name of the policy's endpoint, in whatever seat it is trained."""
Chat = Sequence[dict[str, Any]]
_MOST_KEPT: Final = 4000


class Tokens(Interface):
    """The words of a base as tokens; `end` is the token that ends a turn."""

    @property
    def end(self) -> int: ...

    def asked(self, chat: Chat, /) -> list[int]:
        """The tokens of a prompt, up to where the model is to speak."""
        ...

    def since(self, chat: Chat, /) -> list[int]:
        """The tokens between the end of the last answer in a chat and where the model is to speak again."""
        ...

    def said(self, ids: Sequence[int], /) -> str:
        """An answer as text, up to its end."""
        ...


class Said(NamedTuple):
    """An answer of a policy: its text, whether it could be read, and whether it came to its end."""

    text: str
    valid: bool
    ended: bool = True

    @property
    def heard(self) -> str:
        """The text as it is scored: one that was cut off counts as empty, as no server would hand it on."""
        return self.text if self.ended else ""


@dataclass
class Spoken:
    """The tokens of one encounter: the first prompt, all that followed, and in `mask` a 1 for each token that
    the policy itself sampled. `answers` are its turns as text."""

    prompt: list[int] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    answers: list[Said] = field(default_factory=list)
    scored: bool = True
    """Whether the log-probability of every sampled token is known."""

    def hears(self, ids: Sequence[int]) -> None:
        """Take in what others said."""
        self.ids += ids
        self.mask += [0] * len(ids)
        self.logprobs += [0.0] * len(ids)

    def speaks(self, ids: Sequence[int], logprobs: Sequence[float] | None) -> None:
        """Take in an own answer."""
        self.ids += ids
        self.mask += [1] * len(ids)
        self.logprobs += logprobs or [0.0] * len(ids)
        self.scored = self.scored and logprobs is not None


class PolicyClient:
    """The client of a policy in one encounter. An answer that cannot be read ends it: nothing is asked again,
    so that a turn is one sample. `room` is the most tokens a prompt may have."""

    def __init__(self, tokens: Tokens, batcher: Batcher, place: int, room: int) -> None:
        self._tokens, self._batcher, self._place, self._room = tokens, batcher, place, room
        self.spoken = Spoken()

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        """Sample an answer. Raises NoUsableReply."""
        spoken = self.spoken
        self._hear(request)
        if len(spoken.prompt) + len(spoken.ids) > self._room:
            raise NoUsableReply("the prompt is too long", by="player", cause="context", again=False)
        answer = await self._batcher.speak(self._place, spoken.prompt + spoken.ids)
        spoken.speaks(answer.ids, answer.logprobs)
        text = self._tokens.said(answer.ids)
        ended = bool(answer.ids) and answer.ids[-1] == self._tokens.end
        parsed, fault = read_answer(text, None, request.output, validate)
        spoken.answers.append(Said(text, ended and fault is None, ended))
        if not ended:
            raise _unusable("the answer does not end", "truncated", text)
        if fault is not None:
            unread = fault.kind is Kind.UNPARSABLE
            raise _unusable(fault.detail, "unparsable" if unread else "invalid", text)
        return Completion(text=text, parsed=parsed, usage=Usage(completion_tokens=len(answer.ids)))

    def _hear(self, request: CompletionRequest) -> None:
        spoken, chat = self.spoken, chat_of(request.messages)[0]
        if not spoken.prompt:
            spoken.prompt = self._tokens.asked(chat)
        else:
            spoken.hears(self._tokens.since(chat))

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Raise BadInput: a policy speaks."""
        raise BadInput("a policy gives no vectors")


def _unusable(why: str, cause: Cause, text: str) -> NoUsableReply:
    return NoUsableReply(why, by="form", cause=cause, said=text[:_MOST_KEPT], again=False)


class _Endpoint(NamedTuple):
    name: str = POLICY
    serving: bytes = b""


class PolicyModels(NamedTuple):
    """The policy as the opened models of a seat, for the protocol's own model player."""

    played_by: PolicyClient

    def client(self, name: str) -> PolicyClient:
        """The policy's client, whatever its name."""
        return self.played_by

    def endpoint(self, name: str) -> _Endpoint:
        """The policy as an endpoint."""
        return _Endpoint()

    def has_eyes(self, name: str) -> bool:
        """Whether it is shown pictures: whole encounters are played without."""
        return False
