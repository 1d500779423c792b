"""Every relative link of every page leads to a file of the repository, and its anchor to a heading there.

An anchor must hold on a forge and on the site, which name headings by slightly different rules.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")})
_FENCED = re.compile(r"^( *)(```+|~~~+).*?^\1\2[ \t]*$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"(`+).+?\1")
_LINK = re.compile(r"\]\(<?([^)\s>]+)|^\[[^\]]+\]:\s+(\S+)|(?:src|href)=\"([^\"]+)\"", re.MULTILINE)
_HEADING = re.compile(r"^#{1,6} +(.+?)#*$", re.MULTILINE)
_TEXT = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_NAMED = re.compile(r"<\w[^>]*\b(?:id|name)=\"([^\"]+)\"")


@cache
def prose(page: Path) -> str:
    """A page without its code blocks."""
    return _FENCED.sub("", page.read_text("utf-8"))


def links(page: Path) -> Iterator[str]:
    """The relative links of a page, those of pictures too."""
    for found in _LINK.findall(_CODE.sub("", prose(page))):
        link = next(filter(None, found))
        if not urlsplit(link).scheme and not link.startswith("//"):
            yield link


def on_a_forge(heading: str) -> str:
    """The anchor of a heading on a forge: every space is a hyphen, and letters of any script stay."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def on_the_site(heading: str) -> str:
    """The anchor of a heading on the site: ASCII letters stay, and spaces and hyphens are one hyphen."""
    plain = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page that hold in both places; a repeated heading has one for its first alone."""
    headings = [_TEXT.sub(r"\1", one).replace("`", "").strip() for one in _HEADING.findall(prose(page))]
    both = Counter(map(on_the_site, headings)).keys() & Counter(map(on_a_forge, headings)).keys()
    return frozenset({*both, *_NAMED.findall(prose(page))})


def broken(page: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    result = []
    for link in links(page):
        parts = urlsplit(link)
        target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
        there = target.exists() and target.is_relative_to(ROOT)
        page_of = target / "README.md" if target.is_dir() else target
        anchored = (
            not parts.fragment or page_of.suffix != ".md" or unquote(parts.fragment) in anchors(page_of)
        )
        if not (there and anchored):
            result.append(link)
    return result


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_and_anchor_of_a_page_leads_somewhere(page: Path) -> None:
    assert broken(page) == []


def test_a_broken_link_and_a_broken_anchor_are_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    page, other = tmp_path / "page.md", tmp_path / "other.md"
    other.write_text("# Whose words\n## A `list` – of [two](x)\n```sh\n# no heading\n```\n")
    page.write_text(
        "[a](other.md#whose-words) [b](other.md#no-heading) [c](gone.md) [d](https://x.example/#y)\n"
        "`[e](gone-too.md)` [f](#here) ![g](gone.png) [h](other.md#a-list--of-two)\n"
    )
    assert broken(page) == ["other.md#no-heading", "gone.md", "#here", "gone.png", "other.md#a-list--of-two"]
