"""Parsing of player names: in `model:NAME+cot+ensemble:3` each `+` suffix wraps everything to its left.

The same grammar holds for every seat of every protocol.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from osler.core.factory import Asked, Factory
from osler.core.own_players import PYTHON, package_names, package_player, python_player
from osler.core.role import ARGUMENTS, Role
from osler.errors import BadInput
from osler.players.scripted import Scripted, from_file

MARK: Final = "+"
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
        """Write the name of another player in the same wrappers, leaving out those in `without`."""
        kept = [pair for pair in self.around if pair[0] not in without]
        return other + "".join(f"{ending}:{argument}" if argument else ending for ending, argument in kept)


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
                    mend="rename the file",
                )
    return list(dict.fromkeys(name.strip() for name in parts if name.strip()))


def checked_name(
    role: Role, full: str, more: Mapping[str, Factory], protocol: str = ""
) -> tuple[Named, Factory]:
    """Parse and validate a player name for a seat of a `protocol`; returns it with the inner player's
    factory.

    Raises BadInput for an unknown or unsuitable player or wrapper, listing the known ones.
    """
    named = taken_apart(role, full)
    _check_wrappers(role, full, named, more)
    known: dict[str, Factory] = {"scripted": _scripted, PYTHON: python_player, **role.players, **more}
    wants = ARGUMENTS.get(named.name)
    if named.name == "person" and not role.person:
        raise BadInput(
            f"a person has no form to fill as the {role.name}",
            where=f"--{role.name}",
            mend="play another seat",
        )
    if named.name not in known or (wants is not None) != bool(named.argument):
        if named.name in known:
            mend = f"write {named.name}:{wants}" if wants else f"write {named.name}"
            raise BadInput(f"{full!r} is not a player", where=f"--{role.name}", mend=mend)
        if not named.argument and (brought := package_player(named.name, role.name, protocol)) is not None:
            return named, brought
        names = sorted({*known_names(role, more), *package_names(role.name, protocol)})
        raise BadInput(
            f"no {role.name} is called {full!r}", where=f"--{role.name}", mend=f"known: {', '.join(names)}"
        )
    return named, known[named.name]


def known_names(role: Role, more: Mapping[str, Any] = {}) -> list[str]:
    """The player names valid in a seat of this role, as the user writes them."""
    names = {*role.players, *(name for name in more if name[0] != MARK)} - {*ARGUMENTS}
    if role.optional:
        names.add("none")
    if not role.person:
        names.discard("person")
    return sorted(names | {f"{name}:{what}" for name, what in ARGUMENTS.items()})


def _check_wrappers(role: Role, full: str, named: Named, more: Mapping[str, Factory]) -> None:
    where = f"--{role.name}"
    wrappers = {wrapper.name: wrapper for wrapper in role.wrappers}
    if MARK in named.inside and named.name not in ("scripted", "python"):
        wrong = named.inside.partition(MARK)[2]
        known = ", ".join(endings_of(role)) or "none for this seat"
        raise BadInput(f"{full!r}: nothing is called +{wrong}", where=where, mend=f"known: {known}")
    for ending, argument in named.around:
        if ending in role.given and ending in more:
            continue
        if ending in role.given or ending in role.refused:
            what, _, mend = {**role.refused, **role.given}[ending].partition("; ")
            raise BadInput(f"{full!r} {what}", where=where, mend=mend)
        wrapper = wrappers[ending]
        number = argument.isascii() and argument.isdecimal() and FEWEST <= int(argument[:3]) <= MOST
        if wrapper.counted and not number:
            mend = f"write {ending}:{FEWEST} to {ending}:{MOST}"
            raise BadInput(f"{full!r}: how many?", where=where, mend=mend)
        if not wrapper.counted and argument:
            raise BadInput(f"{full!r}: {ending} takes no number", where=where, mend=f"write {ending}")
        if wrapper.counted and named.name in role.alone:
            mend = f"name a model or a built-in {role.name}"
            raise BadInput(f"{full!r}: there is only one {named.name}", where=where, mend=mend)
        if wrapper.opinions and role.mute(named.name):
            who = f"the built-in {role.name}s" if named.name in role.players else f"{named.name} players"
            raise BadInput(
                f"{full!r}: {who} cannot judge a move or think again",
                where=where,
                mend=f"write model:NAME{ending}" + (":N" if wrapper.counted else ""),
            )


@lru_cache(maxsize=256)
def _script(file: str, written: object) -> Scripted:
    return from_file(Path(file))


def _scripted(asked: Asked) -> Scripted:
    """The player `scripted:FILE`. The parsed script is cached until the file changes."""
    try:
        found = os.stat(asked.argument)
        written: object = (found.st_mtime_ns, found.st_size, found.st_ino)
    except (OSError, ValueError):
        written = None  # reading the file will report the error
    return _script(asked.argument, written)
