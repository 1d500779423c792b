"""Answers of a given type, from endpoints that can do more or less.

The ladder: `json_schema` (the endpoint holds the model to the schema), then `json_object` with the schema in
the prompt, then text with the schema in the prompt. However it was asked, the answer is looked for in the
text and validated; an error goes back to the model as messages at the end, never changing those before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic import ValidationError

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
class Asked:
    """How a request is put: which rung, whether the seed goes with it, what the answer's limit is called."""

    rung: Rung
    seed: bool
    max_tokens_name: str


@dataclass(slots=True)
class Abilities:
    """What an endpoint has turned out unable to do. Belongs to one client; only ever learns that less is
    possible, so learning ends. Rungs are learnt by schema, since endpoints refuse some schemas and not
    others."""

    seed: bool
    lowest: int
    json_object: bool
    max_tokens_name: str = "max_tokens"
    rungs: dict[str, int] = field(default_factory=dict)

    def asked(self, output: Output | None) -> Asked:
        """How to put a request for this output type now."""
        rung: Rung = "text" if output is None else LADDER[self.rungs.get(output.digest, self.lowest)]
        return Asked(rung, self.seed, self.max_tokens_name)

    def learn(self, fault: Fault, asked: Asked, request: CompletionRequest) -> bool:
        """Learn from a refused request. True if it can now be put in another way."""
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
    """What is known before the first call."""
    lowest = 0 if capabilities.json_schema else 1 if capabilities.json_object else 2
    return Abilities(capabilities.seed, lowest, capabilities.json_object)


def prompt_of(request: CompletionRequest, rung: Rung) -> tuple[Message, ...]:
    """The messages to send. A schema shown in the prompt stands at the end of the first system message, where
    it is the same in every call of a seat, so prompts still grow only at the end."""
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
    """The value a text holds, or why it holds none. `validate` may raise ValueError."""
    value: object = None
    if output is not None:
        if finish_reason == "length":  # the last whole object may be a part of one that was cut
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
        return None, Fault(Kind.INVALID, in_short(error))
    except ValueError as error:
        return None, Fault(Kind.INVALID, str(error)[:500])


def repair(text: str, fault: Fault, output: Output | None, rung: Rung) -> tuple[Message, Message]:
    """The two messages that go back to a model: what it said, and what was wrong with it."""
    said = text if len(text) <= _ECHO else f"{text[:_ECHO]} …"
    wrong = f"That answer could not be used: {fault.detail}. "
    if output is None:
        wrong += "Answer again."
    elif rung == "json_schema":
        wrong += f"Answer again. {_schema_words(output)}"
    else:
        wrong += "Answer again, with one JSON object of the schema given above and nothing else."
    return Message(role="assistant", text=said), Message(role="user", text=wrong)


def in_short(error: ValidationError) -> str:
    """The first few mistakes, as field and reason, without what was given."""
    found: Sequence[Any] = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(f"{'.'.join(map(str, e['loc'])) or 'answer'}: {e['msg']}" for e in found[:5])[:500]


def _schema_words(output: Output) -> str:
    return (
        "Answer with one JSON object and nothing else: no words before or after it, no fence. "
        f"It must fit this JSON schema:\n{output.schema_text}"
    )
