"""An episode as a page of its own, opened as a file while every network is away."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from osler.core.registry import protocol_named
from osler.runs import run as runs
from osler.store.store import open_store
from osler.web.watch.player import player_html
from tests.web_browser.accessibility import accessible, ends_with_its_content
from tests.web_browser.conftest import DESKTOP, NARROW, PHONE, Screen, Visits

_COLOURS = """canvas => {
    const {width, height} = canvas, data = canvas.getContext("2d").getImageData(0, 0, width, height).data;
    const found = new Set();
    for (let at = 0; at < data.length; at += 4 * 97)
        found.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2]);
    return found.size;
}"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The page of an episode of each protocol, with all views."""
    folder = tmp_path_factory.mktemp("player")
    with ThreadPoolExecutor(1) as hand:  # the browser's driver has a loop in this thread
        return hand.submit(written, folder).result()


def written(folder: Path) -> dict[str, Path]:
    """Play an episode of each protocol and write its page."""
    found = dict[str, Path]()
    with open_store(folder / "osler.db") as store:
        for protocol in ("consultation", "ward_round", "scenario"):
            config = protocol_named(protocol).config(limit=1)
            source = runs.opened(config)
            run = runs.play(runs.begin(config, store, source=source), store, source=source).run
            found[protocol] = folder / f"{protocol}.html"
            found[protocol].write_text(player_html(store, run, 0, "all").text, encoding="utf-8")
    return found


def opened(visit: Visits, file: Path, screen: Screen = DESKTOP, at: str = "", **more: Any) -> Page:
    """The page as somebody opens it who has no network."""
    page = visit("about:blank", screen, offline=True, **more)
    asked = list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"file://{file}{at}")
    expect(page.locator(".hospital canvas")).to_be_visible()
    assert [one for one in asked if not one.startswith(("data:", f"file://{file}"))] == []
    return page


def rows(page: Page) -> Locator:
    return page.get_by_role("list", name="What has happened so far").get_by_role("listitem")


def place(page: Page) -> Locator:
    return page.get_by_role("slider", name="Place in the encounter")


@pytest.mark.smoke
def test_it_scrubs_steps_and_shows_each_view_at_the_same_instant(
    visit: Visits, files: dict[str, Path]
) -> None:
    page = opened(visit, files["consultation"], PHONE)
    player = page.get_by_role("region", name="Player")
    expect(place(page)).to_have_value("0")  # it starts paused where less motion is wished
    eyes = page.get_by_role("radiogroup", name="Whose eyes")
    expect(eyes.get_by_role("radio")).to_have_text(
        ["Doctor's eyes", "Patient's eyes", "The room", "Everything"]
    )
    player.get_by_role("button", name="The next exchange").click()
    expect(page.locator(".log-row.here")).to_have_attribute("data-item", re.compile(r"^1\."))
    player.get_by_role("button", name="Next: Order").click()
    expect(page.get_by_text("Thinks of").first).to_be_attached()
    jumped = rows(page).count()
    eyes.get_by_role("radio", name="Patient's eyes").click()
    expect(page).to_have_url(re.compile(r"#.*view=patient"))
    expect(page.get_by_text("Thinks of")).to_have_count(0)
    assert 1 < rows(page).count() < jumped, "the patient was told less"
    place(page).fill(place(page).get_attribute("max") or "")
    expect(page.locator(".log-row.here")).to_contain_text("End")
    ends_with_its_content(page)


def test_it_plays_by_itself_and_a_refresh_returns_to_the_same_instant(
    visit: Visits, files: dict[str, Path]
) -> None:
    page = visit("about:blank", offline=True)
    page.emulate_media(reduced_motion="no-preference")
    page.goto(f"file://{files['consultation']}#view=room")
    player = page.get_by_role("region", name="Player")
    expect(page.locator(".h-bubble .h-words")).to_be_visible()
    player.get_by_role("button", name="Pause").click()
    expect(page).to_have_url(re.compile(r"#view=room&at=\d+\.\d+-\d+"))
    stood, lines = int(place(page).input_value()), rows(page).count()
    assert stood > 0
    page.reload()
    expect(rows(page)).to_have_count(lines)
    assert abs(int(place(page).input_value()) - stood) <= 1
    expect(page.get_by_role("radio", name="The room")).to_be_checked()
    page.evaluate("location.hash = 'view=all&at=9999.9'")  # as a link in a letter would
    expect(page.get_by_role("radio", name="Everything")).to_be_checked()
    expect(page.locator(".log-row.here")).to_contain_text("Ended")


@pytest.mark.parametrize("protocol", ["consultation", "ward_round", "scenario"])
def test_the_hospital_is_drawn_and_the_page_is_accessible(
    visit: Visits, files: dict[str, Path], protocol: str
) -> None:
    page = opened(visit, files[protocol], NARROW, "#view=all&at=4.1")
    assert page.locator(".hospital canvas").evaluate(_COLOURS) > 50
    accessible(page)
    page.get_by_role("tab", name="Notebook").click()
    page.get_by_role("button", name="Keys of this screen").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    accessible(page)


def test_what_needs_a_server_is_not_there_and_what_does_not_is(visit: Visits, files: dict[str, Path]) -> None:
    page = opened(visit, files["consultation"], at="#view=all&at=4.1")
    expect(page.get_by_role("link")).to_have_count(0)
    expect(page.get_by_role("button", name=re.compile("What if|seat|chair"))).to_have_count(0)
    page.locator(".h-person[data-who=patient]").click()
    menu = page.get_by_role("dialog", name="Patient")
    expect(menu.get_by_role("button", name="Take this seat")).to_have_count(0)
    menu.get_by_role("button", name="See through these eyes").click()
    expect(page.get_by_role("radio", name="Patient's eyes")).to_be_checked()
    page.get_by_role("radio", name="Everything").click()
    place(page).fill(place(page).get_attribute("max") or "")
    picture = page.locator(".log-picture img").first
    picture.scroll_into_view_if_needed()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    assert (picture.get_attribute("src") or "").startswith("data:image/")
