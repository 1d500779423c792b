"""Evaluating in a browser: from the list of runs to the quote in a transcript, side by side, and what if."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from osler.core.registry import protocol_named
from osler.runs import run as runs
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from osler.web.house import House
from tests.web.conftest import serving
from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import PHONE, Visits


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a server over a store with one run of three consultations, and the run's name."""
    where = tmp_path_factory.mktemp("bench") / "osler.db"
    with open_store(where) as store, serving(House(store)) as address:
        yield address, played(store).name


def played(store: Store) -> RunInfo:
    """Play three consultations, in a thread: the browser's driver has the loop of this one."""
    config = protocol_named("consultation").config(limit=3)
    source = runs.opened(config)
    begun = runs.begin(config, store, source=source)
    with ThreadPoolExecutor(1) as other:
        return other.submit(runs.play, begun, store, source=source).result().run


def trace(visit: Visits, bench: tuple[str, str], n: int = 0, search: str = "") -> Page:
    address, run = bench
    page = visit(f"{address}/evaluate/runs/{run}/{n}{search}")
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"Episode {n}")
    return page


@pytest.mark.smoke
def test_from_the_list_to_the_words_that_a_judgement_quotes(visit: Visits, bench: tuple[str, str]) -> None:
    address, run = bench
    page = visit(f"{address}/evaluate")
    expect(page.get_by_role("list", name="Runs").get_by_role("listitem")).to_have_count(1)
    accessible(page)

    page.get_by_role("link", name=run).click()
    rows = page.get_by_role("table", name="Episodes").get_by_role("row")
    expect(rows).to_have_count(4)  # the heads, and three episodes
    accessible(page)
    page.get_by_role("searchbox", name="Find").fill("cardiology-02")
    expect(rows).to_have_count(2)
    expect(page).to_have_url(re.compile("q=cardiology-02"))  # so that the view can be sent to a colleague
    page.reload()
    expect(rows).to_have_count(2)

    rows.last.click()  # anywhere in the row
    expect(page.get_by_role("heading", level=1)).to_have_text("Episode 1: cardiology-02")
    expect(page.get_by_text("Proved", exact=True)).to_be_visible()
    accessible(page)

    quote = page.get_by_role("region", name="Judgements").get_by_role("button", name="show it in the").last
    words = quote.locator("q").inner_text()
    quote.click()
    marked = page.get_by_role("list", name="Transcript").locator("mark")
    expect(marked).to_have_text(re.compile(re.escape(words), re.IGNORECASE))
    expect(marked).to_be_in_viewport()


def test_each_part_of_a_request_is_shown_as_its_seat_saw_it(visit: Visits, bench: tuple[str, str]) -> None:
    page = trace(visit, bench, search="?e=3")
    chosen = page.get_by_role("region", name="The chosen exchange")
    expect(chosen.get_by_role("heading", level=2)).to_contain_text("Exchange 3: doctor, ask")
    for tab, shown in (
        ("View", "Woman, 58. Emergency department. Chest ache."),
        ("Feed", "When did this start"),
        ("Prompt", "No model was asked"),
        ("Reply", "As it was given"),
        ("Reasoning", "No reasoning is recorded"),
        ("Attempts", "Taken at the first attempt"),
    ):
        chosen.get_by_role("tab", name=tab).click()
        expect(chosen.get_by_role("tabpanel", name=tab)).to_contain_text(shown)
    accessible(page)


def test_keys_lead_from_exchange_to_exchange_and_can_be_switched_off(
    visit: Visits, bench: tuple[str, str]
) -> None:
    page = trace(visit, bench)
    heading = page.get_by_role("region", name="The chosen exchange").get_by_role("heading", level=2)
    expect(heading).to_contain_text("Exchange 1")
    page.keyboard.press("j")
    page.keyboard.press("ArrowRight")
    expect(heading).to_contain_text("Exchange 3")
    page.keyboard.press("k")
    expect(heading).to_contain_text("Exchange 2")

    page.keyboard.press("?")
    page.get_by_text("Use single keys").click()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    expect(heading).to_contain_text("Exchange 2")


def test_shift_leads_to_the_next_episode(visit: Visits, bench: tuple[str, str]) -> None:
    page = trace(visit, bench)
    page.keyboard.press("Shift+J")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Episode 1")


