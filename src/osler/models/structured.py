"""Structured output, from endpoints of differing capabilities.

The ladder of formats: `json_schema` (constrained decoding by the endpoint), then `json_object` with the
schema in the prompt, then text with the schema in the prompt. In every case the answer is extracted from the
text and validated; an error is sent back to the model in messages appended at the end, never changing earlier
ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError

from osler.errors import in_short
from osler.models.config import Capabilities
from osler.models.extraction import last_object, whole_object
from osler.models.faults import Fault, Kind
from osler.models.types import CompletionRequest, Message, Output, Rung, Validate

REPAIRABLE: Final = frozenset({Kind.UNPARSABLE, Kind.INVALID, Kind.LENGTH})
LADDER: Final[tuple[Rung, ...]] = ("json_schema", "json_object", "text")
_ECHO: Final = 4000
_ABOUT_FORMAT: Final = (
    "response_format",
    "json_schema",
    "json_object",
    "json schema",
    "structured output",
    "guided",
    "grammar",
)


@dataclass(frozen=True, slots=True)
class RequestForm:
    """The form of a request: its rung, whether it has a seed, and the name of the length limit field."""

    rung: Rung
    seed: bool
    max_tokens_name: str


@dataclass(slots=True)
class Abilities:
    """The abilities of an endpoint as learnt by one client. They only ever shrink, so learning terminates.
    Rungs are learnt by schema, since endpoints reject some schemas and not others."""

    seed: bool
    lowest: int
    json_object: bool
    max_tokens_name: str = "max_tokens"
    rungs: dict[str, int] = field(default_factory=dict)

    def asked(self, output: Output | None) -> RequestForm:
        """The form in which to send a request for this output type now."""
        rung: Rung = "text" if output is None else LADDER[self.rungs.get(output.digest, self.lowest)]
        return RequestForm(rung, self.seed, self.max_tokens_name)

    def learn(self, fault: Fault, asked: RequestForm, request: CompletionRequest) -> bool:
        """Learn from a rejected request. Returns true if it can now be sent in another form."""
        if fault.kind not in (Kind.BAD_REQUEST, Kind.SERVER_ERROR):
            return False
        output = request.output
        if output is not None and asked.rung != "text" and any(word in fault.raw for word in _ABOUT_FORMAT):
            step = LADDER.index(asked.rung) + 1
            step += LADDER[step] == "json_object" and not self.json_object
            self.rungs[output.digest] = max(self.rungs.get(output.digest, 0), step)
        elif asked.max_tokens_name == "max_tokens" and "max_completion_tokens" in fault.raw:
            self.max_tokens_name = "max_completion_tokens"
        elif asked.seed and request.seed is not None and "seed" in fault.raw:
            self.seed = False
        return self.asked(output) != asked


def abilities_of(capabilities: Capabilities) -> Abilities:
    """The abilities declared in the configuration, before the first call."""
    lowest = 0 if capabilities.json_schema else 1 if capabilities.json_object else 2
    return Abilities(capabilities.seed, lowest, capabilities.json_object)


def prompt_of(request: CompletionRequest, rung: Rung) -> tuple[Message, ...]:
    """The messages to send. A schema in the prompt is at the end of the first system message, where it is the
    same in every call of a seat, so that prompts still grow only at the end (prefix caching)."""
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
