"""The visitors of a server: each browser's cookie, and what it was let in for."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Collection
from typing import Final

from fastapi import Response

from osler.store.passes import Passes
from osler.store.store import Store
from osler.web.door import Door
from osler.web.problems import NotAllowed
from osler.web.rights import ALL, LOCAL, STRANGER, Right, Visitor

COOKIE: Final = "osler"
_BYTES: Final = 18  # 144 bits
_LONGEST: Final = 64
_KEPT_S: Final = 400 * 24 * 3600  # as long as browsers keep any cookie
_MOST_REMEMBERED: Final = 10_000


class Visitors:
    """Those who came in, and what for. The store keeps digests: nobody who reads it can come in by it."""

    def __init__(self, store: Store, door: Door) -> None:
        self._passes, self._door = Passes(store), door
        self._known = dict[str, tuple[frozenset[Right], float]]()

    def link(self, rights: Collection[Right]) -> str:
        """A new token for a link that lets in whoever has it, until the door shuts."""
        token = secrets.token_urlsafe(_BYTES)
        self._passes.put(_digest("link", token), _words(rights), self._ends())
        return token

    def who(self, secret: str) -> Visitor:
        """The visitor whose cookie this is."""
        known = bool(secret) and len(secret) <= _LONGEST
        if not self._door.shared:
            return Visitor(_digest("visitor", secret), ALL, here=True) if known else LOCAL
        if not known or self._door.shut:
            return STRANGER
        name = _digest("visitor", secret)
        if name not in self._known and (found := self._found(name)):
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            self._known[name] = found
        rights, until = self._known.get(name, (frozenset(), 0.0))
        return Visitor(name, rights) if time.time() < until else STRANGER

    def now(self, asking: Visitor) -> Visitor:
        """The visitor with the rights it has at this moment."""
        return asking

    def enter(self, token: str, asking: Visitor, response: Response) -> Visitor:
        """Let a visitor in by the token of a link. Raises NotAllowed for one that is wrong or has expired."""
        found = None if self._door.shut else self._found(_digest("link", token))
        if found is None or time.time() >= found[1]:
            raise NotAllowed("this link does not work, or no longer", hint="ask for a new one")
        return self.admit(asking, found[0], response)

    def admit(self, asking: Visitor, rights: Collection[Right], response: Response) -> Visitor:
        """Give a visitor rights beside those it has, and a cookie if it has none yet. Raises NotAllowed once
        the door has shut."""
        if self._door.shut:
            raise NotAllowed("this server was shared until a date that has passed", hint="ask for a new one")
        if not self._door.shared and asking.id != LOCAL.id:
            return asking
        if asking.id and asking.id != LOCAL.id:
            joint = asking.rights | frozenset(rights)
            if joint != asking.rights:
                self._keep(asking.id, joint)
            return Visitor(asking.id, joint)
        secret = self.new_cookie(response)
        if self._door.shared:
            self._keep(_digest("visitor", secret), frozenset(rights))
        return self.who(secret)

    def new_cookie(self, response: Response) -> str:
        """Set a new secret in the visitor's browser, and return it. Under TLS the guard adds `Secure`."""
        secret = secrets.token_urlsafe(_BYTES)
        response.set_cookie(
            COOKIE,
            secret,
            max_age=_KEPT_S,
            path="/",
            httponly=True,
            samesite="strict",
        )
        return secret

    def _keep(self, name: str, rights: frozenset[Right]) -> None:
        self._passes.put(name, _words(rights), self._ends())
        self._known[name] = rights, self._ends()

    def _found(self, name: str) -> tuple[frozenset[Right], float] | None:
        if (found := self._passes.get(name)) is None:
            return None
        words = found[0].split()
        return frozenset(right for right in ALL if right in words), found[1]

    def _ends(self) -> float:
        return self._door.until or 0.0


def _words(rights: Collection[Right]) -> str:
    return " ".join(sorted(rights))


def _digest(use: str, secret: str) -> str:
    """What is kept of a secret; a link's and a cookie's can never stand for each other."""
    return hashlib.sha256(f"osler:{use}:{secret}".encode()).hexdigest()[:40]
