"""The pages of the commands: each with its arguments and options, by group, as `--help-all` prints them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import typer

from docs.site.markdown import cell, code, page, table
from osler.cli.grouped_help import group_of_option
from osler.cli.lazy_commands import Later
from osler.cli.main import app
from osler.core.option import GROUPS

NAME: Final = "osler"
Row = tuple[str, str]
_FEW: Final = 6
_BOUND: Final = re.compile(r"\s*\[((?:default: |required|env var)[^\[\]]*|[^\[\]]*x[<>]=?[^\[\]]*)\]")


def commands() -> dict[str, str]:
    """The pages by file name: the list of all commands, and a page for each."""
    program: Any = typer.main.get_command(app)
    pages = {"commands/index.md": _listed(program)}
    there = dict[tuple[Any, ...], str]()
    for name in program.commands:
        pages[f"commands/{name}.md"] = _page(f"{NAME} {name}", _real(program.commands[name]), there)
    return pages


def _listed(program: Any) -> str:
    rows = [
        (f"[`{NAME} {name}`]({name}.md)", cell(one.short_help or one.help or ""))
        for name, one in program.commands.items()
    ]
    about = "Each page holds what the command prints with `--help-all`. Every command has `--help`."
    own = [row for inside in _groups(NAME, program).values() for row in inside]
    before = "Before the name of a command, as in `osler --log-level info consult`:"
    options = table(("option", "meaning"), own)
    return page("# Commands", about, table(("command", "use"), rows), before, options)


def _real(command: Any) -> Any:
    return command.imported() if isinstance(command, Later) else command


def all_commands(words: str, command: Any) -> Iterator[tuple[str, Any]]:
    """A command and, of a group, those inside it."""
    yield words, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from all_commands(f"{words} {name}", _real(inner))


def _page(words: str, command: Any, there: dict[tuple[Any, ...], str]) -> str:
    result = list[str]()
    for inner, one in all_commands(words, command):
        result.append(f"{'#' if inner == words else '##'} {inner}")
        about = str(one.help or one.short_help or "").replace("\f", "").strip()
        result.append(cell(about))
        groups = _groups(inner, one)
        known = tuple((name, *rows) for name, rows in groups.items())
        if known in there and sum(map(len, groups.values())) > _FEW:
            first = there[known]
            name = first.split()[1]
            link = f"{name}.md" + (f"#{first.replace(' ', '-')}" if first.count(" ") > 1 else "")
            result.append(f"It has the arguments and options of [`{first}`]({link}).")
            continue
        there.setdefault(known, inner)
        for name, rows in groups.items():
            head = "argument" if name == "arguments" else "option"
            result += [f"**{name.capitalize()}**", table((head, "meaning"), rows)]
    return page(*result)


def _groups(words: str, command: Any) -> dict[str, list[Row]]:
    """The arguments and options of a command by group, each as Markdown."""
    context = typer.Context(command, info_name=words)
    groups: dict[str, list[Row]] = {"arguments": [], **{group: [] for group in GROUPS}}
    for one in command.get_params(context):
        record = one.get_help_record(context)
        if record is None or one.name == "help":
            continue
        written, about = record
        group = "arguments" if one.param_type_name == "argument" else group_of_option(one)
        groups.setdefault(group, []).append((code(written), cell(_with_bounds(about))))
    return {name: rows for name, rows in groups.items() if rows}


def _with_bounds(about: str) -> str:
    """The help of an option, and its default and its bounds as sentences."""
    text = _BOUND.sub("", about).strip()
    bounds = [_said(one) for one in _BOUND.findall(about) if one != "required"]
    end = "." if bounds and text and not text.endswith((".", "!")) else ""
    return " ".join([f"{text}{end}", *bounds])


def _said(bound: str) -> str:
    """A default or a bound, such as `1<=x<=5`, as a sentence."""
    words = bound.replace("x>=", "at least ").replace("x<=", "at most ").replace("<=at most ", " to ")
    return f"{words[:1].upper()}{words[1:]}."
