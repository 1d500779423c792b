"""Lazily imported commands: each is imported when called, so that `osler --help` answers at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

RENAMED: Final = {"--max-tokens": "--token-budget"}
"""Options by their earlier names, which still work where a command has no option of that name."""
PLAIN: dict[str, Any] = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
    "no_args_is_help": True,
}


class Later(TyperCommand):
    """A placeholder for the command or group at `where` ("module:name") until it is called."""

    def __init__(self, name: str, where: str, about: str) -> None:
        super().__init__(name, short_help=about)
        self.where = where

    def imported(self) -> Any:
        """Import and return the real command."""
        module, _, attribute = self.where.partition(":")
        found: Callable[..., None] | typer.Typer = getattr(import_module(module), attribute)
        held = typer.Typer(**PLAIN)
        held.callback()(lambda: None)
        if isinstance(found, typer.Typer):
            held.add_typer(found, name=self.name)
        else:
            held.command(self.name)(found)
        group = get_command(held)
        assert isinstance(group, TyperGroup)
        return group.commands[self.name or ""]


def _options(command: Any, args: list[str]) -> frozenset[str]:
    """The options of the command that is called, within groups."""
    if args and (inner := getattr(command, "commands", {}).get(args[0])) is not None:
        return _options(inner.imported() if isinstance(inner, Later) else inner, args[1:])
    return frozenset(option for one in command.params for option in (*one.opts, *one.secondary_opts))


def _renamed(args: list[str], own: frozenset[str]) -> list[str]:
    """The arguments with options under their present names; an earlier name is remarked on, unless it is one
    of the command's `own` options."""
    found = list[str]()
    for at, one in enumerate(args):
        if one == "--":
            return found + args[at:]
        name, sign, value = one.partition("=")
        now = None if name in own else RENAMED.get(name)
        if now:
            typer.echo(f"osler: warning: {name} is now called {now}", err=True)
        found.append(f"{now or name}{sign}{value}")
    return found


def group_of(
    commands: Mapping[str, tuple[str, str]], about: str, begin: Callable[..., None] = lambda: None
) -> typer.Typer:
    """A group of lazy commands by name, each given as its place ("module:name") and one line of help; `begin`
    is called before each, with the group's own options."""

    class Group(TyperGroup):
        """A command group that lists its commands without importing them."""

        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            self.commands = {name: Later(name, *told) for name, told in commands.items()}

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            """Resolve the command being called; only now is it imported."""
            name, command, rest = super().resolve_command(ctx, args)
            found = command.imported() if isinstance(command, Later) else command
            if any(one.partition("=")[0] in RENAMED for one in rest):
                rest = _renamed(rest, _options(found, rest))
            return name, found, rest

    app = typer.Typer(cls=Group, help=about, **PLAIN)
    app.callback(help=about)(begin)
    return app
