"""Structured output, from endpoints of differing capabilities.

The ladder of formats: `json_schema` (constrained decoding by the endpoint), then `json_object` with the
schema in the prompt, then text with the schema in the prompt. In every case the answer is extracted from the
text and validated; an error is sent back to the model in messages appended at the end, never changing earlier
ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final, NamedTuple

from pydantic import ValidationError
from pydantic_core import from_json

from osler.errors import in_short
from osler.models.config import ANSWER_LIMITS, Endpoint
from osler.models.dialects import ids_as_text, sendable, without_bounds, without_lengths
from osler.models.extraction import last_object, whole_object, without_thought
from osler.models.faults import Fault, Kind, unexplained
from osler.models.types import CompletionRequest, Message, Output, Rung, Usage, Validate

_ABOUT_SEED: Final = re.compile(r"\bseed\b")
REPAIRABLE: Final = frozenset({Kind.UNPARSABLE, Kind.INVALID, Kind.LENGTH})


class Step(NamedTuple):
    """A step of the ladder: the format to ask for and, of a schema that the endpoint enforces, the milder
    form that is sent and whether `strict` is set."""

    rung: Rung
    milder: Callable[[dict[str, Any]], dict[str, Any]] = dict
    strict: bool = True


def _free_ids(schema: dict[str, Any]) -> dict[str, Any]:
    return ids_as_text(without_bounds(schema))


LADDER: Final = (
    Step("json_schema"),
    Step("json_schema", without_lengths),
    Step("json_schema", without_bounds),
    Step("json_schema", without_bounds, strict=False),
    Step("json_schema", _free_ids, strict=False),
    Step("json_object"),
    Step("text"),
)
"""The forms an answer is asked for in, each milder than the one before."""
OBJECT: Final = 5
TEXT: Final = 6
_ECHO: Final = 4000
_ABOUT_FORMAT: Final = re.compile(
    r"response_?(?: )?format|output_(?:format|config)|generation_config|json_(?:object|schema)|json mode"
    r"|structured[ _]output|guided|x?grammar"
)
"""Words about an output format as such, by OpenAI, Gemini, Anthropic, Bedrock, vLLM, SGLang, llama.cpp, and
gateways before them."""
_ABOUT_SCHEMA: Final = re.compile(
    r"invalid schema|\$defs|(?:min|max)(?:length|items|imum)|anyof|enum|pattern|additionalproperties"
    r"|too (?:complex|many states|large)|\bstrict\b"
)
"""Words about what stands in a schema, of which a milder one may be free."""

ANSWER_TOKENS: Final = 4096
"""The limit of an answer whose form sets none, where neither the request nor the endpoint does, so that a
model which never stops ends as cut off and not as a time-out."""
PLAIN_TOKENS: Final = 1024
"""The same for a seat that answers in plain words."""
THINKING_TOKENS: Final = 32_768
"""What is added to the limit for a model whose thought alone has filled it once."""
_NO_SYSTEM_ROLE: Final = re.compile(
    r"system (?:role|message|prompt|instruction)s? (?:is |are )?(?:not|un)"
    r"|(?:not|n't) support (?:the )?.{0,3}system|developer instruction is not enabled"
    r"|only user.{0,40}roles? are supported|roles? must alternate user"
)
_LIMIT_TOO_HIGH: Final = re.compile(
    r"max_(?:completion_|output_|new_)?tokens.{0,60}"
    r"(?:too (?:large|big|high)|at most|exceed|less than|must be|maximum)"
)


@dataclass(frozen=True, slots=True)
class RequestForm:
    """The form of a request: its step of the ladder, whether it has a seed and a system message, and the name
    and default of the length limit (`None`: no default is sent)."""

    step: int
    seed: bool
    max_tokens_name: str
    system_role: bool = True
    answer_tokens: int | None = None
    dialect: str = "openai"

    @property
    def rung(self) -> Rung:
        """The format that is asked for."""
        return LADDER[self.step].rung

    def form(self, output: Output) -> Output:
        """The form as it is sent: at this step, and without what such an endpoint refuses."""
        return _sent_form(output.name, output.strict, output.schema_text, self.step, self.dialect)


@lru_cache(maxsize=1024)
def _sent_form(name: str, strict: bool, schema: str, step: int, dialect: str) -> Output:
    asked = LADDER[step]
    sent = sendable(asked.milder(from_json(schema)), dialect)
    return Output(name=name, json_schema=sent, strict=strict and asked.strict)


@dataclass(slots=True)
class Abilities:
    """The abilities of an endpoint as learnt by one client. Each changes in one direction only and a bounded
    number of times, so learning terminates. Steps of the ladder are learnt by the shape of a schema, since
    endpoints reject some schemas and not others."""

    seed: bool
    lowest: int
    json_object: bool
    max_tokens_name: str = "max_tokens"
    system_role: bool = True
    limits: bool = True
    thinks: bool = False
    declared_limit: int | None = None
    own_limit: bool = False
    dialect: str = "openai"
    steps: dict[str, int] = field(default_factory=dict)
    honoured: set[tuple[str, Rung]] = field(default_factory=set)

    def asked(self, output: Output | None, *, limited: bool = True) -> RequestForm:
        """The form in which to send a request for this output type now, with the default limit of an answer
        or without."""
        step = TEXT if output is None else self.steps.get(output.shape, self.lowest)
        limit = self._limit(output, limited=limited)
        return RequestForm(step, self.seed, self.max_tokens_name, self.system_role, limit, self.dialect)

    def _limit(self, output: Output | None, *, limited: bool) -> int | None:
        if self.own_limit or (self.declared_limit is None and not (limited and self.limits)):
            return None
        if self.declared_limit is not None:
            return self.declared_limit
        needed = PLAIN_TOKENS if output is None else output.answer_tokens or ANSWER_TOKENS
        return needed + THINKING_TOKENS * self.thinks

    def learn(self, fault: Fault, asked: RequestForm, request: CompletionRequest) -> bool:
        """Learn from a rejected request. Returns true if it can now be sent in another form."""
        output, raw = request.output, fault.raw
        by_default = self.declared_limit is None and request.sampling.max_tokens is None
        ours = by_default and asked.answer_tokens is not None
        if fault.kind is Kind.LENGTH and ours:
            # Nothing but thought: a reasoning model, whose thought counts towards the limit.
            already, self.thinks = self.thinks, True
            return not already
        if fault.kind not in (Kind.BAD_REQUEST, Kind.SERVER_ERROR):
            return False
        if asked.max_tokens_name == "max_tokens" and "max_completion_tokens" in raw:
            self.max_tokens_name = "max_completion_tokens"
        elif ours and _LIMIT_TOO_HIGH.search(raw):
            self.limits = False
        elif asked.seed and request.seed is not None and _ABOUT_SEED.search(raw):
            self.seed = False
        elif asked.system_role and request.messages[0].role == "system" and _NO_SYSTEM_ROLE.search(raw):
            self.system_role = False
        elif output is not None and asked.rung != "text":
            self._learn_format(output, asked, fault)
        return self.asked(output, limited=asked.answer_tokens is not None) != asked

    def _learn_format(self, output: Output, form: RequestForm, fault: Fault) -> None:
        """Step down after a refusal that is about the format, or that explains itself in no way before the
        endpoint has ever answered in this one."""
        if form.rung == "json_schema" and _ABOUT_SCHEMA.search(fault.raw):
            self._step_down(output, form, form.step + 1)
        elif _ABOUT_FORMAT.search(fault.raw):
            self._step_down(output, form, max(OBJECT, form.step + 1))
        elif unexplained(fault) and (output.shape, form.rung) not in self.honoured:
            self._step_down(output, form, form.step + 1)

    def learn_from_words(self, text: str, asked: RequestForm, request: CompletionRequest) -> bool:
        """Learn from an answer without any object: an endpoint that answers so before it has ever answered
        with one ignores the format it is asked for. Returns true if it can now be sent in another form."""
        output = request.output
        if (
            output is None
            or asked.rung == "text"
            or "{" in text
            or (output.shape, asked.rung) in self.honoured
        ):
            return False
        self._step_down(output, asked, max(OBJECT, asked.step + 1))
        return True

    def _step_down(self, output: Output, form: RequestForm, to: int) -> None:
        """Go down to the step, or to the first below it that is sent otherwise than what was refused."""
        refused = form.form(output)
        while (to == OBJECT and not self.json_object) or (
            to < OBJECT and replace(form, step=to).form(output) == refused
        ):
            to += 1
        self.steps[output.shape] = max(self.steps.get(output.shape, 0), to)


def thought_filled(text: str, reasoning: str | None, usage: Usage) -> bool:
    """Whether an answer that was cut at its limit is thought for the most part, which counts towards the
    limit."""
    if text.strip() and not without_thought(text):
        return True
    if usage.reasoning_tokens and usage.completion_tokens:
        return 2 * usage.reasoning_tokens > usage.completion_tokens
    return len(reasoning or "") > len(text)


def abilities_of(endpoint: Endpoint) -> Abilities:
    """The abilities declared in the configuration, before the first call."""
    declared = endpoint.capabilities
    return Abilities(
        declared.seed,
        0 if declared.json_schema else OBJECT if declared.json_object else TEXT,
        declared.json_object,
        system_role=declared.system_role,
        declared_limit=endpoint.max_answer_tokens,
        own_limit=any(name in endpoint.extra for name in ANSWER_LIMITS),
        dialect=endpoint.schema_dialect,
    )


def prompt_of(request: CompletionRequest, rung: Rung, *, system_role: bool = True) -> tuple[Message, ...]:
    """The messages to send. A schema in the prompt is at the end of the first system message, where it is the
    same in every call of a seat, so that prompts still grow only at the end (prefix caching). Without a
    system role that message is put before the text of the one that follows it."""
    messages = _with_schema(request, rung)
    if system_role or messages[0].role != "system":
        return messages
    first, *rest = messages
    if rest and rest[0].role == "user":
        after = rest.pop(0)
        text, images = f"{first.text}\n\n{after.text}", (*first.images, *after.images)
        first = Message(role="user", text=text, images=images)
    return (first._replace(role="user"), *rest)


def _with_schema(request: CompletionRequest, rung: Rung) -> tuple[Message, ...]:
    output, messages = request.output, request.messages
    if output is None or rung == "json_schema":
        return messages
    shown = _schema_words(output)
    first = messages[0]
    if first.role != "system":
        return (Message(role="system", text=shown), *messages)
    return (Message(role="system", text=f"{first.text}\n\n{shown}", images=first.images), *messages[1:])


def read_answer(
    text: str, finish_reason: str | None, output: Output | None, validate: Validate | None
) -> tuple[Any, Fault | None]:
    """The value in an answer's text, or the fault if there is none. `validate` may raise ValueError."""
    value: object = None
    if output is not None:
        if finish_reason == "length":  # the last complete object may be part of one that was cut off
            value = whole_object(text)
            missing = Fault(Kind.LENGTH, "it was cut at the length limit; be briefer")
        else:
            value = last_object(text)
            missing = Fault(Kind.UNPARSABLE, "it holds no whole JSON object")
        if value is None:
            return None, missing
    if validate is None:
        return value, None
    try:
        return validate(text if output is None else value), None
    except ValidationError as error:
        return None, Fault(Kind.INVALID, in_short(error, "answer"))
    except ValueError as error:
        return None, Fault(Kind.INVALID, str(error)[:500])


def repair(text: str, fault: Fault, output: Output | None, rung: Rung) -> tuple[Message, Message]:
    """The two messages sent back to a model: its answer, and what was wrong with it."""
    said = text if len(text) <= _ECHO else f"{text[:_ECHO]} …"
    wrong = f"That answer could not be used: {fault.detail}. "
    if output is None:
        wrong += "Answer again."
    elif rung == "json_schema":
        wrong += f"Answer again. {_schema_words(output)}"
    else:
        wrong += "Answer again, with one JSON object of the schema given above and nothing else."
    return Message(role="assistant", text=said), Message(role="user", text=wrong)


def _schema_words(output: Output) -> str:
    return (
        "Answer with one JSON object and nothing else: no words before or after it, no fence. "
        f"It must fit this JSON schema:\n{output.schema_text}"
    )
