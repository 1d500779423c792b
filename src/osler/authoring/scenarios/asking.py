"""Querying a model for one step: the same initial messages, faults appended, a bounded number of attempts.

Source text goes into blocks that it cannot break out of, with its lines numbered, so that a model can cite
it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Final, Literal, NamedTuple, TypeVar, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError

from osler.authoring.scenarios.markdown import numbered
from osler.authoring.scenarios.steps import digest
from osler.errors import BadInput, in_short
from osler.models.ask_until_valid import ask_until_valid
from osler.models.types import CompletionRequest, Message, ModelClient, Output, encodable
from osler.prompts import Prompt, prompt
from osler.text.hostile import block

Seat = Literal["triage", "packets", "rubric", "audit"]
SEATS: Final[tuple[Seat, ...]] = get_args(Seat)
MAX_ATTEMPTS: Final = 3
MAX_SHOWN: Final = 600_000
_AGAIN: Final = "This cannot be used as it is:\n{}\nGive the whole answer again."
T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)
Check = Callable[[object], tuple[T | None, tuple[str, ...]]]


class Forgiving(BaseModel):
    """Forgives fields it does not know: models without a schema mode add some."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def _line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in encodable(text)).split())[:1000]


Line = Annotated[str, AfterValidator(_line)]


class Asker(NamedTuple):
    """A model in a seat.

    `by` identifies it in a step's file: its name and a hash of everything that determines its answers.
    """

    client: ModelClient
    by: str


Askers = Mapping[Seat, Asker]


def rules_of(step: str) -> Prompt:
    """The packaged prompt of a step."""
    return prompt(f"osler.authoring:prompts/author_scenario_{step}.jinja")


class Question(NamedTuple):
    """A question for a model: its packaged prompt's name, the user's messages, and the type of the answer."""

    seat: Seat
    prompt: str
    told: tuple[str, ...]
    output: Output

    @property
    def digest(self) -> str:
        """A hash, 32 hex digits, over everything that is sent."""
        return digest(rules_of(self.prompt).hash, self.told, self.output.digest)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The initial messages."""
        rules = Message(role="system", text=rules_of(self.prompt).text)
        return (rules, *(Message(role="user", text=text) for text in self.told))


def source_block(texts: Sequence[tuple[str, str]]) -> str:
    """The source's files, numbered from 1, with numbered lines. Raises BadInput where they are too long."""
    total = sum(len(text) for _, text in texts)
    if total > MAX_SHOWN:
        raise BadInput(
            f"the source holds {total:,} characters of text; at most {MAX_SHOWN:,} can be shown to a model",
            hint="give a folder that holds one case only",
        )
    parts = (
        f"File {number}: {block('name', name)}\n{block('source', numbered(text))}"
        for number, (name, text) in enumerate(texts, start=1)
    )
    return "\n\n".join(parts)


def shaped(kind: type[M], parsed: object) -> tuple[M | None, tuple[str, ...]]:
    """Validate an answer as its type; returns it or the errors."""
    try:
        return kind.model_validate(parsed), ()
    except ValidationError as error:
        return None, (in_short(error, "answer"),)


async def ask(asker: Asker, question: Question, check: Check[T]) -> tuple[T, tuple[str, ...]]:
    """Query a model until `check` finds no fault or attempts run out; return the best answer and its faults.

    `check` gives no value for an unusable answer. Raises BadInput where there is no usable answer, and
    InfrastructureFault where the endpoint cannot be used.
    """
    request = CompletionRequest(
        messages=question.messages, seed=0, output=question.output, seat=f"author {question.seat}"
    )
    attempts = await ask_until_valid(
        asker.client, request, lambda answer: check(answer.parsed), most=MAX_ATTEMPTS, again=_AGAIN
    )
    usable = [(one.value, one.wrong) for one in attempts.made if one.value is not None]
    if not usable:
        wrong = (attempts.failed,) if attempts.failed else attempts.wrong[-1]
        raise BadInput(
            f"the model gave no usable answer; the last: {'; '.join(wrong[:3])}",
            where=question.seat,
            hint="run again, perhaps with another model",
        )
    return min(reversed(usable), key=lambda one: len(one[1]))
