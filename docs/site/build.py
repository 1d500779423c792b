"""Build the documentation site: guides, the commands, and the reference of the docstrings. Needs no network.

`python docs/site/build.py` writes `build/site`. The pages stand in `build/site-source/pages` as they stand in
the repository, so that their links are the same there and on a forge; a file that they link to is laid beside
them.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import typer
import yaml

import osler
from osler.cli.lazy_commands import Later
from osler.cli.main import app

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
SOURCE: Final = ROOT / "build/site-source"
PAGES: Final = SOURCE / "pages"
SITE: Final = ROOT / "build/site"
GUIDES: Final = ("*.md", "docs/**/*.md", "benchmarks/*.md")
LOOKS: Final = ("docs/site/site.css", "docs/site/mark.svg")
_LINK: Final = re.compile(r"\]\((?!\w+:)([^)#\s]+)")
_GROUP: Final = re.compile(r"^    (\S.*?)\s{2,}(\S.*)$", re.MULTILINE)


def main() -> int:
    """Lay out the pages and build them; the exit code of the builder, for which a warning is an error."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    for path in guides():
        _lay(path)
    described = {f"reference/{name}": text for name, text in reference().items()}
    for name, text in described.items():
        _write(PAGES / name, text)
    config = yaml.safe_load((HERE / "mkdocs.yml").read_text("utf-8"))
    config["nav"] = [*filled(config["nav"]), {"Reference": [*described]}]
    _write(SOURCE / "mkdocs.yml", yaml.safe_dump(config, sort_keys=False))
    words = [sys.executable, "-m", "zensical", "build", "--strict", "-f", "mkdocs.yml"]
    if failed := subprocess.run(words, cwd=SOURCE, check=False).returncode:
        return failed
    shutil.rmtree(SITE, ignore_errors=True)
    (SOURCE / "site").rename(SITE)
    return 0


def guides() -> list[Path]:
    """The pages of the repository."""
    return sorted({path for pattern in GUIDES for path in ROOT.glob(pattern)})


def _lay(page: Path) -> None:
    """Copy a page and the files of the repository that it links to, each to the same place as there."""
    text = page.read_text("utf-8")
    _write(PAGES / page.relative_to(ROOT), text)
    wanted = [(page.parent / link).resolve() for link in _LINK.findall(text)]
    for path in (*wanted, *(ROOT / name for name in LOOKS)):
        if path.is_file() and path.suffix != ".md" and path.is_relative_to(ROOT):
            there = PAGES / path.relative_to(ROOT)
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, there)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def filled(nav: list[Any]) -> list[Any]:
    """The navigation, with the pages that a pattern finds and that stand nowhere else in its place."""
    named = {one for one in _leaves(nav) if "*" not in one}

    def each(entry: Any) -> Any:
        if isinstance(entry, dict):
            [(title, inside)] = entry.items()
            if isinstance(inside, str) and "*" in inside:
                found = sorted(path.relative_to(PAGES).as_posix() for path in PAGES.glob(inside))
                inside = sorted((one for one in found if one not in named), key=_index_first)
            elif isinstance(inside, list):
                inside = [one for one in map(each, inside) if one]
            return {title: inside} if inside else None
        return entry

    return [one for one in map(each, nav) if one]  # a pattern that finds nothing leaves no entry


def _index_first(page: str) -> tuple[bool, str]:
    return not page.endswith(("README.md", "index.md")), page


def _leaves(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    for one in entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ():
        yield from _leaves(one)


def reference() -> dict[str, str]:
    """The pages of the reference by file name."""
    pages = {"index.md": _public(), "commands.md": _commands()}
    chosen: dict[str, list[str]] = yaml.safe_load((HERE / "reference.yml").read_text("utf-8"))
    for title, modules in chosen.items():
        name = title.lower().replace(" ", "-") + ".md"
        pages[name] = f"# {title}\n\n" + "\n\n".join(_module(one) for one in modules) + "\n"
    return pages


def _module(name: str) -> str:
    return f"::: {name}\n    options:\n      show_root_full_path: true\n"


def _public() -> str:
    """The names of `import osler`, in the groups of its docstring, each with a link to its description."""
    groups = dict[str, list[str]]()
    for names, about in _GROUP.findall(osler.__doc__ or ""):
        groups.setdefault(about.strip(". "), []).extend(names.split(", "))
    groups["types that these give and take"] = sorted(
        set(osler.__all__) - {one for names in groups.values() for one in names}
    )
    lines = ["# import osler", "", (osler.__doc__ or "").partition("\n")[0]]
    for about, names in groups.items():
        lines += ["", f"## {about[0].upper()}{about[1:]}", "", "| name | |", "| --- | --- |"]
        lines += [
            f"| [`osler.{name}`][{osler._WHERE[name]}.{name}] | {_first_line(name)} |" for name in names
        ]
    return "\n".join(lines) + "\n"


def _first_line(name: str) -> str:
    found = getattr(osler, name)
    about = found.__doc__ if callable(found) and getattr(found, "__module__", "").startswith("osler") else ""
    return _plain((about or "").strip().partition("\n")[0].replace("`", ""))


def _commands() -> str:
    """Every command of `osler`, with its arguments and options."""
    lines = ["# Commands", "", "What `osler --help` says, in one page."]
    for words, command in _all_commands("osler", typer.main.get_command(app)):
        about = str(command.help or command.short_help or "").replace("\f", "").strip()
        lines += ["", f"{'##' if words.count(' ') < 2 else '###'} {words}", "", _plain(about), ""]
        rows = [row for one in command.params if not one.hidden for row in [_row(one)] if row]
        if rows:
            lines += ["| argument or option | meaning |", "| --- | --- |", *rows]
    return "\n".join(lines) + "\n"


def _all_commands(words: str, command: Any) -> Iterable[tuple[str, Any]]:
    inner = getattr(command, "commands", {})
    if words != "osler":
        yield words, command
    for name in inner:
        found = inner[name]
        yield from _all_commands(f"{words} {name}", found.imported() if isinstance(found, Later) else found)


def _row(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        name = parameter.metavar or str(parameter.name).upper()
    else:
        name = ", ".join((*parameter.opts, *parameter.secondary_opts))
    about = " ".join((parameter.help or "").split())
    return "" if name == "--help" else f"| `{name}` | {_plain(about)} |"


def _plain(text: str) -> str:
    """Text of a help, with what Markdown or HTML would take for its own."""
    return re.sub(r"([\\<>*_|#\[\]])", r"\\\1", text)


if __name__ == "__main__":
    sys.exit(main())
