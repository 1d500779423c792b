"""The moment at which a turn was asked for, as a state: the same for every trained seat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue

from osler.core.contract import Request
from osler.players.model.messages import messages_of
from osler.players.model.seat import ModelSeat, Moves
from osler.text.languages import played_in
from osler.training.state import Keep, State, chat_of, state_id
from osler.training.task import TrainedSeat, Turn


def state_at(
    turn: Turn,
    seat: TrainedSeat,
    request: Request[Any],
    reads: ModelSeat,
    moves: Moves,
    context: Mapping[str, JsonValue],
    keep: Keep | None = None,
) -> State:
    """The state of a turn, its request rendered as a model is sent it; `keep` is handed the bytes of its
    images."""
    played, case = turn.played, turn.played.case
    language = played_in(played.episode.settings, case)
    messages, images = chat_of(messages_of(request, reads, moves, eyes=True, language=language), keep)
    return State(
        id=state_id(seat.protocol, seat.seat, played.row.key, turn.number),
        protocol=seat.protocol,
        seat=seat.seat,
        run=played.run.name,
        episode=played.row.key,
        turn=turn.number,
        world=request.world,
        case_id=played.row.case_id,
        case_hash=case.content_hash,
        cluster=case.content_hash,
        messages=messages,
        images=images,
        context=dict(context),
    )
