"""Runs compared in a browser: ticked in the list, down to the words that a mark quotes; eight large ones."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from playwright.sync_api import expect

from osler.core.registry import protocol_named
from osler.runs import run as runs
from osler.store.store import Store, open_store
from osler.web.house import House
from tests.studies.test_compare import played
from tests.web.conftest import serving
from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import PHONE, Visits

MANY = {f"case-{n:04}": [float(n % 3 > 0)] for n in range(2_000)}
LOST = {"case-0100": [0.0], "case-1900": [0.0]}


def consultations(store: Store, doctor: str) -> None:
    """Play three consultations, in a thread: the browser's driver has the loop of this one."""
    config = protocol_named("consultation").config(limit=3, doctor=doctor)
    source = runs.opened(config)
    begun = runs.begin(config, store, source=source, name=doctor)
    with ThreadPoolExecutor(1) as other:
        other.submit(runs.play, begun, store, source=source).result()


@pytest.mark.smoke
def test_from_the_list_of_runs_to_the_words_that_a_mark_quotes(visit: Visits, tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store, serving(House(store)) as address:
        for doctor in ("baseline", "null"):
            consultations(store, doctor)
        page = visit(f"{address}/evaluate")
        for doctor in ("baseline", "null"):
            page.get_by_role("checkbox", name=f"Choose {doctor} to compare").check()
        page.get_by_role("link", name="Compare 2 runs").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Runs compared")
        headings = page.get_by_role("heading", level=2)
        expect(page.get_by_text("No language model took part in any of these runs")).to_be_visible()
        expect(page.get_by_role("table", name="Cases by run")).to_be_visible()
        order = [
            "What differs",
            "Against the baseline",
            "Figures",
            "What it cost",
            "Case by case",
            "The same in",
        ]
        expect(headings).to_contain_text(order)
        differing = page.get_by_role("region", name="Settings that differ").get_by_role("row")
        expect(differing.last).to_contain_text("Doctor")
        accessible(page)

        page.get_by_role("combobox", name="Who is right").select_option(label="A right and B wrong")
        expect(page.get_by_text("cases fit")).to_be_visible()
        page.get_by_role("table", name="Cases by run").get_by_role("button").first.click()
        dialog = page.get_by_role("dialog")
        beside = dialog.get_by_role("link", name="Transcripts side by side: B and the baseline")
        expect(beside).to_be_visible()
        accessible(page)
        beside.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Two episodes side by side")
        expect(page.get_by_text("Here they part")).to_be_visible()
        page.get_by_role("link", name="Trace, marks and quotes of the first episode").click()
        expect(page.get_by_role("region", name="Judgements").locator("q").first).to_be_visible()

        page.goto(f"{address}/evaluate/runs/baseline?tab=report")
        page.get_by_role("combobox", name="Beside another run").select_option("null")
        expect(page).to_have_url(re.compile("against=null"))
        expect(page.frame_locator("iframe").get_by_text("null").first).to_be_attached()
        visit.close()  # before its server goes


def test_eight_runs_of_two_thousand_cases_hold_only_the_rows_in_sight(visit: Visits, tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store, serving(House(store)) as address:
        for n in range(8):
            played(store, f"run-{n}", {**MANY, **LOST} if n == 7 else MANY)
        names = "&".join(f"run=run-{n}" for n in range(8))
        page = visit(f"{address}/evaluate/compare-runs?{names}", PHONE)
        table = page.get_by_role("table", name="Cases by run")
        expect(table).to_have_attribute("aria-rowcount", "2001")
        assert table.get_by_role("row").count() < 60
        table.evaluate("box => { box.scrollTop = 190 * 194 }")
        expect(table.get_by_role("button", name="case-0190")).to_be_attached()
        expect(table.get_by_role("button", name="case-0210")).to_have_count(0)
        assert table.get_by_role("row").count() < 60
        page.get_by_text("Filters").first.click()
        page.get_by_role("combobox", name="Show").select_option("worse")
        expect(table).to_have_attribute("aria-rowcount", "3")
        expect(table.get_by_role("rowheader")).to_have_text(list(LOST))
        expect(table.get_by_text("worse than the baseline")).to_have_count(2)
        visit.close()
