"""Build the documentation site: guides, and a reference of what the code knows. Needs no network.

`python -m docs.site.build` writes `build/site`. The pages stand in `build/site-source/pages` as they stand in
the repository, so that their links are the same there and on a forge; a file that they link to is laid beside
them. The pages stand in the site as Markdown, too, listed in `llms.txt`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import yaml

from docs.site.api import api
from docs.site.catalogue import catalogue
from docs.site.commands import commands
from docs.site.configuration import configuration
from docs.site.llms import index, whole
from docs.site.training import training

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
SOURCE: Final = ROOT / "build/site-source"
PAGES: Final = SOURCE / "pages"
SITE: Final = ROOT / "build/site"
GUIDES: Final = ("*.md", "docs/**/*.md", "benchmarks/*.md")
REFERENCE: Final = "reference"
LOOKS: Final = ("docs/site/site.css", "docs/site/mark.svg")
_LINK: Final = re.compile(r"\]\((?!\w+:)([^)#\s]+)")


def main() -> int:
    """Lay out the pages and build them; the exit code of the builder, for which a warning is an error."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    for path in guides():
        _lay(path)
    described = reference()
    for name, text in described.items():
        _write(PAGES / REFERENCE / name, text)
    config = yaml.safe_load((HERE / "mkdocs.yml").read_text("utf-8"))
    config["nav"] = [*filled(config["nav"]), {"Reference": _nav(described)}]
    _write(SOURCE / "mkdocs.yml", yaml.safe_dump(config, sort_keys=False))
    words = [sys.executable, "-m", "zensical", "build", "--strict", "-f", "mkdocs.yml"]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}  # where the extension of the docstrings is
    if failed := subprocess.run(words, cwd=SOURCE, env=environ, check=False).returncode:
        return failed
    shutil.rmtree(SITE, ignore_errors=True)
    (SOURCE / "site").rename(SITE)
    _lay_markdown(config["nav"])
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
    settings = {"configuration.md": configuration(), "training-settings.md": training()}
    pages = {"index.md": api(), **settings, **catalogue(), **commands()}
    chosen: dict[str, list[str]] = yaml.safe_load((HERE / "reference.yml").read_text("utf-8"))
    for title, modules in chosen.items():
        name = f"modules/{title.lower().replace(' ', '-')}.md"
        pages[name] = f"# {title}\n\n" + "\n\n".join(_module(one) for one in modules) + "\n"
    return pages


def _module(name: str) -> str:
    return f"::: {name}\n    options:\n      show_root_full_path: true\n"


def _nav(pages: Iterable[str]) -> list[Any]:
    """The navigation of the reference: its pages, the commands, and the modules."""
    listed = [f"{REFERENCE}/{name}" for name in pages]
    folders = {folder: [one for one in listed if f"/{folder}/" in one] for folder in ("commands", "modules")}
    plain = [one for one in listed if not any(one in inside for inside in folders.values())]
    return [*plain, *({folder.capitalize(): inside} for folder, inside in folders.items())]


def _lay_markdown(nav: list[Any]) -> None:
    """Lay the Markdown of every page beside it, and the lists of them for language models."""
    for path in PAGES.rglob("*.md"):
        if path.read_text("utf-8").find("\n::: ") < 0:
            there = SITE / path.relative_to(PAGES)
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, there)
    read = partial(Path.read_text, encoding="utf-8")
    _write(SITE / "llms.txt", index(nav, lambda name: read(PAGES / name)))
    _write(SITE / "llms-full.txt", whole(nav, lambda name: read(PAGES / name)))


if __name__ == "__main__":
    sys.exit(main())
