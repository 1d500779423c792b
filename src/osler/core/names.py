"""Player names: in `model:NAME+cot+ensemble:3` each `+` suffix wraps everything to its left.

The same grammar holds for every seat of every protocol, and this is its one reader. A name is parsed into a
tree: the innermost player, the wrappers around it, and the members of mixed teams. Which kinds of player are
in it, which language models, and how many calls it makes of one, are properties of the tree; whatever decides
about a name (who may give it, what it costs, who is disclosed) asks them, and never looks at the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from math import prod
from pathlib import Path
from typing import Final, NamedTuple

from osler.core.role import EXTERNAL, MODEL, NOBODY, PERSON, PYTHON, SCRIPTED, Role
from osler.errors import BadInput

MARK: Final = "+"
AND: Final = "/"
"""Stands between the players of a mixed team: `model:a+discuss:model:b/model:c`."""

FEWEST, MOST = 2, 9
LONGEST: Final = 200
"""The most characters of a player's name, wherever it is given."""


class Kind(StrEnum):
    """The kind of player that a name stands for. FILE is read from the disk and CODE is imported; UNKNOWN may
    be a player of an installed package."""

    BUILT_IN = "built-in"
    """A player that comes with Osler: a baseline, no language model."""
    NOBODY = "nobody"
    """The seat stays empty."""
    MODEL = "model"
    """The language model of an endpoint in osler.toml."""
    PERSON = "person"
    """A person, at the terminal or in the browser."""
    EXTERNAL = "external"
    """A program that answers from outside, such as through an adapter."""
    FILE = "file"
    """The replies in a YAML or JSON list, one after the other."""
    CODE = "code"
    """A player of your own, or a class or function that builds one."""
    UNKNOWN = "unknown"


KINDS: Final = {
    MODEL: Kind.MODEL,
    PERSON: Kind.PERSON,
    EXTERNAL: Kind.EXTERNAL,
    SCRIPTED: Kind.FILE,
    PYTHON: Kind.CODE,
}
"""The kinds of the names that any seat may take."""


class Wrapping(NamedTuple):
    """A wrapper in a name: its suffix ("+discuss"), its argument as written, and the `members` of its mixed
    team, if the argument names other players."""

    suffix: str
    argument: str
    members: tuple[PlayerName, ...] = ()

    @property
    def calls(self) -> int:
        """The calls that it makes of each one of the player inside, at least; a memory makes no more."""
        if self.members:
            return 1 + len(self.members)
        return int(self.argument) if self.is_counted else FEWEST

    @property
    def is_counted(self) -> bool:
        """Whether the argument is a number from 2 to 9."""
        argument = self.argument
        return argument.isascii() and argument.isdecimal() and FEWEST <= int(argument[:3]) <= MOST


class PlayerName(NamedTuple):
    """A parsed player name for a seat of a role: the innermost player (`name:argument`) and the wrappers
    around it, innermost first."""

    role: Role
    inside: str
    around: tuple[Wrapping, ...] = ()

    @property
    def name(self) -> str:
        """The innermost player's name: "model" for "model:NAME"."""
        return self.inside.partition(":")[0]

    @property
    def argument(self) -> str:
        """The innermost player's argument, after the colon; "" if there is none."""
        return self.inside.partition(":")[2]

    @property
    def kind(self) -> Kind:
        """The innermost player's kind."""
        if self.inside in self.role.players:
            return Kind.BUILT_IN
        if self.inside == NOBODY and self.role.optional:
            return Kind.NOBODY
        if self.inside == MODEL:  # which one is not said
            return Kind.UNKNOWN
        return KINDS.get(self.name, Kind.UNKNOWN)

    def members(self) -> tuple[PlayerName, ...]:
        """The other players of its mixed teams."""
        return tuple(member for wrapping in self.around for member in wrapping.members)

    def everyone(self) -> Iterator[PlayerName]:
        """Every player in the name, the innermost first, then the members of its mixed teams."""
        yield self
        for member in self.members():
            yield from member.everyone()

    @property
    def kinds(self) -> frozenset[Kind]:
        """The kinds of all players in the name."""
        return frozenset(player.kind for player in self.everyone())

    @property
    def models(self) -> tuple[str, ...]:
        """The language models in the name as `model:ENDPOINT`, each once."""
        players = (player for player in self.everyone() if player.kind is Kind.MODEL)
        return tuple(dict.fromkeys(player.inside for player in players))

    @property
    def privileged(self) -> tuple[str, ...]:
        """The players in the name that are handed the answer."""
        return tuple(player.name for player in self.everyone() if player.name in self.role.privileged)

    @property
    def calls(self) -> int:
        """The calls that it makes for one reply, as the product of its wrappers' counts."""
        given = self.role.given
        return prod(wrapping.calls for wrapping in self.around if wrapping.suffix not in given)

    def around_another(self, other: str, without: frozenset[str] = frozenset()) -> str:
        """Write the name of another player in the same wrappers, leaving out those in `without`; a mixed team
        becomes one of as many such players."""
        wrappings = (wrapping for wrapping in self.around if wrapping.suffix not in without)
        return other + "".join(_written(wrapping) for wrapping in wrappings)


def _written(wrapping: Wrapping) -> str:
    size = str(wrapping.calls) if wrapping.members else wrapping.argument
    return f"{wrapping.suffix}:{size}" if size else wrapping.suffix


def player_name(role: Role, full: str) -> PlayerName:
    """Parse a player name. A `+` that does not begin a wrapper is part of the name: file names may hold
    one."""
    suffixes = {*(wrapper.name for wrapper in role.wrappers), *role.given, *role.refused}
    inside, around = full, list[Wrapping]()
    while MARK in inside:
        left, _, right = inside.rpartition(MARK)
        suffix, _, argument = right.partition(":")
        if f"{MARK}{suffix}" not in suffixes:
            break
        inside = left
        around.append(Wrapping(f"{MARK}{suffix}", argument, _members(role, argument)))
    return PlayerName(role, inside, tuple(reversed(around)))


def _members(role: Role, argument: str) -> tuple[PlayerName, ...]:
    """The players that a wrapper's argument names; none where it holds no letter, and so counts them."""
    if not any(map(str.isalpha, argument)):
        return ()
    return tuple(player_name(role, name) for name in argument.split(AND))


def suffixes_of(role: Role) -> tuple[str, ...]:
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
