"""Searching what was said, failure tags, and views as links, in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from osler.store.store import open_store
from osler.web.house import House
from tests.web.conftest import serving
from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import DESKTOP, PHONE, Screen, Visits
from tests.web_browser.test_evaluate import played


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a server over a store with one run of three consultations, and the run's name."""
    with (
        open_store(tmp_path_factory.mktemp("search") / "osler.db") as store,
        serving(House(store)) as address,
    ):
        yield address, played(store).name


def test_from_words_to_the_exchange_in_which_they_were_said(visit: Visits, bench: tuple[str, str]) -> None:
    address, _ = bench
    page = visit(f"{address}/evaluate")
    page.get_by_role("link", name="Search what was said").click()
    page.get_by_role("searchbox", name="Words").fill('"left arm"')
    lines = page.get_by_role("list", name="Lines").get_by_role("listitem")
    expect(lines.first.locator("mark").first).to_have_text("left arm")
    expect(page).to_have_url(re.compile("q=%22left\\+arm%22"))
    accessible(page)
    lines.first.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Episode")
    expect(page.get_by_role("list", name="Transcript").locator("mark").first).to_have_text("left arm")


@pytest.mark.parametrize("screen", [DESKTOP, PHONE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_copied_address_opens_the_same_lines(
    visit: Visits, bench: tuple[str, str], screen: Screen, scheme: str
) -> None:
    address, run = bench
    copied = f"{address}/evaluate/search?q=arm&seat=patient&run={run}&protocol=consultation"
    page = visit(copied, screen, scheme=scheme)
    lines = page.get_by_role("list", name="Lines").get_by_role("listitem")
    expect(lines.first.locator("mark").first).to_have_text("arm")
    expect(page.get_by_role("searchbox", name="Words")).to_have_value("arm")
    if screen is PHONE:
        page.get_by_text("Filters (3 on)").click()
    for name, value in (("Run", run), ("Seat", "patient"), ("Protocol", "consultation")):
        expect(page.get_by_role("combobox", name=name, exact=True)).to_have_value(value)
    accessible(page)


def test_a_copied_address_opens_the_same_episodes(visit: Visits, bench: tuple[str, str]) -> None:
    address, run = bench
    page = visit(f"{address}/evaluate/runs/{run}")
    rows = page.get_by_role("table", name="Episodes").get_by_role("row")
    expect(rows).to_have_count(4)
    page.get_by_label("What went wrong (3 scored)").select_option("never_examined")
    expect(page).to_have_url(re.compile("failure=never_examined"))
    expect(page.get_by_role("link", name=re.compile("^Exchange ")).first).to_be_visible()
    page.get_by_label("Sort by").select_option("turns")
    page.get_by_label("Order").select_option("1")
    expect(page).to_have_url(re.compile("sort=turns&down=1"))
    page.get_by_role("checkbox").first.check()
    expect(page).to_have_url(re.compile("chosen="))
    accessible(page)

    def seen(of: Page) -> list[str]:
        return of.get_by_role("table", name="Episodes").all_inner_texts()

    other = visit(page.url)  # another person's browser, which has nothing of this one's
    expect(other.get_by_role("region", name="Chosen to compare")).to_contain_text("is chosen")
    expect(other.get_by_role("checkbox").first).to_be_checked()
    expect(other.get_by_role("table", name="Episodes")).to_contain_text("Exchange")
    assert seen(other) == seen(page)
