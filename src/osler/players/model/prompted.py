"""The generic model player for a seat of any protocol: it needs only a prompt and the seat's contract.

A role of a protocol names the folder of its prompt: `Role(contracts=(GIVER,), ..., prompts=FOLDER)`.

The template's values are the view's fields. Events are rendered in the protocol's own words, each text in a
separate block; the answer is requested in a form of the reply's type, and earlier replies are shown in it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from osler.core.contract import AnyContract, Request
from osler.core.events import Event, Seat, View
from osler.core.factory import PlayerRequest
from osler.core.role import Seating
from osler.core.wording import SAID, Words, wordings
from osler.core.wrapper_events import Reconsidered
from osler.models.types import ModelClient, Sampling
from osler.players.model.event_text import SHARED_LINES
from osler.players.model.player import ModelPlayer
from osler.players.model.reply_form import ReplyForm, reply_form
from osler.players.model.seat import Lines, ModelSeat, Moves, as_dumped
from osler.text.hostile import block, neutral


class PromptedPlayer(ModelPlayer[View, BaseModel]):
    """A model in the `seat` of a contract; `reads` defines its prompt, `answer` its form."""

    def __init__(
        self,
        client: ModelClient,
        endpoint: str,
        *,
        seat: Seat,
        reads: ModelSeat,
        answer: ReplyForm,
        eyes: bool = False,
        serving: bytes = b"",
        sampling: Sampling = Sampling(),  # noqa: B008 - frozen
    ) -> None:
        super().__init__(client, endpoint, eyes=eyes, serving=serving, sampling=sampling)
        self.seat, self.reads = seat, reads
        self._answer = answer

    def _shape(self) -> str:
        return self._answer.output.digest

    def _opened(self, request: Request[View], value: Any) -> BaseModel:
        return self._read(request, value)  # a reply type may have fields of these names

    def _read(self, request: Request[View], value: Any, /) -> BaseModel:
        return self._answer.read(value)


def prompted(
    request: PlayerRequest,
    seating: Seating,
    *,
    prompt: str | Path,
    contract: AnyContract,
    values: Callable[[Any, Moves], Mapping[str, object]] = as_dumped,
    lines: Lines | None = None,
) -> PromptedPlayer:
    """Build the player `model:NAME` for any seat of any protocol, from a prompt and the seat's contract.

    `prompt` is "package:file.jinja" or a path; `values` maps the view to the template's values; `lines`
    overrides the protocol's wording of some events. Raises BadInput for a model that is not configured, and
    for a prompt that cannot be read. A role's `model` calls it with the request and seating it is given:

        osler.prompted(request, seating, prompt="my_package:giver.jinja", contract=GIVER)
    """
    words = seating.config.plays.words
    answer = reply_form(contract.reply, f"{contract.seat}_reply")
    reads = ModelSeat(
        template=prompt,
        form=lambda view: answer.output,
        own=lambda reply, moves, view, before: answer.write(reply),
        values=values,
        lines={Reconsidered: SHARED_LINES[Reconsidered], **(lines or {})},
        other=lambda event: worded(event, words),
    )
    reads.prompt()  # fail early if the prompt cannot be read
    return PromptedPlayer.built(request, seating, seat=request.seat, reads=reads, answer=answer)


def worded(event: Event, words: Words) -> str:
    """An event as prompt text, a line for each of its wordings; empty if there is none."""
    return "\n".join(
        f"{neutral(each.label)}: {block('says' if each.kind == SAID else 'told', each.text)}"
        for each in wordings(event, words)
    )
