"""A whole consultation in a browser, at a desk and on a phone: from the shelf to the debrief and again."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import DESKTOP, PHONE, Screen, Visits
from tests.web_browser.serve_process import ServeProcess, serve_process

CHEST_ACHE = "Chest ache in a woman of 58"
SAY = "Say something to the patient"


def sat_down(page: Page) -> None:
    """Choose the chest ache, read who plays and marks, and begin."""
    page.get_by_role("button", name=f"Sit down with {CHEST_ACHE}, consultation").click()
    page.get_by_role("dialog").get_by_role("button", name="Sit down").click()
    expect(page.get_by_role("heading", name="Before you begin")).to_be_visible()
    expect(page.get_by_text("No other computer receives them.")).to_be_visible()
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_label(SAY)).to_be_visible()


def order(page: Page, how: str, name: str) -> None:
    """Examine or order by the list of suggestions, which is the same for every case."""
    page.get_by_role("button", name="Examine" if how == "Examine" else "Order a test").click()
    field = page.get_by_role("combobox")
    field.fill(name[:9].lower())
    page.get_by_role("option", name=name, exact=True).click()
    page.locator("form").filter(has=field).get_by_role("button", name=how, exact=True).click()
    expect(page.get_by_text(f"You order: {name}", exact=True)).to_be_visible()
    expect(page.get_by_label(SAY)).to_be_visible()


def enlarge(page: Page, screen: Screen) -> None:
    """Look at the tracing at the size of the screen, and come back to where one was."""
    opens = page.get_by_role("button", name="Enlarge").first
    opens.click()
    room = page.get_by_role("region", name="Electrocardiogram, picture").bounding_box()
    assert room
    assert room["width"] > 0.9 * screen.width
    assert room["height"] > 0.75 * screen.height
    page.get_by_role("button", name="Whole picture").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(opens).to_be_focused()


@pytest.mark.parametrize(
    "screen", [pytest.param(DESKTOP, marks=pytest.mark.smoke), PHONE], ids=["desktop", "phone"]
)
def test_from_the_shelf_to_the_debrief_and_again(visit: Visits, tmp_path: Path, screen: Screen) -> None:
    visit.expect_trouble("Failed to load resource")  # while the server is dead
    with serve_process(tmp_path / "osler.db") as server:
        from_the_shelf_to_the_debrief(server, visit(server.url, screen), screen)
        visit.close()


def from_the_shelf_to_the_debrief(server: ServeProcess, page: Page, screen: Screen) -> None:
    """Consult, with the server killed in the middle, read the debrief, and begin again from a turn of it."""
    page.get_by_role("main").get_by_role("link", name="Practise").click()
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    page.get_by_label("Search").fill("chest")
    sat_down(page)
    accessible(page)

    page.get_by_label(SAY).fill("When did the pain start?")
    page.get_by_label(SAY).press("Enter")
    expect(page.get_by_text("two and a half hours ago").first).to_be_visible()
    expect(page.get_by_label(SAY)).to_have_value("")

    order(page, "Examine", "Vital signs")
    expect(page.get_by_text("98/62", exact=True)).to_be_visible()  # the strip above
    order(page, "Order", "Electrocardiogram")
    page.get_by_role("button", name="Wait").click()
    tracing = page.get_by_role("img", name="Electrocardiogram, without a report").first
    expect(tracing).to_be_visible()
    expect(page.get_by_text("ST elevation")).to_have_count(0)
    enlarge(page, screen)
    page.get_by_role("button", name="See the report").click()
    expect(page.get_by_text("Write what you see first")).to_be_visible()
    page.get_by_label("What do you see?").fill("ST up in the inferior leads")
    page.get_by_role("button", name="See the report").click()
    expect(page.get_by_text("ST elevation in II").first).to_be_visible()

    server.restart()
    page.reload()  # the same turn is asked again, and the reading is kept
    expect(page.get_by_text("ST up in the inferior leads").first).to_be_visible()
    expect(page.get_by_text("When did the pain start?").and_(page.locator("main *"))).to_have_count(1)
    page.get_by_role("button", name="Conclude").click()
    page.get_by_role("dialog").get_by_role("button", name="Conclude", exact=True).click()
    expect(page.get_by_role("alert")).to_be_in_viewport()
    expect(page.get_by_label("Diagnosis", exact=True)).to_be_focused()
    page.get_by_label("Diagnosis", exact=True).fill("Inferior ST-elevation myocardial infarction")
    page.get_by_role("dialog").get_by_role("button", name="Conclude", exact=True).click()
    expect(page.get_by_text("it cannot be taken back")).to_be_visible()
    page.get_by_role("button", name="Yes, conclude").click()
    page.get_by_role("link", name="See the debrief").click()

    expect(page.get_by_role("heading", name="Debrief", exact=True)).to_be_visible()
    accessible(page)
    page.get_by_role("button", name="Turn 1: show it").click()
    expect(page.get_by_role("listitem").filter(has_text="When did the pain start?").last).to_be_focused()
    if screen is PHONE:
        page.get_by_role("tab", name="What to learn").click()
    page.get_by_role("button", name="Again from here: turn").last.click()
    expect(page.get_by_role("heading", name="Before you begin").or_(page.get_by_label(SAY))).to_be_visible()


def test_collective_words_and_none_at_all_have_suggestions(served: str, visit: Visits) -> None:
    page = visit(served + "/practise", PHONE)
    sat_down(page)
    page.get_by_role("button", name="Examine").click()
    expect(page.get_by_role("option", name="Vital signs")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Order a test").click()
    page.get_by_role("combobox").fill("bloods")
    expect(page.get_by_role("option").first).to_contain_text("Blood tests")
    expect(page.get_by_role("option", name="Full blood count").first).to_be_visible()


def test_a_deleted_encounter_says_so_in_another_tab(served: str, visit: Visits) -> None:
    visit.expect_trouble("410")
    page = visit(served + "/practise")
    sat_down(page)
    page.get_by_label(SAY).fill("Where is the pain?")
    page.get_by_label(SAY).press("Enter")
    expect(page.get_by_role("listitem")).to_have_count(3)
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.get_by_label(SAY)).to_be_visible()
    page.get_by_role("button", name="Leave").click()
    page.get_by_role("button", name="Your words").click()
    page.get_by_role("button", name="Delete them").click()
    page.get_by_role("button", name="Yes, delete them").click()
    expect(page.get_by_text("Deleted: everything you said in that encounter")).to_be_visible()
    expect(page.get_by_role("heading", name="Whom would you like to see?")).to_be_visible()
    expect(other.get_by_role("heading", name="This encounter was deleted")).to_be_visible()
    expect(other.get_by_label(SAY)).to_have_count(0)


def test_words_that_sound_like_an_order_are_asked_about_first(served: str, visit: Visits) -> None:
    page = visit(served + "/practise", PHONE)
    sat_down(page)
    page.get_by_label(SAY).fill("ECG please")
    page.get_by_role("button", name="Say", exact=True).click()
    page.get_by_role("button", name="Yes, order it").click()
    expect(page.get_by_text("You order: ", exact=False)).to_be_visible()


def test_words_that_never_reached_the_server_are_still_in_the_box(served: str, visit: Visits) -> None:
    visit.expect_trouble("ERR_CONNECTION_REFUSED")
    page = visit(served + "/practise", PHONE)
    sat_down(page)
    page.route("**/moves", lambda route: route.abort("connectionrefused"))
    page.get_by_label(SAY).fill("Where is the pain?")
    page.get_by_role("button", name="Say", exact=True).click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.unroute("**/moves")
    page.reload()
    expect(page.get_by_label(SAY)).to_have_value("Where is the pain?")
    page.get_by_role("button", name="Say", exact=True).click()
    expect(page.get_by_text("Where is the pain?")).to_have_count(1)
    expect(page.get_by_label(SAY)).to_have_value("")


def test_a_consultation_is_left_and_gone_on_with_on_another_device(served: str, visit: Visits) -> None:
    page = visit(served + "/practise")
    sat_down(page)
    page.get_by_label(SAY).fill("Where is the pain?")
    page.get_by_label(SAY).press("Enter")
    expect(page.get_by_role("listitem")).to_have_count(3)
    page.get_by_label(SAY).fill("Not sent yet")
    page.reload()
    expect(page.get_by_label(SAY)).to_have_value("Not sent yet")
    page.get_by_role("button", name="Leave").click()
    code = page.locator(".code").inner_text()
    page.get_by_role("dialog").get_by_role("button", name="Leave").click()
    expect(page.get_by_role("link", name="Go on", exact=True)).to_be_visible()

    phone = visit(served + "/practise", PHONE)
    expect(phone.get_by_role("link", name="Go on", exact=True)).to_have_count(0)
    phone.get_by_text("Go on from another device").click()
    phone.get_by_label("Code").fill(code)
    phone.get_by_role("button", name="Go on").click()
    expect(phone.get_by_text("Where is the pain?")).to_be_visible()
