"""`llms.txt`: the pages of the site as a list for language models; `llms-full.txt`: all their Markdown.

See https://llmstxt.org: a title, a summary, and sections of links, each with a line on the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from docs.site.markdown import sentences

Read = Callable[[str], str]
"""A page's Markdown by its name in the navigation."""
_APART: Final = re.compile(r"<!--.*?-->|^```.*?^```[^\n]*$|^    \S[^\n]*$", re.DOTALL | re.MULTILINE)
_SAYS_LITTLE: Final = re.compile(r"For education and research only|(?:\S+ ){0,2}\S+$")
_PROSE: Final = re.compile(r"[A-Za-z`\"*\[(]")


def index(nav: list[Any], read: Read) -> str:
    """The list of the pages of a navigation: of its first page the summary, of each other one its link."""
    (_, first), *sections = _sections(nav)
    home = read(first[0])
    lines = [f"# {title(home)}", "", f"> {summary(home)}"]
    for name, pages in sections:
        lines += ["", f"## {name}", ""]
        lines += [f"- [{title(read(one))}]({_there(one, read)}): {summary(read(one))}" for one in pages]
    return "\n".join(lines) + "\n"


def whole(nav: list[Any], read: Read) -> str:
    """The Markdown of all pages of a navigation, one after the other, but for those made of docstrings."""
    pages = [one for _, inside in _sections(nav) for one in inside]
    return "\n\n".join(f"<!-- {one} -->\n{read(one).strip()}" for one in pages if not _made(read(one))) + "\n"


def title(page: str) -> str:
    """The title of a page."""
    found = re.search(r"^#+ (.+)$", _APART.sub("", page), re.MULTILINE)
    return _plain(found[1]) if found else ""


def summary(page: str) -> str:
    """The first sentence of a page's first paragraph; of a page of docstrings, the modules that it is on."""
    if modules := re.findall(r"^::: (\S+)", page, re.MULTILINE):
        return f"The docstrings of {', '.join(f'`{one}`' for one in modules)}."
    for block in re.split(r"\n[ \t]*\n|^#.*$", _APART.sub("", page), flags=re.MULTILINE):
        text = block.strip()
        if not _PROSE.match(text) or text.startswith("[!["):
            continue
        if words := next((one for one in sentences(_plain(text)) if not _SAYS_LITTLE.match(one)), ""):
            return words
    return ""


def _plain(text: str) -> str:
    """Text without links and emphasis, on one line."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return " ".join(re.sub(r"\*\*|\\(?=[_*<>|\[\]])", "", text).split())


def _made(page: str) -> bool:
    return "\n::: " in page


def _there(page: str, read: Read) -> str:
    return page.removesuffix(".md") + ".html" if _made(read(page)) else page


def _sections(nav: list[Any], within: str = "") -> Iterator[tuple[str, list[str]]]:
    """The sections of a navigation in order, those inside others after them, each with its own pages."""
    for entry in nav:
        [(name, inside)] = entry.items() if isinstance(entry, dict) else [("", entry)]
        named = f"{within}: {name}" if within else name
        pages = [inside] if isinstance(inside, str) else [one for one in inside if isinstance(one, str)]
        if pages:
            yield named, pages
        if isinstance(inside, list):
            yield from _sections([one for one in inside if isinstance(one, dict)], named)
