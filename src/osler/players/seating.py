"""Language models and people in the seats of any protocol, by the table of its roles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, cast

from osler.core.composite import AnyPlayer
from osler.core.factory import PlayerRequest
from osler.core.lazy import load
from osler.core.protocol import Protocol
from osler.core.role import Seating
from osler.errors import BadInput

if TYPE_CHECKING:
    from osler.models.types import ModelClient
    from osler.players.external import Desk
    from osler.players.person import Channel, Forms

EMBEDDER: Final = "embedder"
"""The name under which a run's models are asked for vectors, which is no seat."""


class EmbedderSeat(NamedTuple):
    """An endpoint that is asked for vectors: its name, what determines its answers (`Endpoint.serving`), and
    its client. It is opened like a player, so that a run needs no second way to its models."""

    name: str
    serving: bytes
    client: ModelClient


def model_player(request: PlayerRequest, seating: Seating) -> AnyPlayer:
    """Build the player `model:NAME` of a seat. Raises BadInput if its role has no model, or the model is not
    configured."""
    if request.seat == EMBEDDER and seating.models is not None:
        endpoint = seating.models.endpoint(request.argument)
        client = seating.models.client(request.argument)
        return cast(AnyPlayer, EmbedderSeat(endpoint.name, endpoint.serving, client))
    plays: Protocol = seating.config.plays
    role = plays.role(request.seat)
    if role.model is not None:
        return load(role.model).seated(request, seating)
    if role.prompts is None:
        raise BadInput(f"no model can sit as {request.seat}", where=plays.many)
    from osler.players.model.prompted import prompted  # noqa: PLC0415 - a client is slow to import

    return prompted(request, seating, prompt=role.prompts / f"{role.name}.jinja", contract=role.contracts[0])


def person_player(request: PlayerRequest, seating: Seating) -> AnyPlayer:
    """Build the player of a person in a seat: with the protocol's forms, or field by field."""
    from osler.players.person import person_at  # noqa: PLC0415 - import time
    from osler.players.plain_person import plain_person  # noqa: PLC0415 - import time

    plays: Protocol = seating.config.plays
    role, forms = plays.role(request.seat), forms_of(plays)
    channel = cast("Channel | Desk", seating.channel)
    person: AnyPlayer
    if any(contract.view in forms for contract in role.contracts):
        person = person_at(channel, forms)
    else:
        person = plain_person(channel, role.contracts, plays.words)
    return load(role.person_check)(person, request, seating) if role.person_check else person


def forms_of(protocol: Protocol) -> Forms:
    """The forms by which people play a protocol, by type of view."""
    return cast("Forms", load(protocol.forms))
