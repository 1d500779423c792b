"""A borrowed model: another framework's `generate` as the model client of any seat.

Prompts, answer schemas and the reading of answers stay Osler's, so the model is asked to the letter what an
endpoint of `osler.toml` is asked. An exception of the framework is never an answer: it stops the encounter.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Self

from osler.errors import BadInput, InfrastructureFault, OslerError
from osler.models.faults import Fault, Kind, ModelAnswerError
from osler.models.structured import TEXT, Abilities, prompt_of, read_answer
from osler.models.types import Attempt, Completion, CompletionRequest, Message, Rung, Usage, Validate


class Generated(NamedTuple):
    """A framework's answer. `finish_reason` is as in the OpenAI chat format: "stop", "length",
    "content_filter"."""

    text: str
    finish_reason: str | None = None
    usage: Usage = Usage()
    model: str | None = None
    reasoning: str | None = None


Generate = Callable[[Sequence[Message], CompletionRequest, Rung], Awaitable[Generated]]
"""A framework's call of its model: messages, the request they belong to (seed, sampling, output type), and
the format to ask for. Only for "json_schema" is the output's schema to be passed on; else the messages hold
it where one is wanted."""


class Borrowed:
    """A `ModelClient` over a framework's model.

    `schemas` says whether the framework can pass a JSON schema to its models; a model that ignores it is
    asked with the schema in its prompt from then on. The table asks again after an answer that cannot be
    used; there are no other retries here. `images` says whether the model is to be shown pictures. `serving`
    names the model and its settings, as `Endpoint.serving` does: it is part of the player's fingerprint.
    """

    def __init__(
        self, generate: Generate, *, schemas: bool = True, images: bool = False, serving: bytes = b""
    ) -> None:
        self._generate, self.images, self.serving = generate, images, serving
        self._abilities = Abilities(seed=True, lowest=0 if schemas else TEXT, json_object=False)

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        """Ask the model once, or twice if it ignored the schema. Raises ModelAnswerError for its own faults
        and InfrastructureFault for every exception of the framework, with that as its cause."""
        trail: list[Attempt] = []
        while True:
            form = self._abilities.asked(request.output)
            messages, began = prompt_of(request, form.rung), time.perf_counter()
            try:
                said = await self._generate(messages, request, form.rung)
            except (OslerError, ModelAnswerError):
                raise
            except Exception as error:
                raise InfrastructureFault(f"{type(error).__name__}: {error}") from error
            value, wrong = None, _nothing_said(said)
            if wrong is None:
                value, wrong = read_answer(said.text, said.finish_reason, request.output, validate)
            latency_s = time.perf_counter() - began
            trail.append(_attempt(form.rung, said, wrong, latency_s))
            if wrong is None:
                if request.output is not None:
                    self._abilities.honoured.add((request.output.shape, form.rung))
                return Completion(
                    text=said.text,
                    parsed=value,
                    usage=said.usage,
                    latency_s=latency_s,
                    finish_reason=said.finish_reason,
                    model=said.model,
                    reasoning=said.reasoning,
                    rung=form.rung,
                    attempts=tuple(trail),
                )
            ignored = wrong.kind is Kind.UNPARSABLE
            if not ignored or not self._abilities.learn_from_words(said.text, form, request):
                raise ModelAnswerError(wrong, tuple(trail))

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Raise BadInput: a borrowed model gives no vectors."""
        raise BadInput("a borrowed model gives no vectors")


@dataclass(frozen=True)
class BorrowedModels:
    """Borrowed models by name, as the opened models of a session: `model:NAME` in any seat."""

    clients: Mapping[str, Borrowed] = field(default_factory=dict)

    def client(self, name: str) -> Borrowed:
        """The client of this name. Raises BadInput if none was borrowed."""
        if name not in self.clients:
            text = ", ".join(self.clients) or "none"
            raise BadInput(f"no model is called {name!r}", where=f"model:{name}", hint=f"known: {text}")
        return self.clients[name]

    def endpoint(self, name: str) -> _Endpoint:
        """The model as an endpoint."""
        return _Endpoint(name, self.client(name).serving)

    def has_eyes(self, name: str) -> bool:
        """Whether the model of this name is shown pictures."""
        return self.client(name).images

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close nothing: the framework's connections are the framework's."""


class _Endpoint(NamedTuple):
    name: str
    serving: bytes
    local: bool = False


_UNSAID: Final = {
    "length": Fault(Kind.LENGTH, "nothing before the length limit; raise it"),
    "content_filter": Fault(Kind.FILTERED, "the answer was filtered"),
}


def _nothing_said(said: Generated) -> Fault | None:
    if said.finish_reason == "content_filter":
        return _UNSAID["content_filter"]
    if said.text.strip():
        return None
    if said.reasoning and said.finish_reason != "length":
        return Fault(Kind.THOUGHT_ONLY, "nothing but reasoning")
    return _UNSAID.get(said.finish_reason or "", Fault(Kind.EMPTY, "no text"))


def _attempt(rung: Rung, said: Generated, wrong: Fault | None, latency_s: float) -> Attempt:
    return Attempt(
        outcome="ok" if wrong is None else wrong.kind.value,
        detail="" if wrong is None else wrong.detail,
        rung=rung,
        text=said.text,
        usage=said.usage,
        latency_s=latency_s,
        finish_reason=said.finish_reason,
        reasoning=said.reasoning,
    )
