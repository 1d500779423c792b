"""Structured output, from endpoints of differing capabilities.

The ladder of formats: `json_schema` (constrained decoding by the endpoint), then `json_object` with the
schema in the prompt, then text with the schema in the prompt. In every case the answer is extracted from the
text and validated; an error is sent back to the model in messages appended at the end, never changing earlier
ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError

from osler.errors import in_short
from osler.models.config import ANSWER_LIMITS, Endpoint
from osler.models.extraction import last_object, whole_object, without_thought
from osler.models.faults import Fault, Kind
from osler.models.types import CompletionRequest, Message, Output, Rung, Usage, Validate

_ABOUT_SEED: Final = re.compile(r"\bseed\b")
_ABOUT_TEMPERATURE: Final = re.compile(r"\btemperature\b(?!['\"]?\s*[:=]\s*[\d.])")
"""The word, but not where a server repeats the request that it refuses."""
REPAIRABLE: Final = frozenset({Kind.UNPARSABLE, Kind.INVALID, Kind.LENGTH})
LADDER: Final[tuple[Rung, ...]] = ("json_schema", "json_object", "text")
_ECHO: Final = 4000
_ABOUT_FORMAT: Final = (
    "response_format",
    "response format",
    "responseformat",
    "output_format",
    "output_config",
    "generation_config",
    "json_object",
    "json mode",
    "schema",
    "$defs",
    "structured output",
    "structured_output",
    "guided",
    "grammar",
    "xgrammar",
)
"""Words in the refusal of an output format, by OpenAI, Gemini, Anthropic, Bedrock, vLLM, SGLang, llama.cpp,
and gateways before them."""


ANSWER_TOKENS: Final = 4096
"""The limit of a seat's answer where neither the request nor the endpoint sets one, so that a model which
never stops ends as cut off and not as a time-out."""
THINKING_TOKENS: Final = 32_768
"""The same for a model whose thought alone has filled that limit once."""
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
    """The form of a request: its rung, whether it has a seed and a system message, the name and default of
    the length limit (`None`: no default is sent), whether lists in its schema are bounded, and whether it has
    a temperature, unless the endpoint's own settings give one."""

    rung: Rung
    seed: bool
    max_tokens_name: str
    system_role: bool = True
    answer_tokens: int | None = None
    bounds: bool = True
    temperature: bool = True


@dataclass(slots=True)
class Abilities:
    """The abilities of an endpoint as learnt by one client. Each changes in one direction only and a bounded
    number of times, so learning terminates. Rungs are learnt by schema, since endpoints reject some schemas
    and not others."""

    seed: bool
    lowest: int
    json_object: bool
    max_tokens_name: str = "max_tokens"
    system_role: bool = True
    bounds: bool = True
    temperature: bool = True
    answer_tokens: int | None = None
    declared_limit: bool = False
    rungs: dict[str, int] = field(default_factory=dict)
    honoured: set[tuple[str, Rung]] = field(default_factory=set)

    def asked(self, output: Output | None, *, limited: bool = True) -> RequestForm:
        """The form in which to send a request for this output type now, with the default limit of an answer
        or without."""
        limit = self.answer_tokens if limited or self.declared_limit else None
        rung: Rung = "text" if output is None else LADDER[self.rungs.get(output.digest, self.lowest)]
        return RequestForm(
            rung,
            self.seed,
            self.max_tokens_name,
            self.system_role,
            limit,
            bounds=self.bounds,
            temperature=self.temperature,
        )

    def learn(self, fault: Fault, asked: RequestForm, request: CompletionRequest) -> bool:
        """Learn from a rejected request. Returns true if it can now be sent in another form."""
        output, raw = request.output, fault.raw
        by_default = not self.declared_limit and request.sampling.max_tokens is None
        ours = by_default and asked.answer_tokens is not None
        if fault.kind is Kind.LENGTH and ours:
            # Nothing but thought: a reasoning model, whose thought counts towards the limit.
            if self.answer_tokens is not None:
                self.answer_tokens = THINKING_TOKENS
            return asked.answer_tokens != THINKING_TOKENS
        if fault.kind not in (Kind.BAD_REQUEST, Kind.SERVER_ERROR):
            return False
        if asked.max_tokens_name == "max_tokens" and "max_completion_tokens" in raw:
            self.max_tokens_name = "max_completion_tokens"
        elif ours and _LIMIT_TOO_HIGH.search(raw):
            self.answer_tokens = None
        elif asked.seed and request.seed is not None and _ABOUT_SEED.search(raw):
            self.seed = False
        elif asked.temperature and _ABOUT_TEMPERATURE.search(raw):
            self.temperature = False
        elif asked.system_role and request.messages[0].role == "system" and _NO_SYSTEM_ROLE.search(raw):
            self.system_role = False
        elif asked.bounds and asked.rung == "json_schema" and "maxitems" in raw:
            self.bounds = False
        elif output is not None and asked.rung != "text" and any(word in raw for word in _ABOUT_FORMAT):
            self._step_down(output, asked.rung)
        return self.asked(output, limited=asked.answer_tokens is not None) != asked

    def learn_from_words(self, text: str, asked: RequestForm, request: CompletionRequest) -> bool:
        """Learn from an answer without any object: an endpoint that answers so before it has ever answered
        with one ignores the format it is asked for. Returns true if it can now be sent in another form."""
        output = request.output
        if (
            output is None
            or asked.rung == "text"
            or "{" in text
            or (output.digest, asked.rung) in self.honoured
        ):
            return False
        self._step_down(output, asked.rung)
        return True

    def _step_down(self, output: Output, rung: Rung) -> None:
        step = LADDER.index(rung) + 1
        step += LADDER[step] == "json_object" and not self.json_object
        self.rungs[output.digest] = max(self.rungs.get(output.digest, 0), step)


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
    own = any(name in endpoint.extra for name in ANSWER_LIMITS)
    limit = endpoint.max_answer_tokens
    return Abilities(
        declared.seed,
        0 if declared.json_schema else 1 if declared.json_object else 2,
        declared.json_object,
        system_role=declared.system_role,
        temperature="temperature" not in endpoint.extra,
        answer_tokens=None if own else limit or ANSWER_TOKENS,
        declared_limit=own or limit is not None,
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
