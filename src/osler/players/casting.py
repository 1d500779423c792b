"""Casting: check the names given for the seats, and build the players of each episode from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, NamedTuple

from pydantic import BaseModel
from typing_extensions import TypeVar

from osler.core.composite import AnyPlayer
from osler.core.config import Config
from osler.core.contract import Request
from osler.core.events import Seat
from osler.core.factory import Factory, PlayerRequest
from osler.core.lazy import subclass
from osler.core.names import (
    AND,
    FEWEST,
    LONGEST,
    MARK,
    MOST,
    Kind,
    PlayerName,
    Wrapping,
    player_name,
    suffixes_of,
)
from osler.core.protocol import Protocol
from osler.core.role import (
    ARGUMENTS,
    EXTERNAL,
    MODEL,
    PERSON,
    PYTHON,
    SCRIPTED,
    Models,
    Role,
    Seating,
    Wrapper,
)
from osler.core.source import Source
from osler.errors import BadInput
from osler.models.types import Message
from osler.players.external import Desk, External
from osler.players.plugged import package_names, package_player, python_player
from osler.players.scripted import Scripted, from_file
from osler.players.seating import model_player, person_player
from osler.text.languages import ENGLISH, language_of, played_in, shown

ConfigT = TypeVar("ConfigT", bound=Config, default=Any)


class _Around(NamedTuple):
    """A wrapper with its argument, and the other players if that names a mixed team."""

    wrapper: Factory | Wrapper
    argument: str
    team: tuple[_Chosen, ...]


class _Chosen(NamedTuple):
    """The player chosen for a seat: the factory of the innermost one with its argument, each wrapper around
    it with its own, innermost first, and the check of what it claims, if it is neither built in nor a
    person."""

    seat: Seat
    factory: Factory
    argument: str
    around: tuple[_Around, ...]
    check: Callable[[AnyPlayer], AnyPlayer] | None = None


class Unseated(NamedTuple):
    """A language model that a run asks although it has no seat, as `model:NAME`: for vectors, or to read a
    reply, for which it is sent the messages that `reads` returns (none where it does not read that one)."""

    model: str
    reads: Callable[[BaseModel, Request[Any]], tuple[Message, ...]] | None = None


class Casting(Generic[ConfigT]):
    """Builds the cast of each episode of a run. `more` adds player factories by name, such as `model` or
    `person`, and wrappers by suffix ("+memory").

    Raises BadInput for an unknown name, listing the known ones. A protocol whose table of roles does not say
    it all has a subclass.
    """

    estimating = False
    """Whether built-in players only stand in for others, to estimate a run: then any language will do."""

    def __init__(self, config: ConfigT, more: Mapping[str, Factory] | None = None) -> None:
        self.config, self.names = config, dict(self.named(config))
        plays: Protocol = config.plays
        self._language: str | None = getattr(getattr(config, "settings", None), "language", None)
        self._roles = plays.role
        self._chosen = [
            _chosen(seat, name, plays.role(seat), more or {}, plays.name) for seat, name in self.names.items()
        ]

    @classmethod
    def named(cls, config: ConfigT) -> Mapping[Seat, str]:
        """The player's name in each occupied seat, as it is built. A hook for protocols to override."""
        return config.players()

    @classmethod
    def unseated(cls, config: ConfigT) -> Iterable[Unseated]:
        """The models that a run asks although they have no seat. A hook for protocols to override."""
        return ()

    @classmethod
    def supplied(
        cls, config: ConfigT, more: Mapping[str, Factory], store: Any, source: Source[Any]
    ) -> Mapping[str, Factory]:
        """`more`, and the factories that need a run's store or its cases, such as that of `+memory`. A hook
        for protocols to override."""
        return more

    @classmethod
    def needs_other_cases(cls, config: ConfigT) -> bool:
        """Whether setting up an episode needs cases of the source other than its own. A hook for protocols
        to override."""
        return False

    def cast(self, case: Any) -> dict[Seat, AnyPlayer]:
        """Build the players of one episode. Raises BadInput if a built-in player would have to speak another
        language than English."""
        self._check_language(case)
        return {one.seat: self._built(one, case) for one in self._chosen}

    def _check_language(self, case: Any) -> None:
        spoken = {language_of(case), self._language or language_of(case)} - {ENGLISH}
        if self.estimating or not spoken:
            return
        for seat, full in self.names.items():
            role = self._roles(seat)
            if Kind.BUILT_IN in player_name(role, full).kinds:
                raise BadInput(
                    f"the built-in players speak English alone, not {shown(min(spoken))}",
                    where=f"{getattr(case, 'id', 'the case')}: --{role.name} {full}",
                    hint=f"name --{role.name} model:NAME" + (", or none" if role.optional else ""),
                )

    def within(self, seat: Seat, player: AnyPlayer, case: Any) -> AnyPlayer:
        """Return the innermost player as the protocol wants it, before any wrapper is applied. A hook for
        protocols to override."""
        return player

    def _built(self, one: _Chosen, case: Any) -> AnyPlayer:
        player = one.factory(PlayerRequest(one.seat, case, one.argument))
        if one.check is not None and (self._language or language_of(case)) == ENGLISH:
            player = one.check(player)
        player = self.within(one.seat, player, case)
        for wrapper, argument, team in one.around:
            if isinstance(wrapper, Wrapper) and wrapper.team and team:
                player = wrapper.team(player, [self._built(other, case) for other in team])
            elif isinstance(wrapper, Wrapper):
                player = wrapper.build(player, int(argument or 0))
            else:
                player = wrapper(PlayerRequest(one.seat, case, argument, player))
        return player


