"""A teacher's room in the browser: three clicks, two learners on phones, a fake model as the patient."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from osler.models.faults import Retry
from osler.models.manners import Manners
from osler.models.open_models import Models
from osler.runs.seating import ModelOptions
from osler.testing.endpoint import running
from osler.web.house import House
from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import DESKTOP, PHONE, Screen, Visits
from tests.web_browser.serve_process import serve_process

FIRST, SECOND = "Hello, what brings you here?", "When did it begin?"
HASTY = Manners(retry=Retry(tries=2, base_s=0.001, cap_s=0.01))


def opened(page: Page, *, model: bool = False) -> str:
    """Make a room with the first case, and return its code; with a model as the patient, learners are asked
    whether a class may be shown their words."""
    page.get_by_role("link", name="Make a room").first.click()
    page.locator(".picked label").first.click()
    if model:
        page.get_by_text("Who plays and who marks").click()
        page.get_by_label("The patient").select_option("model:tiny")
        page.get_by_role("button", name="Try one real turn").click()
        expect(page.locator(".trial")).to_contain_text("an estimate for 50 questions")
        page.get_by_text("What you see, what learners are asked").click()
        page.get_by_text("They may be shown to others").first.click()
        accessible(page)
    page.get_by_role("button", name="Open the room").click()
    expect(page.get_by_role("button", name="Show on the wall")).to_be_visible()
    return page.locator(".code-big").first.inner_text()


def joined(page: Page, name: str, *permits: str) -> None:
    """Come in under a name, permit these uses, and sit down."""
    page.get_by_label("A name to go by").fill(name)
    for use in permits:
        page.get_by_text(use).last.click()
    page.get_by_role("button", name="I agree, let me in").click()
    expect(page.get_by_text("not begun")).to_be_visible()
    page.get_by_role("button", name="Sit down").click()


def said(page: Page, words: str) -> None:
    """Say something to the patient, and wait until it has been taken."""
    page.get_by_role("textbox").first.fill(words)
    page.get_by_role("button", name="Say", exact=True).click()
    expect(taken(page, words)).to_have_count(1)


def taken(page: Page, words: str) -> Locator:
    """One's own words in the conversation: not in the box, where they stand until then, nor on their way."""
    return page.locator(".bubble.mine:not(.sending)").filter(has_text=words)


def concluded(page: Page) -> None:
    """Conclude the consultation that a page shows, by the address its screen uses."""
    expect(page).to_have_url(re.compile("/practise/"))
    here, _, id = page.url.partition("/practise/")
    path, origin = f"{here}/api/sittings/{id}", {"Origin": here}
    plan = {"action": "FINALIZE", "diagnosis": "a cold", "plan": ["rest"], "followup": "tomorrow"}
    ticket = page.request.get(path).json()["ticket"]
    answer = page.request.post(f"{path}/moves", data={"ticket": ticket, "move": plan}, headers=origin)
    assert answer.status == 202, answer.text()


def written(folder: Path, url: str) -> Path:
    """An osler.toml that names the model behind this address."""
    path = folder / "osler.toml"
    path.write_text(f'[endpoints.tiny]\nbase_url = "{url}"\nmodel = "tiny-2"\n')
    return path


