"""Third-party players: `python:MODULE:NAME`, and those of installed packages (entry points).

A player is an object with a `name` and a method `reply(request)` (or `compose`, see `osler.core.composite`);
`durable` defaults to False, and `reply` need not be a coroutine. The name may refer to such an object, or to
a class or function that makes one and takes either no argument or one, `asked`
(`osler.core.factory.PlayerRequest`: the seat and the case). A new one is made for each episode.

A package registers players as entry points of the group `osler.players`. Each lists in an attribute `seats`
the seats it can play: "tutor" in any protocol that has one, or "ward_round:tutor". Osler's own players take
precedence over a package's player of the same name.

Naming a player runs its code, so such names are accepted from the command line, from Python, or when resuming
a run of the user's own store, but never from a study file or a case.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from importlib import import_module
from typing import Any, Final

from pydantic import BaseModel

from osler.core.composite import AnyPlayer, Inner
from osler.core.contract import ReplyWithUsage, Request
from osler.core.factory import Factory, PlayerRequest
from osler.core.role import PYTHON
from osler.errors import BadInput, PlayerFault
from osler.plugins import Plugin, plugins

GROUP: Final = "osler.players"
_MARKS: Final = frozenset("+:,")
_TELL: Final = "see docs/players.md"


class Foreign:
    """The adapter of a third-party player. A ValueError it raises counts as no valid reply of its seat, any
    other exception as a fault of its program (PlayerFault)."""

    def __init__(self, player: Any) -> None:
        self._player, self.name = player, str(player.name)
        self.durable = bool(getattr(player, "durable", False))
        self.fingerprint = str(getattr(player, "fingerprint", ""))

    async def reply(self, request: Request[Any], /) -> BaseModel | ReplyWithUsage:
        """Return the third-party player's reply."""
        said: BaseModel | ReplyWithUsage = await _contained(self.name, self._player.reply, request)
        return said


class ForeignComposite(Foreign):
    """The adapter of a third-party composite: a player that asks others inside it."""

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel | ReplyWithUsage:
        """Return the third-party player's reply, made with the answers of the players inside it."""
        said: BaseModel | ReplyWithUsage = await _contained(self.name, self._player.compose, request, inner)
        return said


async def _contained(name: str, ask: Any, *given: Any) -> Any:
    try:
        said = ask(*given)
        return await said if inspect.isawaitable(said) else said
    except SystemExit as error:  # it would end the whole run
        raise PlayerFault(name, error) from error


def python_player(request: PlayerRequest) -> AnyPlayer:
    """Load the player `python:MODULE:NAME`. Raises BadInput if it cannot be imported or is not a player."""
    where = f"{PYTHON}:{request.argument}"
    module, _, name = request.argument.partition(":")
    if not module or not name:
        raise BadInput("names no player", where=where, hint="write python:MODULE:NAME")
    try:
        result: Any = import_module(module)
    except (Exception, SystemExit) as error:  # third-party code may raise anything
        raise BadInput(
            f"the module {module!r} cannot be imported: {_why(error)}",
            where=where,
            hint="install its package, or name its folder in PYTHONPATH",
        ) from error
    for part in name.split("."):
        try:
            result = getattr(result, part)
        except AttributeError:
            raise BadInput(f"{module} has no {name!r}", where=where, hint="check the name") from None
    return made(result, request, where)


def made(found: Any, request: PlayerRequest, where: str) -> AnyPlayer:
    """Make a player from an object, a class or a factory. Raises BadInput, naming `where`, if it is none."""
    player = found
    if inspect.isclass(found) or not _plays(found):
        if not callable(found):
            raise BadInput(f"{_kind(found)} has no method `reply`", where=where, hint=_TELL)
        try:
            player = found(request) if _wants_asked(found) else found()
        except BadInput:
            raise
        except (Exception, SystemExit) as error:
            raise BadInput(f"cannot be made: {_why(error)}", where=where, hint=_TELL) from error
    if not _plays(player):
        raise BadInput(f"{_kind(player)} has no method `reply`", where=where, hint=_TELL)
    try:
        if not isinstance(player.name, str) or not player.name.strip():
            raise BadInput(f"{_kind(player)}: its `name` is not a string", where=where, hint=_TELL)
        return ForeignComposite(player) if hasattr(player, "compose") else Foreign(player)
    except AttributeError:
        raise BadInput(f"{_kind(player)} has no `name`", where=where, hint=_TELL) from None
    except BadInput:
        raise
    except Exception as error:  # a third-party property may raise anything
        raise BadInput(f"{_kind(player)} cannot be read: {_why(error)}", where=where, hint=_TELL) from error


def package_player(name: str, kind: str, protocol: str) -> Factory | None:
    """Return the factory of the packaged player of this name for a kind of seat, or `None` if there is none.

    Raises BadInput if it cannot be imported or does not say which seats it can play.
    """
    plugin = next((one for one in plugins(GROUP) if one.name == name), None)
    if plugin is None:
        return None
    result, seats = checked_plugin(plugin)
    if not _fits(seats, kind, protocol):
        raise BadInput(
            f"{name} cannot sit as {kind} of {protocol}",
            where=plugin.where,
            hint=f"it plays: {', '.join(seats)}",
        )
    return lambda request: made(result, request, plugin.where)


def package_names(kind: str, protocol: str) -> list[str]:
    """The names of packaged players for a kind of seat, leaving out those that fail to load."""
    names = []
    for plugin in plugins(GROUP):
        try:
            fits = _fits(checked_plugin(plugin)[1], kind, protocol)
        except BadInput:
            continue
        if fits:
            names.append(plugin.name)
    return names


def checked_plugin(plugin: Plugin) -> tuple[Any, tuple[str, ...]]:
    """Load a package's player and the seats it says it can play. Raises BadInput if either is missing."""
    if _MARKS & {*plugin.name}:
        raise BadInput(f"a player's name holds none of {' '.join(sorted(_MARKS))}", where=plugin.where)
    result = plugin.loaded(("seats",))
    seats = result.seats
    if isinstance(seats, str) or not isinstance(seats, Iterable):
        seats = (seats,)
    named = tuple(seats)
    if not named or not all(isinstance(seat, str) for seat in named):
        hint = 'write seats = ("tutor", "consultation:doctor")'
        raise BadInput("its `seats` name no seats", where=plugin.where, hint=hint)
    return result, named


def _fits(seats: Iterable[str], kind: str, protocol: str) -> bool:
    return not {kind, f"{protocol}:{kind}"}.isdisjoint(seats)


def _plays(found: Any) -> bool:
    return callable(getattr(found, "reply", None)) or callable(getattr(found, "compose", None))


def _wants_asked(make: Any) -> bool:
    """Whether a class or function takes the `asked` argument."""
    try:
        wanted = inspect.signature(make).parameters.values()
    except (TypeError, ValueError):  # of a class written in C
        return False
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return any(
        one.kind in places and (one.name == "asked" or one.default is inspect.Parameter.empty)
        for one in wanted
    )


def _kind(found: Any) -> str:
    return found.__name__ if inspect.isclass(found) else type(found).__name__


def _why(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