def _chosen(seat: Seat, name: str, role: Role, more: Mapping[str, Factory], protocol: str) -> _Chosen:
    named, factory = checked_name(role, name, more, protocol)
    wrappers: dict[str, Factory | Wrapper] = {wrapper.name: wrapper for wrapper in role.wrappers}
    wrappers |= more
    around = tuple(
        _Around(
            wrappers[one.suffix],
            one.argument,
            tuple(_chosen(seat, other.inside, role, more, protocol) for other in one.members),
        )
        for one in named.around
    )
    trusted = named.kind is Kind.BUILT_IN or named.name == PERSON
    return _Chosen(seat, factory, named.argument, around, None if trusted else role.check)


def casting_type(config: Config) -> type[Casting]:
    """The class that builds the casts of a configuration's protocol."""
    return subclass(config.plays.casting or Casting, Casting)


def casting_of(config: Config, more: Mapping[str, Factory] | None = None) -> Casting:
    """The builder of a run's casts. Raises BadInput for an unknown player."""
    return casting_type(config)(config, more)


def blind(config: Config, models: Models) -> tuple[str, ...]:
    """The models that sit where the case's pictures are shown and are not declared to see, as `model:NAME`;
    where somebody describes the pictures, nobody else needs to see them."""
    roles = {seat: config.plays.role(seat) for seat in config.names()}
    described = any(role.describes for role in roles.values())
    looking = [seat for seat, role in roles.items() if role.looks and (role.describes or not described)]
    named = dict.fromkeys(model for seat in looking for model in config.models_in(seat))
    return tuple(model for model in named if not models.has_eyes(model.removeprefix("model:")))


def players_of(seating: Seating) -> dict[str, Factory]:
    """The factories of `person`, `model:NAME` and, if the channel is a desk, `external`, for every seat. A
    model's player is built once per seat and language."""
    channel = seating.channel
    built: dict[tuple[str, str, str], AnyPlayer] = {}

    def model(asked: PlayerRequest) -> AnyPlayer:
        key = (asked.seat, asked.argument, played_in(getattr(seating.config, "settings", None), asked.case))
        if key not in built:
            built[key] = model_player(asked, seating)
        return built[key]

    factories: dict[str, Factory] = {PERSON: lambda asked: person_player(asked, seating)}
    if seating.models is not None:
        factories[MODEL] = model
    if isinstance(channel, Desk):
        factories[EXTERNAL] = lambda asked: External(channel)
    return factories


def checked_name(
    role: Role, full: str, more: Mapping[str, Factory], protocol: str = ""
) -> tuple[PlayerName, Factory]:
    """Parse and validate a player name for a seat of a `protocol`; returns it with the inner player's
    factory.

    Raises BadInput for an unknown or unsuitable player or wrapper, listing the known ones, and for a name
    that is too long.
    """
    if len(full) > LONGEST:
        hint = f"write at most {LONGEST} characters"
        raise BadInput("the player's name is too long", where=f"--{role.name}", hint=hint)
    name = player_name(role, full)
    _check_wrappers(role, full, name, more)
    factories: dict[str, Factory] = {SCRIPTED: _scripted, PYTHON: python_player, **role.players, **more}
    wants = ARGUMENTS.get(name.name)
    if name.name == PERSON and not role.person:
        raise BadInput(
            f"a person has no form to fill as the {role.name}",
            where=f"--{role.name}",
            hint="play another seat",
        )
    if name.name not in factories or (wants is not None) != bool(name.argument):
        if name.name in factories:
            hint = f"write {name.name}:{wants}" if wants else f"write {name.name}"
            raise BadInput(f"{full!r} is not a player", where=f"--{role.name}", hint=hint)
        if not name.argument and (brought := package_player(name.name, role.name, protocol)) is not None:
            return name, brought
        names = sorted({*known_names(role, more), *package_names(role.name, protocol)})
        raise BadInput(
            f"no {role.name} is called {full!r}", where=f"--{role.name}", hint=f"known: {', '.join(names)}"
        )
    return name, factories[name.name]


