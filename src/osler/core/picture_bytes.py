"""The bytes of image files, found again by their SHA-256 wherever this process knows them to lie.

A record holds only the hash of a file. Whoever reads one from a folder says here where it lies; an open store
is asked for those that nobody has read, such as a resumed run's on another machine.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from threading import Lock
from typing import Final, Protocol
from weakref import WeakSet

from osler.core.pictures import ImageFile
from osler.errors import BadInput


class Keeper(Protocol):
    """Something that keeps image files, such as a store."""

    def picture(self, sha256: str, /) -> bytes | None:
        """The bytes with this hash, or `None`."""
        ...


_MOST_KEPT: Final = 64_000_000
"""Bytes of files that were asked for lately, all together."""
_places: dict[str, Callable[[], bytes]] = {}
_keepers: WeakSet[Keeper] = WeakSet()
_recent: OrderedDict[str, bytes] = OrderedDict()
_lock = Lock()


def lies_at(picture: ImageFile, read: Callable[[], bytes]) -> None:
    """Note that `read` returns the bytes of a picture; it may raise BadInput once they are gone."""
    _places[picture.sha256] = read


def ask_also(keeper: Keeper) -> None:
    """Ask a keeper for pictures, too, until it is garbage or `ask_no_more`."""
    _keepers.add(keeper)


def ask_no_more(keeper: Keeper) -> None:
    """Ask this keeper no more."""
    _keepers.discard(keeper)


def bytes_of(picture: ImageFile) -> bytes:
    """The bytes of a picture. Raises BadInput where nobody has them."""
    wanted = picture.sha256
    with _lock:
        if wanted in _recent:
            _recent.move_to_end(wanted)
            return _recent[wanted]
    found = _read(wanted)
    if found is None:
        raise BadInput(
            "an image of this case is not at hand",
            where=picture.name,
            hint="put it into the folder `pictures` beside the case, or use the store of its run",
        )
    with _lock:
        _recent[wanted] = found
        while len(_recent) > 1 and sum(map(len, _recent.values())) > _MOST_KEPT:
            _recent.popitem(last=False)
    return found


def _read(wanted: str) -> bytes | None:
    if wanted in _places:
        try:
            found = _places[wanted]()
        except BadInput:
            found = b""
        if sha256(found).hexdigest() == wanted:
            return found
    kept = (keeper.picture(wanted) for keeper in list(_keepers))
    return next((found for found in kept if found is not None), None)
