"""Parsing of player names: in `model:NAME+cot+ensemble:3` each `+` suffix wraps everything to its left.

The same grammar holds for every seat of every protocol.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from osler.core.role import Role
from osler.errors import BadInput

MARK: Final = "+"
AND: Final = "/"
"""Stands between the players of a mixed team: `model:a+discuss:model:b/model:c`."""

FEWEST, MOST = 2, 9


class Named(NamedTuple):
    """A parsed player name: the innermost player (`name:argument`), and (suffix, argument) of each wrapper
    around it, innermost first."""

    inside: str
    around: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """The innermost player's name: "model" for "model:NAME"."""
        return self.inside.partition(":")[0]

    @property
    def argument(self) -> str:
        """The innermost player's argument, after the colon; "" if there is none."""
        return self.inside.partition(":")[2]

    def around_another(self, other: str, without: frozenset[str] = frozenset()) -> str:
        """Write the name of another player in the same wrappers, leaving out those in `without`; a mixed team
        becomes one of as many such players."""
        kept = [(ending, _size(argument)) for ending, argument in self.around if ending not in without]
        return other + "".join(f"{ending}:{argument}" if argument else ending for ending, argument in kept)

    def members(self) -> tuple[str, ...]:
        """The other players of its mixed teams."""
        return tuple(name for _, argument in self.around for name in members(argument))


def members(argument: str) -> tuple[str, ...]:
    """The players that a wrapper's argument names; none where it holds no letter, and so counts them."""
    return tuple(argument.split(AND)) if any(map(str.isalpha, argument)) else ()


def _size(argument: str) -> str:
    others = members(argument)
    return str(1 + len(others)) if others else argument


def taken_apart(role: Role, full: str) -> Named:
    """Parse a player name. A `+` that does not begin a wrapper is part of the name: file names may hold
    one."""
    endings = {*(wrapper.name for wrapper in role.wrappers), *role.given, *role.refused}
    inside, around = full, list[tuple[str, str]]()
    while MARK in inside:
        left, _, right = inside.rpartition(MARK)
        ending, _, argument = right.partition(":")
        if f"{MARK}{ending}" not in endings:
            break
        inside = left
        around.append((f"{MARK}{ending}", argument))
    return Named(inside, tuple(reversed(around)))


def endings_of(role: Role) -> tuple[str, ...]:
    """The wrapper suffixes of a role, as the user writes them."""
    own = (f"{one.name}:N" if one.counted else one.name for one in role.wrappers)
    return tuple(sorted((*own, *role.given)))


def listed(given: str, where: str) -> list[str]:
    """Split a comma-separated list of names, dropping duplicates. Raises BadInput for a script whose file
    name contains a comma: it would be read as two names."""
    parts = given.split(",")
    for first, part in enumerate(parts):
        if not part.strip().startswith("scripted:"):
            continue
        for end in range(first + 2, len(parts) + 1):
            file = ",".join(parts[first:end]).strip().removeprefix("scripted:")
            if any(Path(one).is_file() for one in (file, file.rpartition(MARK)[0]) if one):
                raise BadInput(
                    f"commas separate names, and the file name {file!r} contains one",
                    where=where,
                    hint="rename the file",
                )
    return list(dict.fromkeys(name.strip() for name in parts if name.strip()))
