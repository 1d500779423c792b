"""A ward round that a group shares, in the browser: three people, a killed server, and their answers."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import DESKTOP, PHONE, Screen, Visits
from tests.web_browser.serve_process import ServeProcess, serve_process
from tests.web_browser.test_ward_round import THOUGHTS, hand_in

ROUNDS = 3
OVER = "The round is over."


def opened(page: Page, *, without: str, tutors: bool = False) -> str:
    """Open a room where a group of three students shares a ward round, with a seat that nobody may choose;
    or, to compare two `tutors`, two rounds. Returns its code."""
    page.get_by_role("link", name="Make a room").first.click()
    page.get_by_role("searchbox", name="Cases").fill("ward round")
    page.locator(".picked label").first.click()
    page.get_by_text("One encounter for a group").click()
    page.get_by_text(without, exact=True).click()
    if tutors:
        page.get_by_text("Compare several tutors").click()
        page.get_by_role("button", name="Open the room").click()
        expect(page.get_by_role("alert")).to_contain_text("choose at least 2 cases")
        page.locator(".picked label").nth(1).click()
    accessible(page)
    page.get_by_role("button", name="Open the room").click()
    expect(page.get_by_role("button", name="Show on the wall")).to_be_visible()
    return page.locator(".code-big").first.inner_text()


def joined(visit: Visits, server: ServeProcess, code: str, name: str, screen: Screen) -> Page:
    """Come into the room under a name, and let the teacher read."""
    page = visit(f"{server.url}/join/{code}", screen)
    expect(page.get_by_text("Once you are in, you choose a seat.")).to_be_visible()
    page.get_by_label("A name to go by").fill(name)
    page.get_by_text("My teacher may read them").last.click()
    page.get_by_role("button", name="I agree, let me in").click()
    expect(page.get_by_text("Choose a seat.")).to_be_visible()
    return page


def sits_down(page: Page, seat: str) -> None:
    page.get_by_role("button", name=f"Sit here: {seat}").click()


def thinks(page: Page) -> None:
    """Tell the tutor one's thoughts."""
    page.get_by_label(THOUGHTS).fill("I think that it is the heart.")
    page.get_by_label(THOUGHTS).press("Enter")
    expect(page.get_by_label(THOUGHTS)).to_have_count(0)


def asks(page: Page) -> None:
    """Ask the patient."""
    page.get_by_label("Ask the patient").fill("Where is the pain?")
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_label("Ask the patient")).to_have_count(0)


def guides(page: Page, words: str) -> None:
    """Hand in a draft, as the tutor."""
    page.get_by_label("To the group").fill(words)
    page.get_by_role("button", name="Hand in the draft").click()
    expect(page.get_by_label("To the group")).to_have_count(0)


def answers(page: Page, mark: str) -> None:
    """Answer the questions after the round: the same mark for the first two, and "cannot say" to the last."""
    page.get_by_role("link", name="Answer the questions").click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    groups = page.get_by_role("radiogroup")
    expect(groups).to_have_count(3)
    page.get_by_role("button", name="Send my answers").click()
    expect(page.get_by_role("alert")).to_contain_text("3 questions left")
    for at in range(2):
        groups.nth(at).locator("label").filter(has_text=re.compile(f"^{mark}$")).click()
    groups.nth(2).get_by_text("Cannot say").click()
    page.get_by_label("Anything else?").fill("It was clear.")
    page.get_by_role("button", name="Send my answers").click()
    expect(page.get_by_text("Thank you. Your answers are kept")).to_be_visible()


