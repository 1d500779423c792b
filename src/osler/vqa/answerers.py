"""The players: a model of osler.toml, or a baseline, which reads nothing but the options.

uniform    one option by chance, seeded: its accuracy is the level of chance
first      always the option that is shown first: it shows whether the right ones are spread evenly
longest    the longest option: it shows whether the right ones can be told by their length
oracle     the right option: privileged; it shows that the items, the order and the reading are sound
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from osler.errors import BadInput
from osler.models.faults import ModelAnswerError
from osler.models.types import CompletionRequest, Message, ModelClient
from osler.vqa.order import drawn
from osler.vqa.prompt import Asked, message
from osler.vqa.reading import CUT

MODEL: Final = "model:"
_SEAT: Final = "vqa"
_LENGTH: Final = "length"


class Reply(NamedTuple):
    """A reply: its text, or why there is none to be read (`fault`, the model's own)."""

    text: str
    fault: str = ""


class Answerer(Protocol):
    """A player. It is given the pictures of a question in the order of the item's row."""

    async def answer(self, asked: Asked, pictures: Sequence[bytes], /) -> Reply:
        """Reply to a question. Raises InfrastructureFault where an endpoint fails."""
        ...


Chooses = Callable[[Asked], int]


@dataclass(frozen=True)
class Baseline:
    """A baseline by the rule it chooses by."""

    chooses: Chooses

    async def answer(self, asked: Asked, pictures: Sequence[bytes], /) -> Reply:
        """Reply with a letter."""
        return Reply(f"Answer: {asked.letters[self.chooses(asked)]}")


def _uniform(asked: Asked) -> int:
    what = ("uniform", asked.item.id, str(asked.rotation), "blind" if asked.blind else "")
    return int.from_bytes(drawn(asked.seed, *what)) % len(asked.shown)


def _longest(asked: Asked) -> int:
    return max(range(len(asked.shown)), key=lambda at: len(asked.options[at]))


BASELINES: Final[dict[str, Chooses]] = {
    "uniform": _uniform,
    "first": lambda asked: 0,
    "longest": _longest,
    "oracle": lambda asked: asked.right,
}
PRIVILEGED: Final = frozenset({"oracle"})


class ByModel:
    """A model: one call for each question, in one message, and nothing asked again."""

    def __init__(self, client: ModelClient) -> None:
        self._client = client

    async def answer(self, asked: Asked, pictures: Sequence[bytes], /) -> Reply:
        """Ask the model."""
        said: tuple[Message, ...] = (message(asked, pictures),)
        number = int.from_bytes(drawn(asked.seed, "model", asked.item.id, str(asked.rotation))) % 2**31
        request = CompletionRequest(messages=said, seed=number, seat=_SEAT, once=True)
        try:
            found = await self._client.complete(request)
        except ModelAnswerError as error:
            last = error.attempts[-1].text if error.attempts else ""
            return Reply(last, error.kind.value.replace("_", " "))
        return Reply(found.text, CUT if found.finish_reason == _LENGTH else "")


def endpoint_of(name: str) -> str | None:
    """The name of the endpoint that a name stands for: "model:NAME", or a name that is no baseline's; `None`
    for a baseline. Raises BadInput for no name."""
    if not name.removeprefix(MODEL).strip():
        raise BadInput("no model is named", where="--model", hint=f"an endpoint, or {', '.join(BASELINES)}")
    return None if name in BASELINES else name.removeprefix(MODEL).strip()
