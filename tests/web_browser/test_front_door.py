"""The front door and every screen with an address of its own: each opens under the strict content policy, and
everybody can use it. The screens of one run, sitting or room are opened by the tests of their parts."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect

from osler.web.examples.routes import play_example
from osler.web.examples.script import scripts
from osler.web.house import House
from tests.web_browser.accessibility import accessible, ends_with_its_content
from tests.web_browser.conftest import NARROW, PHONE, Visits

SCREENS = (
    "/",
    "/tour",
    "/about",
    "/design",
    "/enter",
    "/practise",
    "/teach",
    "/teach/new",
    "/join",
    "/evaluate",
    "/evaluate/start",
    "/evaluate/compare",
    "/no/such/screen",
)


@pytest.mark.parametrize("screen", SCREENS)
def test_a_screen_opens_and_everybody_can_use_it(served: str, visit: Visits, screen: str) -> None:
    page = visit(served + screen, PHONE)
    expect(page.get_by_role("heading", level=1)).to_be_attached()
    accessible(page)


@pytest.mark.parametrize(
    "gone",
    [
        "/practise/no-such",
        "/practise/no-such/debrief",
        "/teach/rooms/no-such",
        "/join/ABCDEF",
        "/evaluate/runs/no-such",
        "/evaluate/runs/no-such/1",
        "/watch/no-such/1",
    ],
)
def test_an_address_that_leads_nowhere_says_so(served: str, visit: Visits, gone: str) -> None:
    visit.expect_trouble("404")
    page = visit(served + gone, PHONE)
    expect(page.get_by_role("alert").first).to_be_visible()
    accessible(page)


def test_the_tour_ends_in_the_chair_of_its_patient(visit: Visits, house: House, served: str) -> None:
    with ThreadPoolExecutor(1) as other:  # the browser's driver has the loop of this thread
        other.submit(play_example, house, scripts()[0]).result()
    page = visit(served + "/", NARROW, scheme="dark")
    page.get_by_role("link", name="See how it works").click()
    expect(page.get_by_text("On the door:")).to_be_visible()
    expect(page.get_by_role("list", name="Scene 1 of 9")).to_be_visible()
    accessible(page)
    onwards = page.get_by_role("button", name="Next")
    while not page.get_by_text("You write what you see").is_visible():
        onwards.click()
        ends_with_its_content(page)
    tracing = page.get_by_role("img", name="Electrocardiogram, without a report")
    expect(tracing).to_be_in_viewport(ratio=1)
    expect(page.get_by_text("ST elevation in II, III and aVF")).to_have_count(0)
    page.get_by_role("textbox", name="What do you see?").fill("ST elevation below")
    page.get_by_role("button", name="See the report").click()
    expect(page.get_by_text("ST elevation below")).to_be_visible()
    expect(page.get_by_text("ST elevation in II, III and aVF")).to_be_visible()
    accessible(page)
    while onwards.is_visible():
        onwards.click()
    expect(page.get_by_text("Now it is your turn")).to_be_visible()
    page.get_by_role("button", name="Take this chair").click()
    expect(page).to_have_url(re.compile("/practise/"))