def test_three_people_share_a_round_through_a_closed_browser_and_a_killed_server(
    visit: Visits, tmp_path: Path
) -> None:
    visit.expect_trouble("Failed to load resource")  # while the server is dead
    visit.expect_trouble("ERR_INCOMPLETE_CHUNKED_ENCODING")
    with serve_process(tmp_path / "osler.db") as server:
        teacher = visit(server.url + "/teach")
        code = opened(teacher, without="Student 3")
        tutor = joined(visit, server, code, "Heron", DESKTOP)
        first = joined(visit, server, code, "Wren", PHONE)
        second = joined(visit, server, code, "Robin", PHONE)
        sits_down(tutor, "Tutor")
        expect(tutor.get_by_text("1 of 3 seats are taken")).to_be_visible()
        sits_down(first, "Student 1")
        expect(second.get_by_role("listitem").filter(has_text="Wren")).to_have_count(2)  # the group, the seat
        accessible(second)
        expect(teacher.get_by_text("2 of 3 seats are taken")).to_be_visible()
        sits_down(second, "Student 2")
        for page in (tutor, first, second):
            expect(page).to_have_url(re.compile("/practise/"))

        expect(tutor.get_by_label("Who sits where").get_by_text("Wren")).to_be_visible()
        expect(tutor.get_by_label("Who sits where").get_by_text("simulated")).to_have_count(1)
        expect(tutor.get_by_text("Waiting for Wren (student 1) and Robin (student 2)")).to_be_visible()
        accessible(tutor)
        hand_in(first)
        expect(first.get_by_text("Waiting for Robin (student 2)")).to_be_visible()
        hand_in(second)
        thinks(first)
        kept, here = second.context.storage_state(), second.url
        second.context.close()
        expect(tutor.get_by_text("Waiting for Robin (student 2)")).to_be_visible()
        accessible(tutor)
        server.restart()
        second = visit(here, PHONE, storage_state=kept)
        thinks(second)
        expect(second.get_by_text("The tutor, Heron, is writing a draft")).to_be_visible()
        second.get_by_role("tab", name="Group").click()
        expect(second.get_by_label("Who sits where").get_by_text("writes a draft")).to_be_visible()
        accessible(second)
        second.get_by_role("tab", name="Talk").click()
        guides(tutor, "What do you make of the pain, number 1?")
        asks(first)
        asks(second)
        for number in range(2, ROUNDS + 1):
            thinks(first)
            thinks(second)
            guides(tutor, f"What do you make of the pain, number {number}?")
            asks(first)
            asks(second)
        hand_in(first)
        hand_in(second)
        for page, mark in ((tutor, "6"), (first, "8"), (second, "9")):
            expect(page.get_by_text(OVER)).to_be_visible()
            if page is not tutor:
                expect(page.get_by_text("number 1?").first).to_be_attached()
            answers(page, mark)
        accessible(second)
        second.reload()
        expect(second.get_by_role("radio", name="9: very good").first).to_be_checked()

        expect(teacher.get_by_text("The round is over")).to_be_visible()
        accessible(teacher)
        teacher.get_by_role("link", name="Read everything").click()
        expect(teacher.get_by_text("draft", exact=True).first).to_be_visible()
        expect(teacher.get_by_text("review: approved").first).to_be_visible()
        accessible(teacher)
        teacher.get_by_role("link", name="The board").click()
        teacher.get_by_role("link", name="Answers").click()
        table = teacher.get_by_role("region", name="Everybody's answers").locator("tbody tr")
        expect(table).to_have_count(3)
        for row in ("Heron", "Wren", "Robin"):
            expect(table.filter(has_text=row)).to_contain_text("It was clear.")
        means = teacher.get_by_role("region", name="By tutor").locator("tbody tr")
        expect(means.first).to_contain_text("8.5")
        expect(means.last).to_contain_text("–")
        accessible(teacher)
        visit.close()


def test_a_teacher_compares_tutors_gives_a_seat_away_and_names_an_assessor(
    visit: Visits, tmp_path: Path
) -> None:
    with serve_process(tmp_path / "osler.db") as server:
        teacher = visit(server.url + "/teach")
        code = opened(teacher, without="Student 3", tutors=True)
        stays, goes, assessor = (
            joined(visit, server, code, name, PHONE) for name in ("Wren", "Robin", "Finch")
        )
        sits_down(stays, "Student 1")
        sits_down(goes, "Student 2")
        hand_in(stays)
        stays.get_by_role("tab", name="Group").click()
        expect(stays.get_by_label("Who sits where").get_by_text("you are not told who")).to_be_visible()

        expect(teacher.get_by_text("the round waits for this seat")).to_have_count(1)
        accessible(teacher)
        teacher.get_by_role("button", name="Give to a built-in player: the seat of Robin").click()
        accessible(teacher)
        teacher.get_by_role("dialog").get_by_role("button", name="Give it away").click()
        expect(teacher.get_by_text("simulated in this round")).to_be_visible()
        goes.get_by_role("link", name="To the seats").click()
        expect(goes.get_by_text("A built-in player has your seat")).to_be_visible()
        accessible(goes)

        teacher.get_by_role("button", name="Let Finch assess").click()
        assessor.get_by_role("link", name="Read everything").click()
        expect(assessor.get_by_text("Keep it to yourself")).to_be_visible()
        stays.get_by_role("tab", name="Talk").click()
        for _ in range(ROUNDS):
            thinks(stays)
            asks(stays)
        expect(assessor.get_by_text("draft", exact=True).first).to_be_visible()
        accessible(assessor)
        hand_in(stays)
        expect(stays.get_by_text(OVER)).to_be_visible()
        answers(stays, "7")
        stays.get_by_role("link", name="Back to the group").click()
        expect(stays.get_by_text("Round 2 begins when your teacher says so")).to_be_visible()
        accessible(stays)
        expect(teacher.get_by_text("Round 1 of 2 is over")).to_be_visible()
        teacher.get_by_role("button", name="Begin round 2").click()
        for page in (stays, goes):
            expect(
                page.get_by_role("heading", name=re.compile("questions before the rounds"))
            ).to_be_visible()
        teacher.get_by_role("link", name="Answers").click()
        rows = teacher.get_by_role("region", name="Everybody's answers").locator("tbody tr")
        expect(rows).to_have_count(1)
        expect(rows).to_contain_text("Wren")
        expect(teacher.get_by_text("1 person left their seat to a built-in player")).to_be_visible()
        visit.close()
