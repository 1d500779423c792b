"""Lazily imported commands: each is imported when called, so that `osler --help` answers at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import takewhile
from pkgutil import resolve_name
from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from osler.cli.grouped_help import GroupedCommand
from osler.errors import OslerError

Listed = tuple[str | Callable[[], Any], str]
"""A command in a list: its place ("module:name") or what makes it, and one line of help."""
RENAMED: Final = {
    "--drafts": "--max-drafts",
    "--extra": "--request",
    "--format-arm": "--arm",
    "--max-tokens": "--token-budget",
    "--rounds": "--max-rounds",
    "--set": "--request",
    "--turns": "--max-turns",
}
"""Options by their earlier names: refused where a command has the option by its present name alone."""
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


def _options(command: Any, args: list[str]) -> frozenset[str]:
    """The options of the command that is called, within groups."""
    if args and (inner := getattr(command, "commands", {}).get(args[0])) is not None:
        return _options(inner.imported() if isinstance(inner, Later) else inner, args[1:])
    return frozenset(option for one in command.params for option in (*one.opts, *one.secondary_opts))


def _earlier(args: list[str], own: frozenset[str]) -> str:
    """The first option by its earlier name, unless that is one of the command's `own`, in words; or ""."""
    names = (one.partition("=")[0] for one in takewhile("--".__ne__, args))
    result = (name for name in names if name not in own and RENAMED.get(name) in own)
    return next((f"{name} is now {RENAMED[name]}." for name in result), "")


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
            given = {one.partition("=")[0] for one in rest}
            if given & RENAMED.keys() and (words := _earlier(rest, _options(result, rest))):
                ctx.fail(words)
            return name, result, rest

    app = typer.Typer(cls=Group, help=about, **PLAIN)
    app.callback(help=about)(begin)
    return app
