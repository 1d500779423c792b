"""Inspect's models as clients of Osler's seats."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any, Final

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
    GenerateConfig,
    Model,
    ModelOutput,
    ResponseSchema,
)
from inspect_ai.model._generate_config import active_generate_config
from inspect_ai.solver import TaskState
from inspect_ai.util import JSONSchema
from pydantic import ConfigDict, PrivateAttr, model_serializer
from pydantic_core import to_json

from osler.adapters.borrowed import Borrowed, Generated
from osler.adapters.inspect_ai.arranging import Options
from osler.models.faults import Fault, Kind, ModelAnswerError
from osler.models.types import TEMPERATURE, Attempt, CompletionRequest, Message, Rung, Usage

SAMPLE: Final[ContextVar[TaskState | None]] = ContextVar("sample", default=None)
"""The sample under way, whose messages show the conversation of the model under test."""
_FINISH: Final = {"max_tokens": "length", "model_length": "length", "unknown": None}


class ExactSchema(JSONSchema):
    """A JSON schema that is sent as it was written; Inspect's own type drops what it does not know, such as
    the bounds of a list."""

    model_config = ConfigDict(extra="allow")
    _written: dict[str, Any] = PrivateAttr(default_factory=dict)

    @classmethod
    def of(cls, written: dict[str, Any]) -> ExactSchema:
        """The schema of a JSON object."""
        result: ExactSchema = cls.model_validate(written)
        result._written = written
        return result

    @model_serializer(mode="plain")
    def _as_written(self) -> dict[str, Any]:
        return self._written


def borrowed(model: Model, options: Options, *, shown: bool) -> Borrowed:
    """A model of Inspect as a client; the messages of the sample are those of its conversation if `shown`.

    The exceptions of Inspect, its limits among them, come out as the causes of InfrastructureFaults.
    """

    async def generate(messages: Sequence[Message], request: CompletionRequest, rung: Rung) -> Generated:
        sent = [_sent(one) for one in messages]
        out = await model.generate(sent, config=_config(request, rung))
        state = SAMPLE.get()
        if shown and state is not None and out.choices:
            state.messages, state.output = [*sent, out.message], out
        _check_fits(out)
        reason = str(out.stop_reason)
        return Generated(out.completion, _FINISH.get(reason, reason), _usage(out), out.model, _reasoning(out))

    return Borrowed(
        generate,
        schemas=options.schemas,
        images=options.eyes and shown,
        serving=_serving(model, under_test=shown),
    )


def _serving(model: Model, *, under_test: bool) -> bytes:
    """Everything that determines a model's answers, as far as Inspect says it: its name and settings, those
    of the evaluation included for the model under test."""
    config = model.config.merge(active_generate_config()) if under_test else model.config
    settings = config.model_dump(mode="json", exclude_none=True, include=_SETTINGS)
    return to_json({"model": str(model), **settings})


_SETTINGS: Final = {
    "temperature", "top_p", "top_k", "max_tokens", "stop_seqs", "frequency_penalty", "presence_penalty",
    "logit_bias", "system_message", "effort", "reasoning_effort", "reasoning_tokens", "verbosity",
    "extra_body",
}  # fmt: skip


def _config(request: CompletionRequest, rung: Rung) -> GenerateConfig:
    sampling, form = request.sampling, request.output
    schema = None
    if form is not None and rung == "json_schema":
        schema = ResponseSchema(
            name=form.name, json_schema=ExactSchema.of(form.json_schema), strict=form.strict
        )
    return GenerateConfig(
        seed=request.seed,
        response_schema=schema,
        # What is passed here comes before Inspect's own settings, and Osler's default must not.
        temperature=None if sampling.temperature == TEMPERATURE else sampling.temperature,
        top_p=sampling.top_p,
        max_tokens=sampling.max_tokens,
        stop_seqs=list(sampling.stop) or None,
    )


def _sent(message: Message) -> ChatMessage:
    if message.role == "system":
        return ChatMessageSystem(content=message.text)
    if message.role == "assistant":
        return ChatMessageAssistant(content=message.text)
    if not message.images:
        return ChatMessageUser(content=message.text)
    images = [ContentImage(image=f"data:{one.media_type};base64,{one.data}") for one in message.images]
    return ChatMessageUser(content=[ContentText(text=message.text), *images])


def _check_fits(out: ModelOutput) -> None:
    """Raise ModelAnswerError for a prompt that no longer fits: what Inspect then gives is no answer."""
    if out.stop_reason == "model_length":
        wrong = Fault(Kind.TOO_LONG, "the prompt no longer fits the model's context")
        raise ModelAnswerError(wrong, (Attempt(outcome=wrong.kind.value, detail=wrong.detail),))


def _usage(out: ModelOutput) -> Usage:
    used = out.usage
    if used is None:
        return Usage()
    cached = used.input_tokens_cache_read
    return Usage(
        prompt_tokens=used.input_tokens + (cached or 0),
        completion_tokens=used.output_tokens,
        cached_tokens=cached,
        reasoning_tokens=used.reasoning_tokens,
        cost=used.total_cost,
    )


def _reasoning(out: ModelOutput) -> str | None:
    content = out.message.content if out.choices else ""
    if isinstance(content, str):
        return None
    return "\n".join(one.reasoning for one in content if one.type == "reasoning") or None