@pytest.mark.smoke
def test_a_room_with_two_learners_from_the_link_to_the_results(
    visit: Visits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    visit.expect_trouble("Failed to load resource")  # while the server is dead
    visit.expect_trouble("ERR_INCOMPLETE_CHUNKED_ENCODING")
    with running() as url:
        monkeypatch.setenv("OSLER_CONFIG", str(written(tmp_path, url)))
        with serve_process(tmp_path / "osler.db") as server:
            teacher = visit(server.url + "/teach")
            accessible(teacher)
            code = opened(teacher, model=True)
            learners = []
            for name, *permits in (
                ("Heron", "My teacher may read them", "They may be shown to others"),
                ("Wren", "My teacher may read them"),
            ):
                learner = visit(f"{server.url}/join/{code}", PHONE)
                expect(learner.get_by_text("They are sent to 127.0.0.1")).to_be_visible()
                expect(learner.get_by_label("My teacher may read them")).not_to_be_checked()
                if name == "Heron":
                    accessible(learner)
                joined(learner, name, *permits)
                said(learner, FIRST)
                learners.append(learner)
            expect(teacher.get_by_text("at work")).to_have_count(2)

            server.restart()
            for learner in learners:
                learner.reload()
                expect(taken(learner, FIRST)).to_have_count(1)
                said(learner, SECOND)
                expect(taken(learner, FIRST)).to_have_count(1)
            teacher.reload()
            expect(teacher.get_by_text("2 turns")).to_have_count(2)
            accessible(teacher)

            expect(teacher.get_by_role("link", name="Show to the class")).to_have_count(1)
            expect(teacher.get_by_text("Not for a class: this learner does not permit")).to_be_visible()
            teacher.get_by_role("link", name="Show to the class").click()
            expect(teacher.get_by_role("heading", level=1)).to_contain_text("Heron")
            expect(teacher.get_by_text(SECOND)).to_be_visible()
            accessible(teacher)
            teacher.get_by_role("link", name="The board").click()
            teacher.get_by_role("link", name="Read", exact=True).nth(1).click()
            expect(teacher.get_by_role("heading", level=1)).to_contain_text("Wren")
            expect(teacher.get_by_text("For your eyes alone, not for a class")).to_be_visible()
            expect(teacher.get_by_text(SECOND)).to_be_visible()
            accessible(teacher)
            visit.expect_trouble("403")
            teacher.goto(teacher.url.replace("/read/", "/show/"))
            expect(teacher.get_by_role("alert")).to_contain_text("does not permit being shown to others")
            expect(teacher.get_by_text(SECOND)).to_have_count(0)
            teacher.get_by_role("link", name="The board").click()

            teacher.get_by_role("button", name="Stop all").first.click()
            teacher.get_by_label("What learners read").fill("Eyes to the front")
            teacher.get_by_role("dialog").get_by_role("button", name="Stop all").click()
            for learner in learners:
                expect(learner.get_by_text("Eyes to the front")).to_be_visible()
            teacher.get_by_role("button", name="Let all go on").click()
            for learner in learners:
                expect(learner.get_by_text("Eyes to the front")).to_be_hidden()
                learner.goto(f"{server.url}/join/{code}")
                expect(learner.get_by_text("going on")).to_be_visible()
                expect(learner.get_by_role("link", name="Go on")).to_be_visible()
            accessible(learners[0])
            teacher.get_by_role("link", name="Results").click()
            expect(teacher.get_by_role("rowheader", name="Wren")).to_be_visible()
            expect(teacher.get_by_text("nobody's words")).to_be_visible()
            accessible(teacher)
            visit.close()  # before its server goes


def test_a_model_that_fails_pauses_the_learner_in_words_until_the_teacher_decides(
    house: House, served: str, visit: Visits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual: Any = Models.__init__.__kwdefaults__
    monkeypatch.setattr(Models.__init__, "__kwdefaults__", {**usual, "manners": HASTY})
    with running() as url:
        house.models = ModelOptions(written(tmp_path, url))
        teacher = visit(served + "/teach")
        learner = visit(f"{served}/join/{opened(teacher, model=True)}", PHONE)
        joined(learner, "Heron", "My teacher may read them")
        said(learner, FIRST)
        expect(teacher.get_by_text("1 turn")).to_be_visible()
    said(learner, SECOND)
    expect(learner.get_by_text("does not answer")).to_be_visible()
    accessible(learner)
    expect(teacher.get_by_text("tiny. The learner waits, and nothing is lost.")).to_be_visible()
    accessible(teacher)
    teacher.get_by_role("button", name="Go on with the built-in player").click()
    expect(learner.get_by_text("Your teacher has let somebody else play from here")).to_be_visible()
    expect(learner.get_by_text(SECOND)).to_have_count(1)
    said(learner, "Does it hurt?")


def test_a_model_in_a_mixed_team_that_fails_can_be_replaced_too(
    house: House, served: str, visit: Visits, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual: Any = Models.__init__.__kwdefaults__
    monkeypatch.setattr(Models.__init__, "__kwdefaults__", {**usual, "manners": HASTY})
    teacher, learner = visit(served + "/teach"), visit(served + "/join", PHONE)
    with running() as url:
        house.models = ModelOptions(written(tmp_path, url))
        plan = {
            "name": "Monday",
            "cases": [{"case": "cardiology-01", "seat": "patient"}],
            "players": {"doctor": "baseline+discuss:model:tiny"},
        }
        answer = teacher.request.post(f"{served}/api/rooms", data=plan, headers={"Origin": served})
        assert answer.status == 201, answer.text()
    room = answer.json()
    learner.goto(f"{served}/join/{room['code']}")
    joined(learner, "Heron")
    expect(learner).to_have_url(re.compile("/practise/"))
    path = f"{served}/api/sittings/{learner.url.partition('/practise/')[2]}"
    while (state := learner.request.get(path).json())["status"] != "paused":
        if state["status"] == "yours":
            reply = {"ticket": state["ticket"], "move": {"answer": "My chest hurts."}}
            taken = learner.request.post(f"{path}/moves", data=reply, headers={"Origin": served})
            assert taken.ok, taken.text()
    teacher.goto(f"{served}/teach/rooms/{room['id']}")
    teacher.get_by_role("button", name="Go on with the built-in player").click()
    expect(learner.get_by_text("It is over.")).to_be_visible()  # it was about to conclude


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_three_clicks_lead_to_a_link_and_its_code_lets_a_learner_in(
    served: str, visit: Visits, screen: Screen
) -> None:
    teacher, learner = visit(served + "/teach", screen), visit(served + "/join", PHONE)
    code = opened(teacher)
    expect(teacher.locator(".invite img")).to_have_js_property("complete", True)
    assert teacher.locator(".invite img").evaluate("image => image.naturalWidth") > 0
    accessible(learner)
    learner.get_by_label("The code your teacher shows").fill(code.lower())
    learner.get_by_role("button", name="Go in").click()
    expect(learner.get_by_role("heading", name="Before you begin")).to_be_visible()


def test_a_person_marks_a_station_blind_with_extra_time_in_the_results(served: str, visit: Visits) -> None:
    teacher = visit(served + "/teach")
    teacher.get_by_role("link", name="Make a room").first.click()
    teacher.locator(".picked label").first.click()
    teacher.get_by_text("A station clock").click()
    teacher.get_by_text("Run the clock").click()
    teacher.get_by_label("Reading time, seconds").fill("0")
    teacher.get_by_role("button", name="Open the room").click()
    code = teacher.locator(".code-big").first.inner_text()
    for name in ("Heron", "Wren"):
        learner = visit(f"{served}/join/{code}", PHONE)
        joined(learner, name, "My teacher may read them")
        expect(teacher.get_by_text("at work")).to_have_count(1)
        concluded(learner)
        expect(teacher.get_by_text("ended")).to_have_count(1 if name == "Heron" else 2)
    teacher.get_by_label("More time").nth(1).select_option("25")
    teacher.get_by_role("link", name="Mark", exact=True).first.click()
    teacher.get_by_label("Who marks").fill("Dr Lind")
    teacher.get_by_role("button", name="That is me").click()
    visit.expect_trouble("400")
    teacher.get_by_role("button", name="Keep the marks").click()
    expect(teacher.get_by_role("alert")).to_contain_text("No item is marked yet")
    teacher.get_by_role("radio", name="Done", exact=True).first.click()
    expect(teacher.get_by_text("1 of ")).to_be_visible()
    teacher.reload()
    expect(teacher.get_by_role("radio", name="Done", exact=True).first).to_be_checked()
    accessible(teacher)
    for item in teacher.get_by_role("radio", name="Not done", exact=True).all()[1:]:
        item.click()
    expect(teacher.get_by_text("By rules:")).to_have_count(0)
    teacher.get_by_role("button", name="Keep the marks").click()
    expect(teacher.get_by_text("Kept:")).to_be_visible()
    accessible(teacher)
    teacher.get_by_role("link", name="Next: Wren").click()
    expect(teacher.get_by_role("heading", level=1)).to_contain_text("Marking Wren")
    expect(teacher.get_by_text("0 of ")).to_be_visible()
    teacher.get_by_role("link", name="The board").click()
    teacher.get_by_role("link", name="Results").click()
    expect(teacher.get_by_role("row").filter(has_text="Wren")).to_contain_text("25 %")
    expect(teacher.get_by_role("row").filter(has_text="Heron")).to_contain_text(
        "marks on the sheet (Dr Lind)"
    )
    accessible(teacher)


def test_a_candidate_takes_a_station_once_and_again_when_the_teacher_lets_them(
    served: str, visit: Visits
) -> None:
    teacher = visit(served + "/teach")
    teacher.get_by_role("link", name="Make a room").first.click()
    teacher.locator(".picked label").first.click()
    teacher.get_by_text("A station clock").click()
    teacher.get_by_text("Run the clock").click()
    teacher.get_by_label("Reading time, seconds").fill("0")
    teacher.get_by_role("button", name="Open the room").click()
    code = teacher.locator(".code-big").first.inner_text()
    expect(teacher.get_by_text("ask whoever runs this server to start it")).to_be_visible()
    learner = visit(f"{served}/join/{code}", PHONE)
    joined(learner, "Heron", "My teacher may read them")
    concluded(learner)
    expect(teacher.get_by_text("ended")).to_be_visible()
    learner.goto(f"{served}/join/{code}")
    expect(learner.get_by_text("Taken. Your teacher can let you begin again.")).to_be_visible()
    expect(learner.get_by_role("button", name="Begin anew")).to_have_count(0)
    accessible(learner)
    teacher.get_by_role("button", name="Let Heron begin again").click()
    accessible(teacher)
    teacher.get_by_role("dialog").get_by_role("button", name="Let Heron begin again").click()
    expect(teacher.get_by_role("button", name="Let Heron begin again")).to_have_count(0)
    learner.reload()
    learner.get_by_role("button", name="Begin anew").click()
    expect(learner).to_have_url(re.compile("/practise/"))
    sitting = learner.url.partition("/practise/")[2]
    visit.expect_trouble("410")
    gone = learner.request.delete(f"{served}/api/sittings/{sitting}", headers={"Origin": served})
    assert gone.status == 204, gone.text()
    expect(teacher.get_by_text("deleted an encounter")).to_be_visible()
    expect(teacher.get_by_text("has not sat down yet")).to_have_count(0)


def test_the_teacher_chooses_the_learners_seat_and_learners_read_it_first(served: str, visit: Visits) -> None:
    teacher = visit(served + "/teach")
    teacher.get_by_role("link", name="Make a room").first.click()
    teacher.get_by_role("searchbox", name="Cases").fill("ward round")
    teacher.locator(".picked label").first.click()
    expect(teacher.get_by_role("radio", name="Student")).to_be_checked()
    expect(teacher.get_by_text("Each learner has an encounter of their own")).to_be_visible()
    accessible(teacher)
    teacher.get_by_role("button", name="Open the room").click()
    code = teacher.locator(".code-big").first.inner_text()
    learner = visit(f"{served}/join/{code}", PHONE)
    expect(learner.get_by_text("A student. You have an encounter of your own")).to_be_visible()
    accessible(learner)
    joined(learner, "Heron")
    expect(learner.get_by_role("heading", name=re.compile("questions before the rounds"))).to_be_visible()
