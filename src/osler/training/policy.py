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
from osler.training.batcher import Batcher, TokenPrompt
from osler.training.state import chat_of, text_of

POLICY: Final = "policy"
"""The name of the policy's endpoint, in whatever seat it is trained."""
Chat = Sequence[dict[str, Any]]
_MOST_KEPT: Final = 4000
LATER_PICTURE: Final = "later_picture"
"""A picture that came up during an encounter: the trainer can show those of the first prompt alone."""
CONTROL: Final = "control_token"
"""A text of others that would open or close a turn."""


class Tokens(Interface):
    """The words of a base as tokens; `end` is the token that ends a turn."""

    @property
    def end(self) -> int: ...

    @property
    def sees(self) -> bool:
        """Whether the base takes pictures."""
        ...

    @property
    def control(self) -> Sequence[str]:
        """The texts of tokens that open and close turns: said by anybody, they would do so."""
        ...

    def begun(self, chat: Chat, /) -> str:
        """The text of a prompt by the template, up to where the model is to speak."""
        ...

    def asked(self, chat: Chat, pictures: Sequence[bytes] = (), /) -> list[int]:
        """The tokens of that text, with those that stand for its pictures."""
        ...

    def since(self, chat: Chat, /) -> list[int]:
        """The tokens between the end of the last answer in a chat and where the model is to speak again."""
        ...

    def said(self, ids: Sequence[int], /) -> str:
        """An answer as text, up to its end."""
        ...


class PolicyAnswer(NamedTuple):
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
    answers: list[PolicyAnswer] = field(default_factory=list)
    scored: bool = True
    """Whether the log-probability of every sampled token is known."""
    chat: Chat = ()
    beginning: str = ""
    pictures: tuple[bytes, ...] = ()
    """The first prompt as messages and as text, and its pictures."""
    spoilt: str = ""
    """The reason why nothing can be learnt from the encounter, though the policy is not to blame."""

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
        if spoken.spoilt:
            raise NoUsableReply(spoken.spoilt, by="player", cause="context", again=False)
        if len(spoken.prompt) + len(spoken.ids) > self._room:
            raise NoUsableReply("the prompt is too long", by="player", cause="context", again=False)
        answer = await self._batcher.speak(
            self._place, TokenPrompt(spoken.prompt + spoken.ids, spoken.beginning, spoken.pictures)
        )
        spoken.speaks(answer.ids, answer.logprobs)
        text = self._tokens.said(answer.ids)
        ended = bool(answer.ids) and answer.ids[-1] == self._tokens.end
        parsed, fault = read_answer(text, None, request.output, validate)
        spoken.answers.append(PolicyAnswer(text, ended and fault is None, ended))
        if not ended:
            raise _unusable("the answer does not end", "truncated", text)
        if fault is not None:
            unread = fault.kind is Kind.UNPARSABLE
            raise _unusable(fault.detail, "unparsable" if unread else "invalid", text)
        return Completion(text=text, parsed=parsed, usage=Usage(completion_tokens=len(answer.ids)))

    def _hear(self, request: CompletionRequest) -> None:
        spoken, shown = self.spoken, list[bytes]()
        chat, _ = chat_of(request.messages, lambda ref, raw: shown.append(raw))
        if any(control in text_of(message) for message in _told(chat) for control in self._tokens.control):
            spoken.spoilt = CONTROL
        elif not spoken.prompt:
            spoken.chat, spoken.pictures = chat, tuple(shown)
            spoken.beginning = self._tokens.begun(chat)
            spoken.prompt = self._tokens.asked(chat, spoken.pictures)
        elif len(shown) > len(spoken.pictures):
            spoken.spoilt = LATER_PICTURE
        else:
            spoken.hears(self._tokens.since(chat))

    @property
    def sees(self) -> bool:
        """Whether the policy is shown pictures."""
        return self._tokens.sees

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Raise BadInput: a policy speaks."""
        raise BadInput("a policy gives no vectors")


def _told(chat: Chat) -> list[dict[str, Any]]:
    """The messages of a chat that the policy did not write itself."""
    return [message for message in chat if message["role"] != "assistant"]


def _unusable(why: str, cause: Cause, text: str) -> NoUsableReply:
    return NoUsableReply(why, by="form", cause=cause, said=text[:_MOST_KEPT], again=False)


class _Endpoint(NamedTuple):
    name: str = POLICY
    serving: bytes = b""
    local: bool = False  # what a policy is sent in training is what it is sent anywhere


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
        """Whether it is shown pictures."""
        return self.played_by.sees
