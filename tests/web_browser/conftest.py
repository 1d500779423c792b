"""A browser that watches itself: whatever goes wrong in a page fails its test, and nothing leaves here.

    def test_the_door_opens(visit: Visits, served: str) -> None:
        page = visit(served + "/", PHONE)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        accessible(page)

`page.wait_for_function` evaluates text, which our content policy forbids: use locators and `expect`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    expect,
    sync_playwright,
)

from osler.core.source import Source
from osler.store.store import open_store
from osler.web.house import House
from tests.web.conftest import serving

NAMES: Final = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SHELL: Final = os.environ.get("OSLER_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)
PATIENCE_MS: Final = 60_000
"""How long a page may take on a machine that has much else to do."""


class Screen(NamedTuple):
    """A size of screen, and whether it is touched."""

    width: int
    height: int
    touched: bool = False


DESKTOP: Final = Screen(1440, 900)
PHONE: Final = Screen(390, 844, touched=True)
NARROW: Final = Screen(320, 640, touched=True)


class Visits:
    """Open pages, each in a browser profile of its own, so that two of them are two people."""

    def __init__(self, browser: Browser) -> None:
        self._browser, self._contexts = browser, list[BrowserContext]()
        self.trouble = list[str]()
        self._expected = list[str]()

    def __call__(self, address: str, screen: Screen = DESKTOP, *, scheme: Any = "light", **more: Any) -> Page:
        """A new person's page at this address."""
        context = self._browser.new_context(
            viewport={"width": screen.width, "height": screen.height},
            has_touch=screen.touched,
            is_mobile=screen.touched,
            color_scheme=scheme,
            reduced_motion="reduce",
            **more,
        )
        context.set_default_timeout(PATIENCE_MS)
        self._contexts.append(context)
        context.on("page", self._watch)
        page = context.new_page()
        page.goto(address)
        return page

    def expect_trouble(self, part: str) -> None:
        """Let a message of the console pass that holds these words, such as "409"."""
        self._expected.append(part)

    def close(self) -> None:
        """Close every page, and fail if anything went wrong in one. A test that stops its own server closes
        its pages first."""
        while self._contexts:
            self._contexts.pop().close()
        wrong = [one for one in self.trouble if not any(part in one for part in self._expected)]
        assert not wrong, "\n".join(wrong)

    def _watch(self, page: Page) -> None:
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.trouble.append(f"an exception in the page: {error}"))
        page.on("request", self._asked)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            self.trouble.append(f"{message.type} at {message.location.get('url')}: {message.text}")

    def _asked(self, request: Request) -> None:
        address = urlsplit(request.url)
        within = address.scheme in ("blob", "data", "file")
        if not within and address.hostname not in ("127.0.0.1", "localhost"):
            self.trouble.append(f"something was fetched from elsewhere: {request.url}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium without a window, which finds no name but this machine's."""
    if SHELL is None:
        pytest.skip("no chromium is installed (Debian: apt install chromium-headless-shell)")
    arguments = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--no-sandbox")
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=SHELL, args=arguments)
        yield started
        started.close()


@pytest.fixture
def visit(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Visits]:
    """Opens pages."""
    if "served" in request.fixturenames:
        request.getfixturevalue("served")  # first, so that pages are closed before their server stops
    visits = Visits(browser)
    yield visits
    visits.close()


@pytest.fixture(scope="session")
def sources() -> dict[tuple[str, str], Source[Any]]:
    """The cases that were read, shared by all houses of a session."""
    return {}


@pytest.fixture
def house(tmp_path: Path, sources: dict[tuple[str, str], Source[Any]]) -> Iterator[House]:
    """A house over an empty store."""
    with open_store(tmp_path / "osler.db") as store:
        yield House(store, _sources=sources)


@pytest.fixture
def served(house: House) -> Iterator[str]:
    """The address of a real server over `house`, without a slash at the end."""
    with serving(house) as address:
        yield address
