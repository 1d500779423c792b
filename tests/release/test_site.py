"""The built documentation (`make site`): every link leads somewhere, and nothing is loaded from elsewhere."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Iterator
from functools import cache, partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import pytest

import osler
from tests.release.conftest import ROOT

SITE: Final = ROOT / "build/site"
BROWSER: Final = shutil.which("chromium-headless-shell")
LOADS: Final = {"script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data"}
NOT_LOADED: Final = {"canonical", "prev", "next", "alternate"}
"""The relations of a `link` that a browser does not fetch."""


class Page(HTMLParser):
    """The links, the anchors and what a page loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links, self.ids, self.loads = list[str](), set[str](), list[str]()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag names."""
        given = dict(attrs)
        self.ids |= {value for name in ("id", "name") if (value := given.get(name))}
        if tag == "a" and (link := given.get("href")):
            self.links.append(link)
        if (name := LOADS.get(tag)) and (load := given.get(name)):
            self.loads.append(load)
        if tag == "link" and given.get("rel") not in NOT_LOADED:
            self.loads.append(given.get("href") or "")


@cache
def page(path: Path) -> Page:
    return Page(path.read_text("utf-8"))


def pages() -> list[Path]:
    found = sorted(SITE.rglob("*.html"))
    assert len(found) > 40, "run `make site`"
    return found


def test_every_link_and_anchor_of_every_page_is_there() -> None:
    broken = []
    for path in pages():
        if path.name == "404.html":  # whose links are for a server
            continue
        for link in {*page(path).links, *page(path).loads}:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "mailto", "data"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            there = target.is_file()
            if not there or (
                parts.fragment and target.suffix == ".html" and not _has(target, parts.fragment)
            ):
                broken.append(f"{path.relative_to(SITE)}: {link}")
    assert broken == []


def _has(path: Path, fragment: str) -> bool:
    return fragment == "__top" or unquote(fragment) in page(path).ids


def test_nothing_is_loaded_from_elsewhere() -> None:
    found = [
        f"{path.relative_to(SITE)}: {load}"
        for path in pages()
        for load in page(path).loads
        if urlsplit(load).scheme not in ("", "data") or load.startswith("//")
    ]
    for path in SITE.rglob("*.css"):
        found += re.findall(r"(?:url\(|@import )[\"']?(?:https?:)?//[^\"')]+", path.read_text("utf-8"))
    assert found == []


def test_every_public_name_is_described() -> None:
    listed = page(SITE / "reference/index.html").links
    anchors = {one.fragment for link in listed if (one := urlsplit(link)).path.endswith(".html")}
    assert {f"{place}.{name}" for name, place in osler._WHERE.items()} <= anchors


def test_every_guide_is_in_the_navigation() -> None:
    """Each page leads from the first one, by its links and theirs in the navigation."""
    guides = [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/adapters/*.md")]
    reached = {
        (path.parent / urlsplit(link).path).resolve()
        for path in (SITE / "index.html", SITE / "reference/index.html")
        for link in page(path).links
    }
    for path in sorted(reached):
        if path.suffix == ".html" and path.is_file():
            reached |= {(path.parent / urlsplit(link).path).resolve() for link in page(path).links}
    built = {guide: SITE / guide.relative_to(ROOT).with_suffix(".html") for guide in guides}
    missing = [
        guide.name for guide, there in built.items() if guide.name != "README.md" and there not in reached
    ]
    assert missing == []


class Quiet(SimpleHTTPRequestHandler):
    """A server that keeps no log."""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=SITE)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.mark.skipif(BROWSER is None, reason="chromium-headless-shell is not installed")
def test_a_browser_asks_nobody_else_and_finds_what_it_searches(address: str) -> None:
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - seldom installed

    asked, wrong = list[str](), list[str]()
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 390, "height": 844})
        tab.on("request", lambda request: asked.append(request.url))
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        for path in pages():
            tab.goto(address + path.relative_to(SITE).as_posix())
            width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            if tab.evaluate(width) > 0:
                wrong.append(f"{path.name} is wider than a phone")
        tab.goto(address)
        tab.set_viewport_size({"width": 1280, "height": 900})
        tab.get_by_role("button", name="Search").first.click()
        tab.keyboard.type("withdraw")
        tab.get_by_role("option").filter(has_text="Whose words").first.wait_for()
        browser.close()
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []
    assert wrong == []
