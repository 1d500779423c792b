"""The seats of an episode."""

from __future__ import annotations

from osler.core.protocol import Protocol
from osler.core.role import NOBODY
from osler.store.store import Store
from osler.web.lookups import Place


def seats_of(store: Store, place: Place, protocol: Protocol) -> list[str]:
    """The seats of an episode: those of its roles, the numbered ones as they were asked."""
    asked = {row.seat for row in store.recorded(place.run.id, place.ordinal)}
    asked |= {row.seat for row in store.asked(place.run.id, place.ordinal)}
    configuration = place.run.manifest.get("configuration") or {}
    found = list[str]()
    for role in protocol.roles:
        numbered = sorted(seat for seat in asked if role.many and role.seats_of(seat))
        if numbered:
            found += numbered
        elif configuration.get(role.name) not in (None, NOBODY) or role.name in asked:
            found.append(role.name)
    return found
