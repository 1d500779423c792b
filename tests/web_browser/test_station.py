"""A standardized-patient station in a browser: door, clock, saying and doing, the end, the debrief."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import DESKTOP, PHONE, Screen, Visits
from tests.web_browser.serve_process import serve_process

SAY = "What you say aloud"


def clock(reading: float, bell: float, end: float) -> dict[str, float]:
    """A station clock, by seconds from now."""
    now = time.time()
    return {"reading_ends": now + reading, "bell": now + bell, "ends": now + end}


def do(page: Page, act: str) -> None:
    """Write an act, and add it."""
    field = page.get_by_role("combobox", name="Do")
    field.fill(act)
    field.press("Enter")
    expect(page.get_by_role("button", name=f"Take back: {act}")).to_be_visible()


@pytest.mark.parametrize(
    "screen", [pytest.param(DESKTOP, marks=pytest.mark.smoke), PHONE], ids=["desktop", "phone"]
)
def test_a_station_with_its_clock_from_the_door_to_the_debrief(
    visit: Visits, tmp_path: Path, screen: Screen
) -> None:
    visit.expect_trouble("Failed to load resource")  # while the server is dead
    with serve_process(tmp_path / "osler.db") as server:
        sitting = server.sit_down("scenario", "examinee")
        server.set(sitting, clock=clock(600, 1080, 1200))
        page = visit(f"{server.url}/practise/{sitting}", screen)
        page.get_by_role("button", name="Begin").click()

        expect(page.get_by_role("heading", name="Your task")).to_be_visible()
        expect(page.get_by_text("Then you have 10 minutes.")).to_be_visible()
        expect(page.get_by_role("button", name="Start")).to_be_disabled()
        accessible(page)
        server.set(sitting, clock=clock(-1, 480, 600))
        page.reload()
        page.get_by_role("button", name="Start").click()

        expect(page.get_by_role("timer")).to_contain_text("left")
        page.get_by_placeholder(SAY).fill("Hello, I am Dr Morgan. What brings you in?")
        do(page, "take the vital signs")
        do(page, "stop the drip")
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_text("114/min").first).to_be_visible()
        expect(page.get_by_text("Turn 2")).to_be_visible()
        accessible(page)

        page.get_by_placeholder(SAY).fill("Half written")
        server.restart()
        page.reload()
        expect(page.get_by_text("Turn 2")).to_be_visible()
        expect(page.get_by_placeholder(SAY)).to_have_value("Half written")
        expect(page.get_by_text("Hello, I am Dr Morgan.")).to_have_count(1)
        page.get_by_placeholder(SAY).fill("")
        page.get_by_role("button", name="Let time pass").click()
        expect(page.get_by_text("Turn 3")).to_be_visible()

        page.get_by_role("button", name="All is done").click()
        expect(page.get_by_role("dialog")).to_contain_text("Is all that is due done?")
        page.get_by_role("button", name="Not yet").click()
        server.set(sitting, clock=clock(-500, -1, 119))
        page.reload()
        expect(page.get_by_text("Two minutes left.")).to_be_visible()
        accessible(page)

        server.set(sitting, clock=clock(-600, -120, 0))
        page.reload()
        expect(page.get_by_text("The station is over.")).to_be_visible()
        page.get_by_role("link", name="See the debrief").click()
        expect(page.get_by_role("heading", name="Debrief", level=1)).to_be_visible()
        expect(page.get_by_text("Hello, I am Dr Morgan.").first).to_be_visible()
        accessible(page)
