"""Connections: how long one may take to say what it wants, and how many may come from one address."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from osler.web.door import Door

HEADERS_S: Final = 10.0
"""Seconds within which the headers of a request have to be complete once the connection is made, or its first
byte has come on one that is kept alive."""
UNREAD_S: Final = 60.0
"""Seconds for which what was sent may lie unread beyond what is buffered."""
MOST_UNHEARD: Final = 100
"""Connections from one address of a shared server whose request is not complete; one more, and the oldest of
them is closed."""
MOST_OPEN: Final = 500
"""All connections from one address, of which a class may have one; one more closes an idle one, or is closed
itself. The server has room for 1,000."""


class Peers:
    """The open connections by address. Named proxies, and all of an unshared server, are not counted."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._open: defaultdict[str, dict[Timed, None]] = defaultdict(dict)

    def enter(self, one: Timed) -> bool:
        """Count a connection, if need be in place of another; whether there is room for it."""
        peer = one.client[0] if one.client else ""
        if not self._door.shared or self._door.is_proxy(peer):
            return True
        there = self._open[one.address]
        unheard = [other for other in there if other.is_unheard and not other.is_idle]
        if len(unheard) >= MOST_UNHEARD:
            self._drop(unheard[0])  # whoever is in earnest is heard in a moment
        elif len(there) >= MOST_OPEN:
            idle = next((other for other in there if other.is_idle), None)
            if idle is None:
                return False
            self._drop(idle)
        self._open[one.address][one] = None
        return True

    def _drop(self, one: Timed) -> None:
        self.left(one)  # at once: others may come before the loop tells that it is lost
        one.transport.abort()

    def left(self, one: Timed) -> None:
        """Count a connection no longer."""
        there = self._open.get(one.address)
        if there is not None:
            there.pop(one, None)
            if not there:
                del self._open[one.address]

    def address_of(self, one: Timed) -> str:
        """The address under which a connection is counted."""
        return self._door.visitor_address(one.client[0], ()) if one.client else ""


class Timed(H11Protocol):
    """A connection that is closed if it does not say in time what it wants, or does not read the answer."""

    peers: Peers
    address = ""
    _late: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Count the connection, and close it at once if there are too many from its address."""
        super().connection_made(transport)
        self.address = self.peers.address_of(self)
        if self.peers.enter(self):
            self._wait_for_headers()
        else:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Count it no longer."""
        super().connection_lost(exc)
        self._stop_waiting()
        self._stop_unread()
        self.peers.left(self)

    def data_received(self, data: bytes) -> None:
        """Read on; the time for a request's headers begins with its first byte."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Go on to the next request, of which a part may have come."""
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        """Wait for the reader, who has not read what lies in the buffer, but not for ever."""
        super().pause_writing()
        self._unread = self.loop.call_later(UNREAD_S, self.transport.abort)

    def resume_writing(self) -> None:
        """The reader has caught up."""
        super().resume_writing()
        self._stop_unread()

    @property
    def is_unheard(self) -> bool:
        """Whether the request that it carries, or is to carry, is not complete."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    @property
    def is_idle(self) -> bool:
        """Whether it is kept alive and has had its answer."""
        return self._is_answered and self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]

    @property
    def _is_answered(self) -> bool:
        return self.cycle is not None and self.cycle.response_complete

    def _look(self) -> None:
        # A body that is still being sent after its answer is waited for by nobody else.
        if self.is_unheard and not self.is_idle and (self.conn.their_state is h11.IDLE or self._is_answered):
            self._wait_for_headers()
        else:
            self._stop_waiting()

    def _wait_for_headers(self) -> None:
        if self._late is None and not self.transport.is_closing():
            self._late = self.loop.call_later(HEADERS_S, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None

    def _stop_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None


def protocol_of(door: Door) -> type[Any]:
    """Return a protocol class for a server's connections, which it counts together."""
    return type("Counted", (Timed,), {"peers": Peers(door)})
