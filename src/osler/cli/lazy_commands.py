"""Lazily imported commands: each is imported when called, so that `osler --help` answers at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pkgutil import resolve_name
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from osler.cli.grouped_help import GroupedCommand
from osler.errors import OslerError

Listed = tuple[str | Callable[[], Any], str]
"""A command in a list: its place ("module:name") or what makes it, and one line of help."""
PLAIN: dict[str, Any] = {
    "add_completion": False,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
    "no_args_is_help": True,
}


class Later(TyperCommand):
    """A placeholder for the command or group at `where` ("module:name"), or that it makes, until called."""

    def __init__(self, name: str, where: str | Callable[[], Any], about: str) -> None:
        super().__init__(name, short_help=about)
        self.where = where

    def imported(self) -> Any:
        """Import and return the real command."""
        result: Callable[..., None] | typer.Typer = (
            resolve_name(self.where) if isinstance(self.where, str) else self.where()
        )
        held = typer.Typer(**PLAIN)
        held.callback()(lambda: None)
        if isinstance(result, typer.Typer):
            held.add_typer(result, name=self.name)
        else:
            held.command(self.name, cls=GroupedCommand)(result)
        group = get_command(held)
        assert isinstance(group, TyperGroup)
        return group.commands[self.name or ""]


def playing(protocol: str, about: str) -> Callable[[], Any]:
    """Return a maker of the command that plays a protocol; the command's help begins with `about`."""
    return lambda: resolve_name("osler.cli.encounters:plays")(protocol, about)


def group_of(
    commands: Mapping[str, Listed] | Callable[[], Mapping[str, Listed]],
    about: str,
    begin: Callable[..., None] = lambda: None,
    *,
    named: str = "command",
) -> typer.Typer:
    """A group of lazy commands by name, or a function that lists them; `begin` is called before each, with
    the group's own options. `named` is the word for a command."""

    class Group(TyperGroup):
        """A command group that lists its commands without importing them."""

        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            each = commands() if callable(commands) else commands
            self.commands = {name: Later(name, *told) for name, told in each.items()}

        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            """Resolve the command being called; only now is it imported."""
            if named != "command" and args and args[0] not in self.commands:
                ctx.fail(f"There is no {named} {args[0]!r}; known: {', '.join(self.commands)}.")
            name, command, rest = super().resolve_command(ctx, args)
            try:
                result = command.imported() if isinstance(command, Later) else command
            except OslerError as error:  # of a package that cannot be imported
                typer.echo(f"osler: {error}", err=True)
                raise typer.Exit(1) from None
            return name, result, rest

    app = typer.Typer(cls=Group, help=about, **PLAIN)
    app.callback(help=about)(begin)
    return app
