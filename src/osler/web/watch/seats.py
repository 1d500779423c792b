"""The seats of an episode."""

from __future__ import annotations

from osler.core.protocol import Protocol
from osler.core.role import NOBODY
from osler.store.store import Store
from osler.web.lookups import Place


def seats_of(store: Store, place: Place, protocol: Protocol) -> list[str]:
    """The seats of an episode: those of its roles, the numbered ones as they were asked."""
    seats = {row.seat for row in store.recorded(place.run.id, place.ordinal)}
    seats |= {row.seat for row in store.asked(place.run.id, place.ordinal)}
    configuration = place.run.manifest.get("configuration") or {}
    result = list[str]()
    for role in protocol.roles:
        numbered = sorted(seat for seat in seats if role.many and role.seats_of(seat))
        if numbered:
            result += numbered
        elif configuration.get(role.name) not in (None, NOBODY) or role.name in seats:
            result.append(role.name)
    return result
