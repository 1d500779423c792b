"""The transcript player in a browser: scrubbing, stepping, and views that hold only what they may."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import Page, Response, expect

from osler.core.registry import protocol_named
from osler.runs import run as runs
from osler.store.store import open_store
from osler.web.house import House
from tests.web.conftest import serving
from tests.web_browser.accessibility import accessible, ends_with_its_content
from tests.web_browser.conftest import NARROW, PHONE, Screen, Visits


@pytest.fixture(scope="module")
def episode(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address at which one stored consultation is watched."""
    where = tmp_path_factory.mktemp("watch") / "osler.db"
    with open_store(where) as store, serving(House(store)) as address:
        config = protocol_named("consultation").config(limit=1)
        source = runs.opened(config)
        begun = runs.begin(config, store, source=source)
        with ThreadPoolExecutor(1) as other:  # the browser's driver has the loop of this thread
            run = other.submit(runs.play, begun, store, source=source).result().run
        yield f"{address}/watch/{run.name}/0"


def shown(page: Page) -> int:
    return page.get_by_role("list", name="What has happened so far").get_by_role("listitem").count()


@pytest.mark.smoke
def test_a_viewer_scrubs_steps_and_jumps_and_the_instant_stands_in_the_address(
    visit: Visits, episode: str
) -> None:
    page = visit(f"{episode}?view=all", PHONE)
    player = page.get_by_role("region", name="Player")
    place = player.get_by_role("slider", name="Place in the encounter")
    expect(place).to_have_value("0")  # it starts paused where less motion is wished
    accessible(page)

    player.get_by_role("button", name="Next: Order").click()
    expect(page.get_by_text("Order", exact=True).first).to_be_visible()
    here = shown(page)
    assert here > 1
    expect(page).to_have_url(re.compile(r"at=\d+\.\d+"))
    page.reload()
    expect(page.get_by_role("list", name="What has happened so far").get_by_role("listitem")).to_have_count(
        here
    )

    player.get_by_role("button", name="The next exchange").click()
    assert shown(page) > here
    place.fill(place.get_attribute("max") or "")
    expect(place).to_have_attribute("aria-valuetext", re.compile(r"exchange (\d+) of \1$"))
    expect(player.get_by_role("button", name="Next: Order")).to_be_disabled()


@pytest.mark.parametrize("screen", [PHONE, NARROW], ids=["phone", "narrow"])
def test_a_long_log_scrolls_in_its_box_and_the_page_ends_with_its_content(
    visit: Visits, episode: str, screen: Screen
) -> None:
    page = visit(f"{episode}?view=all&at=999.9", screen)
    expect(page.locator(".log-row.here")).to_contain_text("Ended")
    ends_with_its_content(page)


def test_it_plays_at_the_speed_one_chooses_and_by_keys(visit: Visits, episode: str) -> None:
    page = visit(f"{episode}?view=room")
    place = page.get_by_role("slider", name="Place in the encounter")
    expect(place).to_have_value("0")
    rows = page.get_by_role("list", name="What has happened so far").get_by_role("listitem")
    expect(rows).to_have_count(1)
    page.keyboard.press("ArrowRight")
    expect(rows).to_have_count(2)
    expect(place).not_to_have_value("0")
    page.keyboard.press("ArrowLeft")
    expect(place).to_have_value("0")
    page.get_by_role("combobox", name="Speed").select_option("instant")
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("Space")
    expect(place).to_have_value(place.get_attribute("max") or "")


def test_each_kind_of_mark_is_jumped_to_by_button_and_key_also_in_a_seats_own_eyes(
    visit: Visits, episode: str
) -> None:
    page = visit(f"{episode}?view=doctor")
    here = page.locator(".log-row.here")
    player = page.get_by_role("region", name="Player")
    for name, key in (("Order", "o"), ("Evidence", "e"), ("Thought", "t"), ("End", "d")):
        page.get_by_role("slider").fill("0")
        player.get_by_role("button", name=f"Next: {name}").click()
        expect(here.locator(".log-mark")).to_have_text(name)
        by_button = here.get_attribute("data-item")
        page.get_by_role("slider").fill("0")
        page.get_by_role("heading", level=1).click()
        page.keyboard.press(key)
        expect(here).to_have_attribute("data-item", by_button or "")
    expect(here).to_contain_text("Concludes")


def test_a_view_is_made_by_the_server_and_holds_only_what_that_seat_was_told(
    visit: Visits, episode: str
) -> None:
    heard = list[Response]()
    page = visit("about:blank")
    page.on("response", lambda answer: heard.append(answer) if "/log?" in answer.url else None)
    page.goto(f"{episode}?view=doctor&at=999.9")
    log = page.get_by_role("list", name="What has happened so far")
    expect(log.get_by_text("Thinks of").first).to_be_visible()  # the doctor's own
    expect(log.get_by_text("Became known")).to_have_count(0)
    assert [re.search(r"view=(\w+)", one.url)[1] for one in heard] == ["doctor"]  # type: ignore[index]
    assert "released" not in heard[0].text()
    assert "revealed_facts" not in heard[0].text()

    with page.expect_response(re.compile("/log.*view=patient")):
        page.get_by_role("radio", name="Patient's eyes").click()
    expect(page).to_have_url(re.compile("view=patient"))
    expect(log.get_by_text("Thinks of")).to_have_count(0)
    assert "differential" not in heard[-1].text()

    page.get_by_role("radio", name="Everything").click()
    expect(log.get_by_text("Became known").first).to_be_visible()
    asked = re.compile(r"entry \w+ of the case \(it was asked for, from the case\)")
    expect(log.get_by_text(asked).first).to_be_visible()


def test_the_static_page_needs_no_server(visit: Visits, episode: str) -> None:
    page = visit(f"{episode}?view=room")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save as one file").click()
    text = saved.value.path().read_text(encoding="utf-8")
    assert saved.value.suggested_filename.endswith("-0-room.html")
    assert "<title>" in text
    assert re.search(r"(src|href)=[\"']?https?:", text) is None