def known_names(role: Role, more: Mapping[str, Any] = {}) -> list[str]:
    """The player names valid in a seat of this role, as the user writes them."""
    names = {*role.players, *(name for name in more if name[0] != MARK)} - {*ARGUMENTS}
    if role.optional:
        names.add("none")
    if not role.person:
        names.discard(PERSON)
    return sorted(names | {f"{name}:{what}" for name, what in ARGUMENTS.items()})


def _check_wrappers(role: Role, full: str, name: PlayerName, more: Mapping[str, Factory]) -> None:
    where = f"--{role.name}"
    wrappers = {wrapper.name: wrapper for wrapper in role.wrappers}
    if MARK in name.inside and name.kind not in (Kind.FILE, Kind.CODE):
        wrong = name.inside.partition(MARK)[2]
        text = ", ".join(suffixes_of(role)) or "none for this seat"
        raise BadInput(f"{full!r}: nothing is called +{wrong}", where=where, hint=f"known: {text}")
    for wrapping in name.around:
        suffix = wrapping.suffix
        if suffix in role.given and suffix in more:
            _check_argument(full, wrapping, counted=False, where=where)
            continue
        if suffix in role.given or suffix in role.refused:
            what, _, hint = {**role.refused, **role.given}[suffix].partition("; ")
            raise BadInput(f"{full!r} {what}", where=where, hint=hint)
        wrapper = wrappers[suffix]
        if wrapper.team and wrapping.members:
            _check_team(role, full, [member.inside for member in wrapping.members])
        else:
            _check_argument(full, wrapping, counted=wrapper.counted, where=where)
        if wrapper.counted and name.name in role.alone:
            hint = f"name a model or a built-in {role.name}"
            raise BadInput(f"{full!r}: there is only one {name.name}", where=where, hint=hint)
        if wrapper.opinions and role.mute(name.name):
            who = f"the built-in {role.name}s" if name.name in role.players else f"{name.name} players"
            raise BadInput(
                f"{full!r}: {who} cannot judge a move or think again",
                where=where,
                hint=f"write model:NAME{suffix}" + (":N" if wrapper.counted else ""),
            )


def _check_argument(full: str, wrapping: Wrapping, *, counted: bool, where: str) -> None:
    """Raise BadInput for a wrapper without the number it wants, or with an argument that it does not."""
    suffix = wrapping.suffix
    if counted and not wrapping.is_counted:
        hint = f"write {suffix}:{FEWEST} to {suffix}:{MOST}"
        raise BadInput(f"{full!r}: how many?", where=where, hint=hint)
    if not counted and wrapping.argument:
        raise BadInput(f"{full!r}: {suffix} takes no number", where=where, hint=f"write {suffix}")


def _check_team(role: Role, full: str, others: Sequence[str]) -> None:
    """Raise BadInput for a mixed team that is too large, or has a player of whom there is only one."""
    where = f"--{role.name}"
    if len(others) >= MOST:
        raise BadInput(f"{full!r}: a team has at most {MOST} players", where=where, hint="name fewer")
    for name in others:
        if MARK in name or not name or name in role.alone:
            hint = f"name models or built-in {role.name}s, with {AND} between them"
            raise BadInput(f"{full!r}: {name!r} cannot be one of a team", where=where, hint=hint)


def _scripted(request: PlayerRequest) -> Scripted:
    """The player `scripted:FILE`. The parsed script is cached until the file changes."""
    try:
        result = os.stat(request.argument)
        written: object = (result.st_mtime_ns, result.st_size, result.st_ino)
    except (OSError, ValueError):
        written = None  # reading the file will report the error
    return _script(request.argument, written)


@lru_cache(maxsize=256)
def _script(file: str, written: object) -> Scripted:
    return from_file(Path(file))
