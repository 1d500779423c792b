"""The generic model player for a seat of any protocol: it needs only a prompt and the seat's contract.

A protocol's `model` builder can be one line:

    def model_player(asked, seating):
        return prompted(asked, seating, prompt="handover:giver.jinja", contract=GIVER)

The template's values are the view's fields. Events are rendered in the protocol's own words, each text in a
separate block; earlier replies are shown as JSON; the answer is requested with a schema of the reply's type.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from osler.core.contract import Contract, Request
from osler.core.events import Event, Seat, View
from osler.core.factory import PlayerRequest
from osler.core.role import Seating
from osler.core.wording import SAID, Words, wordings
from osler.core.wrapper_events import Reconsidered
from osler.models.types import ModelClient, Output, Sampling
from osler.players.model.event_text import SHARED_LINES
from osler.players.model.player import ModelPlayer, seated
from osler.players.model.reply_form import reply_form
from osler.players.model.seat import Lines, ModelSeat, Moves, as_dumped
from osler.text.hostile import block, neutral


class PromptedPlayer(ModelPlayer[View, BaseModel]):
    """A model in the `seat` of a contract; `reads` defines its prompt."""

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
    asked: PlayerRequest,
    seating: Seating,
    *,
    prompt: str | Path,
    contract: Contract[Any, Any],
    values: Callable[[Any, Moves], Mapping[str, object]] = as_dumped,
    lines: Lines | None = None,
) -> PromptedPlayer:
    """Build the player `model:NAME` for any seat of any protocol.

    `prompt` is "package:file.jinja" or a path; `values` maps the view to the template's values; `lines`
    overrides the protocol's wording of some events. Raises BadInput for a model that is not configured, and
    for a prompt that cannot be read.
    """
    words = seating.config.plays.words
    reads = ModelSeat(
        template=prompt,
        values=values,
        lines={Reconsidered: SHARED_LINES[Reconsidered], **(lines or {})},
        other=lambda event: worded(event, words),
    )
    reads.prompt()  # fail early if the prompt cannot be read
    return seated(
        PromptedPlayer, asked, seating, pictures=True, seat=asked.seat, reads=reads, contract=contract
    )


def worded(event: Event, words: Words) -> str:
    """An event as prompt text, a line for each of its wordings; empty if there is none."""
    return "\n".join(
        f"{neutral(each.label)}: {block('says' if each.kind == SAID else 'told', each.text)}"
        for each in wordings(event, words)
    )
