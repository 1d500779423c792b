"""The transcript player as a file of its own, opened without any server."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import expect

from osler.core.registry import protocol_named
from osler.runs import run as runs
from osler.store.store import open_store
from osler.web.watch.player import player_html
from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import PHONE, Visits


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    page = tmp_path_factory.mktemp("player") / "episode.html"
    with ThreadPoolExecutor(1) as hand:  # the browser's driver has a loop in this thread
        hand.submit(write, page).result()
    return page


def write(page: Path) -> None:
    """Play a consultation and write its player, with all views."""
    with open_store(page.with_name("osler.db")) as store:
        config = protocol_named("consultation").config(limit=1)
        source = runs.opened(config)
        run = runs.play(runs.begin(config, store, source=source), store, source=source).run
        page.write_text(player_html(store, run, 0, "all").text)


def test_it_steps_jumps_changes_views_and_plays_to_the_end(visit: Visits, file: Path) -> None:
    page = visit(f"file://{file}", PHONE)
    items = page.locator("#log > li:visible")
    expect(items).to_have_count(1)
    page.get_by_role("button", name="Next").click()
    expect(items).to_have_count(2)
    page.get_by_role("button", name="Back").click()
    expect(items).to_have_count(1)
    page.get_by_label("Moments").select_option(index=3)
    jumped = items.count()
    assert jumped > 2
    expect(page.locator("#log > li.now")).to_have_count(1)
    page.get_by_label("Seen by").select_option("patient")
    assert items.count() < jumped, "the patient was told less"
    page.get_by_label("Seen by").select_option("all")
    page.get_by_label("Speed").select_option("16 times")
    page.get_by_role("button", name="Show all").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    accessible(page)
    page.keyboard.press("Tab")
    expect(page.locator("#log img").first).to_be_visible()
