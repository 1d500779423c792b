"""A language model in a seat of any protocol: a prompt, the seat's contract, and nothing else to write.

A protocol's `model` builder returns one in a line:

    def model_player(asked, seating):
        return prompted(asked, seating, prompt="handover:giver.jinja", contract=GIVER)

The template's values are the view's fields. What happens is read in the protocol's own words, each text in a
block of its own; earlier replies are shown as JSON; the answer is asked for as a schema of the reply's type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from osler.core.factory import Asked
from osler.core.role import Seating
from osler.models.types import ModelClient, Output, Sampling
from osler.players.model.lines import SHARED_LINES
from osler.players.model.player import ModelPlayer
from osler.players.model.reply_form import reply_form
from osler.players.model.seat import Lines, ModelSeat, Moves, as_dumped
from osler.prompts import block, neutral
from osler.seats.contract import Contract, Request
from osler.seats.events import Event, Seat, View
from osler.seats.wording import SAID, Words, wordings
from osler.seats.wrapper_events import Reconsidered


class PromptedPlayer(ModelPlayer[View, BaseModel]):
    """A model in the `seat` of a contract, which `reads` as given."""

    def __init__(
        self,
        client: ModelClient,
        endpoint: str,
        *,
        seat: Seat,
        reads: ModelSeat,
        contract: Contract[Any, Any],
        eyes: bool = False,
        serving: bytes = b"",
        sampling: Sampling = Sampling(),  # noqa: B008 - frozen
    ) -> None:
        super().__init__(client, endpoint, eyes=eyes, serving=serving, sampling=sampling)
        self.seat, self.reads = seat, reads
        self._form = reply_form(contract.reply, f"{contract.seat}_reply")

    def _output(self) -> Output:
        return self._form.output

    def _read(self, request: Request[View], value: Any, /) -> BaseModel:
        return self._form.read(value)


def prompted(
    asked: Asked,
    seating: Seating,
    *,
    prompt: str | Path,
    contract: Contract[Any, Any],
    values: Callable[[Any, Moves], Mapping[str, object]] = as_dumped,
    lines: Lines | None = None,
) -> PromptedPlayer:
    """The player `model:NAME` in any seat of any protocol.

    `prompt` is "package:file.jinja" or a path; `values` makes the template's values of the view; `lines` are
    written for events that should read otherwise than in the protocol's words. Raises BadInput for a model
    that is not configured, and for a prompt that cannot be read.
    """
    name, models = asked.argument, seating.models
    words = seating.config.plays.words
    reads = ModelSeat(
        template=prompt,
        values=values,
        lines={Reconsidered: SHARED_LINES[Reconsidered], **(lines or {})},
        other=lambda event: worded(event, words),
    )
    reads.prompt()  # a prompt that cannot be read is told before anything is played
    return PromptedPlayer(
        models.client(name),
        name,
        seat=asked.seat,
        reads=reads,
        contract=contract,
        eyes=models.has_eyes(name),
        serving=models.endpoint(name).serving,
    )


def worded(event: Event, words: Words) -> str:
    """An event as a model reads it, a line for each of its wordings; empty where there is none."""
    return "\n".join(
        f"{neutral(each.label)}: {block('says' if each.kind == SAID else 'told', each.text)}"
        for each in wordings(event, words)
    )
