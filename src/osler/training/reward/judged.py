"""A model as the judge of a reward: one call for each axis, each with a schema of its own.

An answer counts if it has exactly the items asked for, each an integer from -2 to 2, and a negative one words
copied from the turn. Anything else is no answer: it is asked for again, and then there are no marks, which is
not a mark of 0. The turn stands in a block of data, so that what is written in it is no instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from pydantic import Field

from osler.core.events import Frozen
from osler.core.judge import version_of
from osler.errors import BadInput
from osler.judging.lines import JudgedLine, quoted
from osler.judging.model.engine import AsksModel
from osler.judging.model.template import Messages, Template
from osler.judging.model.verdicts import LONGEST, Quoted
from osler.judging.scores import QUOTE
from osler.models.config import Endpoint
from osler.models.types import ModelClient, Output, Sampling
from osler.text.hostile import inert
from osler.training.reward.weighing import HIGHEST, LOWEST, RewardItem

TRIES: Final = 2
"""The number of times a model is asked for one axis; each time its client mends an answer as it does any."""
_TEMPERATURE: Final = "temperature"


class Marks(NamedTuple):
    """The marks of one axis with the quotes of negative ones, or none and `why` not."""

    marks: Mapping[str, int]
    quotes: Mapping[str, str]
    why: str = ""


class _WrittenMark(Frozen):
    """One mark as a judge writes it: the words first, then why, then the mark."""

    quote: Quoted = ""
    why: str = ""
    score: int = Field(strict=True, ge=LOWEST, le=HIGHEST)


class AxisJudge(AsksModel):
    """A model that marks turns axis by axis, at temperature 0. `pictures` are bytes by their SHA-256.

    Raises BadInput for an endpoint that osler.toml sets to another temperature: its marks would differ from
    one asking to the next, and could not be kept.
    """

    def __init__(
        self,
        client: ModelClient,
        endpoint: Endpoint,
        *,
        tries: int = TRIES,
        pictures: Mapping[str, bytes] | None = None,
    ) -> None:
        warm = endpoint.settings.get(_TEMPERATURE, 0)
        if warm != 0:
            raise BadInput(
                f"the judge of a reward is asked at temperature 0, not {warm}",
                where=f"endpoint {endpoint.name}",
                hint=f"--request {endpoint.name}:temperature=0",
            )
        super().__init__(client, endpoint, repeats=1, sampling=Sampling(temperature=0))
        self.tries = max(1, tries)
        self.pictures = pictures or {}

    def version_of(self, number: str, text: Template, items: Sequence[RewardItem]) -> str:
        """The version of a reward that asks about these items with this prompt."""
        return version_of(
            number,
            template=text,
            items=[item._asdict() for item in items],
            serving=self.endpoint.serving.decode(),
            tries=self.tries,
            eyes=self.endpoint.capabilities.images,
        )

    async def marks(
        self, axis: str, names: Sequence[str], messages: Messages, turn: Sequence[JudgedLine]
    ) -> Marks:
        """Ask for the marks of one axis; `turn` are the lines of the turn, from which quotes are taken.

        Raises InfrastructureFault, and nothing else.
        """
        output, read = output_of(axis, tuple(names)), reader(names, turn)
        why = ""
        for number in range(self.tries):
            sample = await self._answer(self._request(messages, output, number), read)
            if sample.answer is not None:
                return sample.answer
            why = sample.reason
        return Marks({}, {}, why)


@lru_cache(maxsize=64)
def output_of(axis: str, names: tuple[str, ...]) -> Output:
    """The type of an answer about these items: exactly these keys."""
    fields = {
        "quote": {"type": "string", "maxLength": LONGEST},
        "why": {"type": "string", "maxLength": LONGEST},
        "score": {"type": "integer", "enum": list(range(LOWEST, HIGHEST + 1))},
    }
    one = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
    schema = {
        "type": "object",
        "properties": dict.fromkeys(names, one),
        "required": list(names),
        "additionalProperties": False,
    }
    return Output(name=f"reward_{axis}", json_schema=schema)


def reader(names: Sequence[str], turn: Sequence[JudgedLine]) -> Callable[[object], Marks]:
    """A validator that accepts the complete set of marks and nothing besides."""

    def read(value: object) -> Marks:
        if not isinstance(value, dict):
            raise ValueError("the answer is not an object")
        wrong = {
            "missing": [name for name in names if name not in value],
            "not asked for": [inert(str(name), 40) for name in value if name not in names],
        }
        if lines := [f"{what}: {', '.join(keys[:10])}" for what, keys in wrong.items() if keys]:
            raise ValueError(f"not exactly the items asked for; {'; '.join(lines)}")
        marks = {name: _WrittenMark.model_validate(value[name]) for name in names}
        quotes: dict[str, str] = {}
        for name, one in marks.items():
            if one.score >= 0:
                continue
            result = quoted(one.quote, turn)
            if result is None:
                raise ValueError(f"{name}: the quote of a negative score does not stand in the turn")
            quotes[name] = inert(result.text, QUOTE)
        return Marks({name: one.score for name, one in marks.items()}, quotes)

    return read