def test_two_episodes_ticked_in_the_table_stand_side_by_side(visit: Visits, bench: tuple[str, str]) -> None:
    address, run = bench
    page = visit(f"{address}/evaluate/runs/{run}", PHONE)
    page.get_by_role("checkbox", name="Choose episode 0").check()
    page.get_by_role("checkbox", name="Choose episode 2").check()
    page.get_by_role("link", name="Compare", exact=True).click()
    expect(page.get_by_role("region", name="First episode")).to_contain_text(f"{run}:0")
    expect(page.get_by_role("region", name="Second episode")).to_contain_text(f"{run}:2")
    expect(page.get_by_text("two worlds")).to_be_visible()
    accessible(page)


def test_other_words_make_a_branch_beside_the_old_episode(visit: Visits, bench: tuple[str, str]) -> None:
    page = trace(visit, bench, search="?e=5")
    page.get_by_role("button", name="What if?").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Say this instead").fill("Do you take any recreational drugs?")
    accessible(page)
    dialog.get_by_role("button", name="Play on from here").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Two episodes side by side")
    expect(page.get_by_text("Here they part: exchange 5, doctor")).to_be_visible()
    after = page.get_by_role("list", name="Exchanges after they part").get_by_role("listitem").first
    expect(after).to_contain_text("Do you take any recreational drugs?", timeout=90_000)
    expect(page.get_by_role("region", name="Second episode")).to_contain_text("completed")
    accessible(page)


def test_news_that_come_faster_than_answers_keep_nobody_from_the_end(
    visit: Visits, bench: tuple[str, str]
) -> None:
    page = trace(visit, bench, search="?e=5")
    held, free = list[Route](), list[bool]()
    page.route("**/api/compare?*", lambda route: route.continue_() if free else held.append(route))
    page.get_by_role("button", name="What if?").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Say this instead").fill("Where is the pain?")
    with page.expect_request("**/api/compare?*"):
        dialog.get_by_role("button", name="Play on from here").click()
    page.clock.install()
    held.pop().continue_()
    with page.expect_request("**/api/compare?*"):
        page.clock.run_for(10_000)
    page.clock.run_for(60_000)
    assert len(held) == 1, "what is on its way is not given up and asked for again"
    free.append(True)
    held[0].continue_()
    page.clock.resume()
    expect(page.get_by_role("region", name="Second episode")).to_contain_text("completed", timeout=90_000)


def test_a_row_opens_in_a_tab_of_its_own(visit: Visits, bench: tuple[str, str]) -> None:
    address, run = bench
    page = visit(f"{address}/evaluate/runs/{run}")
    rows = page.get_by_role("table", name="Episodes").get_by_role("row")
    with page.context.expect_page() as opened:
        rows.nth(2).click(modifiers=["ControlOrMeta"])
    expect(opened.value.get_by_role("heading", level=1)).to_contain_text("Episode 1")
    rows.nth(2).get_by_role("checkbox").check()
    expect(page).to_have_url(re.compile(f"{run}$"))


def test_another_chair_is_taken_from_an_instant(visit: Visits, bench: tuple[str, str]) -> None:
    page = trace(visit, bench, search="?e=3")
    page.get_by_role("button", name="What if?").click()
    page.get_by_text("Take this chair: go on yourself").click()
    page.get_by_role("button", name="Take this chair").click()
    expect(page).to_have_url(re.compile("/practise/"))


def test_a_run_is_planned_started_and_followed(visit: Visits, tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store, serving(House(store)) as address:
        page = visit(f"{address}/evaluate/start")
        page.get_by_role("textbox", name="Only the first").fill("1")
        plan = page.get_by_role("complementary", name="The plan")
        expect(plan).to_contain_text("1 episode. No language model takes part, so it costs nothing.")
        expect(plan).to_contain_text("osler run consultation library --limit 1")
        accessible(page)
        page.get_by_role("button", name="Start the run").click()
        # It is played by a process of its own, which takes a while to begin on a busy machine.
        rows = page.get_by_role("table", name="Episodes").get_by_role("row")
        expect(rows).to_have_count(2, timeout=90_000)
        expect(page.get_by_text("1 of 1")).to_be_visible()
        page.get_by_role("tab", name="Figures").click()
        expect(page.get_by_role("region", name="Measures")).to_contain_text("Right")
        accessible(page)
        page.get_by_role("tab", name="Report").click()
        report = page.frame_locator("iframe").get_by_role("heading", level=1)
        expect(report).to_have_text("Report of a run")
