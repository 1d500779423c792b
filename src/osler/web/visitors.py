"""The visitors of a server: each browser's cookie, and what it was let in for."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from typing import Final

from fastapi import Response

from osler.errors import NotAllowed
from osler.store.passes import Holder, Passes, by_link
from osler.store.store import Store
from osler.web.door import Door
from osler.web.rights import ALL, LOCAL, STRANGER, Right, Visitor

COOKIE: Final = "osler"
HOST_COOKIE: Final = f"__Host-{COOKIE}"
"""The cookie's name under TLS: a browser takes it from this very host alone, and only by TLS."""
_BYTES: Final = 18  # 144 bits
_LONGEST: Final = 64
_KEPT_S: Final = 400 * 24 * 3600  # as long as browsers keep any cookie


class Visitors:
    """Those who came in, and what for. The store keeps digests: nobody who reads it can come in by it. Rights
    are read at each request, so that what is revoked in the store ends at once."""

    def __init__(self, store: Store, door: Door) -> None:
        self._passes, self._door = Passes(store), door

    def link(self, rights: Collection[Right]) -> str:
        """A new token for a link that lets in whoever has it, until the door shuts."""
        token = secrets.token_urlsafe(_BYTES)
        self._passes.add_link(_digest("link", token), rights, self._ends())
        return token

    def who(self, secret: str) -> Visitor:
        """The visitor whose cookie this is. Reads the store: call in a thread."""
        known = bool(secret) and len(secret) <= _LONGEST
        name = _digest("visitor", secret)
        if not self._door.shared:
            if not known:
                return LOCAL
            earlier = self._passes.visitor_of(name)  # who came in while the server was shared
            return Visitor(earlier or name, ALL, here=True)
        if not known or self._door.shut:
            return STRANGER
        return _visitor(self._passes.of_secret(name))

    def now(self, asking: Visitor) -> Visitor:
        """A visitor with the rights it has at this moment: the stranger once it has signed out or was
        revoked, or the door has shut. Reads the store: call in a thread."""
        if not self._door.shared:
            return asking
        if not asking.id or self._door.shut:
            return STRANGER
        return _visitor(self._passes.of_visitor(asking.id))

    def enter(self, token: str, asking: Visitor, response: Response) -> Visitor:
        """Let a visitor in by the token of a link. Raises NotAllowed for one that is wrong, has expired or
        was revoked."""
        link = None if self._door.shut else self._passes.link(_digest("link", token))
        if link is None:
            raise _no_link()
        until = min(link.until, self._ends())
        return self._admitted(asking, _known(link.rights), response, by_link(link.digest), until)

    def admit(
        self, asking: Visitor, rights: Collection[Right], response: Response, *, source: str = ""
    ) -> Visitor:
        """Give a visitor rights beside those it has, until the door shuts. `source` is what they come by, as
        of `osler.store.passes`.

        A visitor whose rights grow gets a new secret, and the earlier one is void at once: a copy of the
        cookie from before is a stranger's. So refuse what you would refuse before you admit. Raises
        NotAllowed once the door has shut.
        """
        if self._door.shut:
            raise NotAllowed("this server was shared until a date that has passed", hint="ask for a new one")
        return self._admitted(asking, rights, response, source, self._ends())

    def sign_out(self, asking: Visitor, response: Response) -> None:
        """End a visitor's rights and secret, and remove the cookie from its browser."""
        if self._door.shared and asking.id:
            self._passes.end(asking.id)
        response.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict")

    def new_cookie(self, response: Response) -> str:
        """Set a new secret in the visitor's browser, and return it. Under TLS the guard sets it under
        `HOST_COOKIE`, with `Secure`."""
        secret = secrets.token_urlsafe(_BYTES)
        _set_cookie(response, secret)
        return secret

    def _admitted(
        self, asking: Visitor, rights: Collection[Right], response: Response, source: str, until: float
    ) -> Visitor:
        if not self._door.shared:
            return asking if asking.id != LOCAL.id else self.who(self.new_cookie(response))
        secret = secrets.token_urlsafe(_BYTES)
        visitor = self._passes.grant(
            asking.id, rights, until, source=source, digest=_digest("visitor", secret)
        )
        if visitor is None:
            raise _no_link()
        if visitor.renewed:
            _set_cookie(response, secret)
        return _visitor(visitor)

    def _ends(self) -> float:
        return self._door.until or 0.0


def _set_cookie(response: Response, secret: str) -> None:
    response.set_cookie(COOKIE, secret, max_age=_KEPT_S, path="/", httponly=True, samesite="strict")


def _visitor(holder: Holder | None) -> Visitor:
    return STRANGER if holder is None else Visitor(holder.visitor, _known(holder.rights))


def _known(words: Collection[str]) -> frozenset[Right]:
    return frozenset(right for right in ALL if right in words)


def _no_link() -> NotAllowed:
    return NotAllowed("this link does not work, or no longer", hint="ask for a new one")


def _digest(use: str, secret: str) -> str:
    """Return the digest kept of a secret; a link's and a cookie's are never interchangeable."""
    return hashlib.sha256(f"osler:{use}:{secret}".encode()).hexdigest()[:40]
