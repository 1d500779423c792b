"""Going: out of a shared server, and out of a room, each said before and asked once."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from osler.web.door import IN_PROCESS
from osler.web.house import House
from osler.web.rights import Right
from tests.web.conftest import serving
from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import DESKTOP, NARROW, PHONE, Screen, Visits
from tests.web_browser.test_teach import FIRST, joined, opened, said, taken


@pytest.fixture
def shared(house: House) -> House:
    """The same house, shared for an hour."""
    house.door = IN_PROCESS._replace(until=time.time() + 3600)
    return house


@pytest.fixture
def served(shared: House) -> Iterator[str]:
    """The address of a real server over the shared house."""
    with serving(shared) as address:
        yield address


def let_in(visit: Visits, house: House, served: str, *rights: Right, screen: Screen = DESKTOP) -> Page:
    """Somebody who came in by a link with these rights."""
    page = visit(f"{served}/enter#{house.visitors.link(rights)}", screen)
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    return page


def rights_of(page: Page, served: str) -> list[str]:
    told: list[str] = page.request.get(f"{served}/api/me").json()["rights"]
    return told


@pytest.mark.parametrize("screen", [DESKTOP, NARROW], ids=["desktop", "narrow"])
def test_somebody_signs_out_by_keyboard_and_is_a_stranger_at_the_front_page(
    visit: Visits, shared: House, served: str, screen: Screen
) -> None:
    page = let_in(visit, shared, served, "watch", "learn", screen=screen)
    page.goto(f"{served}/practise")
    page.evaluate(
        "sessionStorage.setItem('osler.draft', 'words'); localStorage.setItem('osler.teacher', 'Lind')"
    )
    page.evaluate("localStorage.setItem('osler.theme', 'light')")
    page.get_by_role("button", name="Sign out").focus()
    page.keyboard.press("Enter")
    asks = page.get_by_role("dialog", name="Sign out?")
    expect(asks.get_by_text("You may practise and watch recorded encounters here.")).to_be_visible()
    expect(asks.get_by_text("note the codes first")).to_be_visible()
    expect(asks.get_by_text("their boards")).to_have_count(0)
    accessible(page)
    page.keyboard.press("Escape")
    expect(asks).to_have_count(0)
    assert rights_of(page, served) == ["learn", "watch"], "nothing has happened yet"

    page.get_by_role("button", name="Sign out").click()
    asks.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(f"{served}/")
    expect(page.get_by_role("heading", name="Welcome to Osler")).to_be_visible()
    expect(page.get_by_role("button", name="Sign out")).to_have_count(0)
    assert rights_of(page, served) == []
    assert page.context.cookies() == []
    assert page.evaluate("[{...sessionStorage}, {...localStorage}]") == [{}, {"osler.theme": "light"}]
    accessible(page)


def test_a_teacher_is_told_what_becomes_of_the_rooms(visit: Visits, shared: House, served: str) -> None:
    page = let_in(visit, shared, served, "teach")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("you cannot open their boards again")).to_be_visible()
    expect(page.get_by_text("note the codes first")).to_have_count(0)


def test_signing_out_that_fails_is_told_in_the_window(visit: Visits, shared: House, served: str) -> None:
    page = let_in(visit, shared, served, "watch")
    visit.expect_trouble("ERR_FAILED")
    page.route("**/api/sign-out", lambda route: route.abort())
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("dialog").get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached")
    expect(page.get_by_role("dialog").get_by_role("button", name="Sign out")).to_be_enabled()


def test_nobody_signs_out_of_a_machine_of_their_own(visit: Visits, house: House) -> None:
    with serving(house) as address:
        page = visit(f"{address}/")
        with page.expect_response("**/api/me"):
            page.reload()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.get_by_role("button", name="Sign out")).to_have_count(0)
        visit.close()


def test_a_learner_leaves_a_room_keeps_the_encounter_and_is_counted(
    visit: Visits, shared: House, served: str
) -> None:
    teacher = let_in(visit, shared, served, "teach", "learn")
    teacher.goto(f"{served}/teach")
    code = opened(teacher)
    learner = visit(f"{served}/join/{code}", PHONE)
    joined(learner, "Heron", "My teacher may read them")
    said(learner, FIRST)
    encounter = learner.url
    learner.goto(f"{served}/join/{code}")
    expect(teacher.get_by_role("heading", name="Heron")).to_be_visible()
    expect(teacher.get_by_text(re.compile(r"\bleft\b"))).to_have_count(0)

    learner.get_by_role("button", name="Leave the room").click()
    asks = learner.get_by_role("dialog", name="Leave the room?")
    expect(asks.get_by_text("The room forgets the name Heron.")).to_be_visible()
    accessible(learner)
    asks.get_by_role("button", name="Stay").click()
    expect(asks).to_have_count(0)
    expect(learner.get_by_text("You are here as Heron")).to_be_visible()

    learner.get_by_role("button", name="Leave the room").click()
    asks.get_by_role("button", name="Leave the room").click()
    expect(learner.get_by_role("heading", name="Before you begin")).to_be_visible()
    expect(learner.get_by_label("A name to go by")).to_have_value("")
    expect(learner.get_by_text("You have left the room.")).to_be_visible()
    expect(learner.get_by_role("heading", level=1)).to_be_focused()
    accessible(learner)

    expect(teacher.get_by_text("1 has left.")).to_be_visible()
    expect(teacher.get_by_role("heading", name="Nobody is here")).to_be_visible()
    expect(teacher.get_by_text("Heron")).to_have_count(0)
    accessible(teacher)
    learner.goto(f"{served}/practise")
    learner.get_by_role("link", name="Go on").first.click()
    expect(learner).to_have_url(encounter)
    expect(taken(learner, FIRST)).to_have_count(1)

    other = visit(f"{served}/join/{code}", PHONE)
    joined(other, "Wren")
    other.goto(f"{served}/join/{code}")
    learner.goto(f"{served}/join/{code}")
    learner.get_by_label("A name to go by").fill("Crane")
    learner.get_by_role("button", name="I agree, let me in").click()
    expect(teacher.get_by_role("heading", name="Crane")).to_be_visible()
    other.get_by_role("button", name="Leave the room").click()
    other.get_by_role("dialog").get_by_role("button", name="Leave the room").click()
    expect(teacher.get_by_text("2 have left.")).to_be_visible()
    expect(teacher.get_by_role("listitem").filter(has_text="Crane")).to_contain_text("1 turn")
    accessible(teacher)


def test_a_learner_who_signed_out_goes_on_with_an_encounter_by_its_code(
    visit: Visits, shared: House, served: str
) -> None:
    teacher = let_in(visit, shared, served, "teach", "learn")
    teacher.goto(f"{served}/teach")
    code = opened(teacher)
    learner = visit(f"{served}/join/{code}", PHONE)
    joined(learner, "Heron", "My teacher may read them")
    said(learner, FIRST)
    encounter = learner.url
    learner.get_by_role("button", name="Leave").click()
    noted = learner.locator(".code").inner_text()
    learner.get_by_role("dialog").get_by_role("button", name="Leave", exact=True).click()
    learner.get_by_role("button", name="Sign out").click()
    learner.get_by_role("dialog").get_by_role("button", name="Sign out").click()
    expect(learner.get_by_role("heading", name="Welcome to Osler")).to_be_visible()

    visit.expect_trouble("403")
    learner.goto(encounter)
    expect(learner.get_by_role("alert")).to_contain_text("this needs the right to learn")
    learner.goto(f"{served}/join/{code}")
    learner.get_by_label("A name to go by").fill("Plover")
    learner.get_by_role("button", name="I agree, let me in").click()
    learner.get_by_role("link", name="Practise").click()
    learner.get_by_text("Go on from another device").click()
    learner.get_by_label("Code").fill(noted)
    learner.get_by_role("button", name="Go on", exact=True).click()
    expect(learner).to_have_url(encounter)
    expect(taken(learner, FIRST)).to_have_count(1)
    expect(teacher.get_by_role("heading", name="Heron")).to_be_visible()
    expect(teacher.get_by_text("Plover")).to_have_count(0)


def test_whoever_sits_in_a_round_that_goes_on_is_told_why_they_cannot_leave(
    visit: Visits, shared: House, served: str
) -> None:
    teacher = let_in(visit, shared, served, "teach", "learn")
    teacher.goto(f"{served}/teach")
    teacher.get_by_role("link", name="Make a room").first.click()
    teacher.get_by_role("searchbox", name="Cases").fill("ward round")
    teacher.locator(".picked label").first.click()
    teacher.get_by_text("One encounter for a group").click()
    teacher.get_by_role("button", name="Open the room").click()
    expect(teacher.get_by_role("button", name="Show on the wall")).to_be_visible()
    code = teacher.locator(".code-big").first.inner_text()
    learner = visit(f"{served}/join/{code}", PHONE)
    learner.get_by_label("A name to go by").fill("Heron")
    learner.get_by_role("button", name="I agree, let me in").click()
    learner.get_by_role("button", name="Sit here: Student 1").click()
    expect(learner.get_by_text("Waiting for others")).to_be_visible()
    teacher.get_by_role("button", name=re.compile("Begin")).click()
    expect(learner).to_have_url(re.compile("/practise/"))
    learner.goto(f"{served}/join/{code}")
    visit.expect_trouble("400")
    learner.get_by_role("button", name="Leave the room").click()
    asks = learner.get_by_role("dialog", name="Leave the room?")
    asks.get_by_role("button", name="Leave the room").click()
    expect(asks.get_by_role("alert")).to_contain_text("you sit in a round that goes on", ignore_case=True)
    accessible(learner)
    asks.get_by_role("button", name="Stay").click()
    expect(learner.get_by_text("You are here as Heron")).to_be_visible()
