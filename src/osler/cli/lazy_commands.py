"""Lazily imported commands: each is imported when called, so that `osler --help` answers at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

RENAMED: Final = {"--max-tokens": "--token-budget"}
"""Options by their earlier names, which still work."""
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


def _renamed(args: list[str]) -> list[str]:
    """The arguments with options under their present names; an earlier name is remarked on."""
    found = list[str]()
    for at, one in enumerate(args):
        if one == "--":
            return found + args[at:]
        name, sign, value = one.partition("=")
        if now := RENAMED.get(name):
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
            name, command, rest = super().resolve_command(ctx, _renamed(args))
            return name, command.imported() if isinstance(command, Later) else command, rest

    app = typer.Typer(cls=Group, help=about, **PLAIN)
    app.callback(help=about)(begin)
    return app
