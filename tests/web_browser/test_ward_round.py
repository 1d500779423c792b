"""A teaching ward round in a browser: as a student, and as the tutor."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import DESKTOP, PHONE, Screen, Visits
from tests.web_browser.serve_process import serve_process

THOUGHTS = "Your thoughts, for the tutor"


def hand_in(page: Page) -> None:
    """Choose the first option of every question that has some, and hand in the rest unanswered."""
    page.get_by_role("button", name="Hand in").click()
    expect(page.get_by_text("Choose one of the options first")).to_be_visible()
    for group in page.get_by_role("radiogroup").all():
        group.locator("label").first.click()
    page.get_by_role("button", name="Hand in").click()
    page.get_by_role("button", name="Hand in all the same").click()


@pytest.mark.parametrize(
    "screen", [pytest.param(DESKTOP, marks=pytest.mark.smoke), PHONE], ids=["desktop", "phone"]
)
def test_a_student_from_the_first_questions_to_the_debrief(
    visit: Visits, tmp_path: Path, screen: Screen
) -> None:
    visit.expect_trouble("Failed to load resource")  # while the server is dead
    with serve_process(tmp_path / "osler.db") as server:
        sitting = server.sit_down("ward_round", "student_1")
        page = visit(f"{server.url}/practise/{sitting}", screen)
        page.get_by_role("button", name="Begin").click()
        page.get_by_label("1. What is the most likely diagnosis?").fill("Infarction")
        accessible(page)
        server.restart()
        page.reload()
        expect(page.get_by_label("1. What is the most likely diagnosis?")).to_have_value("Infarction")
        hand_in(page)

        for _ in range(3):
            page.get_by_label(THOUGHTS).fill("I think that it is the heart.")
            page.get_by_label(THOUGHTS).press("Enter")
            page.get_by_label("Ask the patient").fill("Where is the pain?")
            page.get_by_label("Ask the expert").fill("What are signs of heart failure?")
            page.get_by_role("button", name="Ask", exact=True).click()
        hand_in(page)
        expect(page.get_by_text("The round is over.")).to_be_visible()
        expect(page.get_by_text("only the tutor hears this").first).to_be_attached()
        expect(page.get_by_text("the students hear this, the tutor does not").first).to_be_attached()
        accessible(page)
        page.get_by_role("link", name="See the debrief").click()
        expect(page.get_by_role("heading", name="Debrief", level=1)).to_be_visible()
        accessible(page)


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_tutor_guides_the_group(visit: Visits, tmp_path: Path, screen: Screen) -> None:
    visit.expect_trouble("Failed to load resource")  # while the server is dead
    with serve_process(tmp_path / "osler.db") as server:
        sitting = server.sit_down("ward_round", "tutor")
        page = visit(f"{server.url}/practise/{sitting}", screen)
        page.get_by_role("button", name="Begin").click()
        expect(page.get_by_text("only you hear this").first).to_be_attached()
        page.get_by_text("Steps the group has covered").first.click()
        page.get_by_text("Step 1.").click()
        page.get_by_label("To the group").fill("What do you make of the pain and the pressure?")
        accessible(page)
        server.restart()
        page.reload()
        expect(page.get_by_label("To the group")).to_have_value(
            "What do you make of the pain and the pressure?"
        )
        page.get_by_role("button", name="Hand in the draft").click()
        expect(page.get_by_text("finds nothing in the draft").first).to_be_attached()
        if screen is PHONE:
            page.get_by_role("tab", name="Plan").click()
        expect(page.get_by_text("For you alone")).to_be_visible()
        accessible(page)


def test_what_a_tutor_says_last_stands_as_said_and_the_answer_is_sent_back(
    visit: Visits, tmp_path: Path
) -> None:
    with serve_process(tmp_path / "osler.db") as server:
        page = visit(f"{server.url}/practise/{server.sit_down('ward_round', 'tutor')}")
        page.get_by_role("button", name="Begin").click()
        answer = page.get_by_label("Plan, for you alone").get_by_role("paragraph").nth(1).inner_text()
        words, hand_in = page.get_by_label("To the group"), page.get_by_role("button", name="Hand in the")
        words.fill(f"The diagnosis is {answer}.")
        page.get_by_text("Steps the group has covered").first.click()
        expect(hand_in).to_be_in_viewport()
        hand_in.click()
        expect(page.get_by_text("Your draft was not let through")).to_be_visible()
        for number in ("first", "second", "third"):
            words.fill(f"What comes {number}?")
            hand_in.click()
            said = page.get_by_role("listitem").filter(has_text=f"What comes {number}?")
            expect(said.last).to_contain_text("You, to the group")
        expect(page.get_by_text("The round is over.")).to_be_visible()
        expect(page.get_by_text("being reviewed")).to_have_count(0)
        visit.close()
