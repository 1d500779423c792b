"""Who is asking, and what they may do.

Without `--share` the server is reached only from this machine, and whoever opens it has every right.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, NamedTuple

from fastapi import Depends, Request

from osler.errors import NotAllowed

Right = Literal["learn", "teach", "watch", "run"]
ALL: Final[frozenset[Right]] = frozenset(("learn", "teach", "watch", "run"))
NONE: Final[frozenset[Right]] = frozenset()


class Visitor(NamedTuple):
    """One browser: its id, which stays the same while the secret in its cookie changes, and its rights.

    `learn`: play; `teach`: hold rooms and see what their learners permit; `watch`: read records; `run`: start
    and branch runs. `here` says that the server is not shared, so that the visitor owns this machine. The id
    of a visitor without rights may be empty.
    """

    id: str
    rights: frozenset[Right]
    here: bool = False

    def may(self, right: Right) -> bool:
        """Whether the visitor has a right."""
        return right in self.rights

    def owns(self, owner: str) -> bool:
        """Whether what belongs to the visitor `owner` may be opened by its address. On a machine of one's own
        the address is enough: a sitting begun by a program is gone on with in any browser."""
        return self.here or bool(owner and self.id == owner)


LOCAL: Final = Visitor("local", ALL, here=True)
"""Whoever asks a server that is not shared, and sends no cookie, as programs do."""
STRANGER: Final = Visitor("", NONE)
"""Whoever asks a shared server and has not come in."""


async def visitor(request: Request) -> Visitor:
    """The visitor of a request, as the guard found out."""
    result: Visitor = request.scope["osler.visitor"]
    return result


Asking = Annotated[Visitor, Depends(visitor)]
"""The parameter type of a route that wants to know who asks."""


def needs(right: Right) -> Any:
    """A dependency that refuses visitors without a right."""

    async def check(asking: Asking) -> None:
        if not asking.may(right):
            raise NotAllowed(
                f"this needs the right to {right}", hint="open the link that you were given once more"
            )

    return Depends(check)
