"""Commands whose help shows options by group, and of many options those that people need first.

An option's panel is "GROUP", or "GROUP, more" for one that only `--help-all` shows; see `panel`.
"""

from __future__ import annotations

from typing import Any, Final

import typer
from typer.core import TyperCommand, TyperOption

from osler.core.option import GROUPS, Group

MANY: Final = 20
"""A command with more options than this shows the first ones alone."""
_MORE: Final = ", more"
_OTHERS: Final = "options"
_ALL: Final = "--help-all"


def panel(group: Group, *, first: bool = False) -> str:
    """The panel of an option (`typer.Option(rich_help_panel=...)`)."""
    return group if first else f"{group}{_MORE}"


def group_of_option(option: Any) -> str:
    """The group of an option, whether it is among the first ones or not."""
    return (getattr(option, "rich_help_panel", None) or _OTHERS).removesuffix(_MORE)


class GroupedCommand(TyperCommand):
    """A command whose help shows its options by group."""

    def __init__(self, name: str | None, **given: Any) -> None:
        super().__init__(name, **given)
        self._count = sum(isinstance(one, TyperOption) and not one.hidden for one in self.params)
        self._whole = self._count <= MANY

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; with `--help-all`, print the whole help and exit."""
        if not self._whole and _ALL in args:
            self._whole = True
            typer.echo(ctx.get_help())
            ctx.exit()
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, each group in a section of its own."""
        sections: dict[str, list[tuple[str, str]]] = {"arguments": [], **{group: [] for group in GROUPS}}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            later = (getattr(param, "rich_help_panel", None) or "").endswith(_MORE)
            if record is None or (later and not self._whole):
                continue
            group = "arguments" if param.param_type_name == "argument" else group_of_option(param)
            sections.setdefault(group, []).append(record)
        if not self._whole:
            sections.setdefault(_OTHERS, []).append((_ALL, f"Show all {self._count} options."))
        for name, records in sections.items():
            if records:
                with formatter.section(name.capitalize()):
                    formatter.write_dl(records)
