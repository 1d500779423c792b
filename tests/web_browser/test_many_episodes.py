"""Five thousand episodes in a browser: scrolled, sorted and filtered without ever holding them all."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from playwright.sync_api import expect

from osler.store.schema import episodes, exchanges, judgements, runs, scores
from osler.store.store import open_store
from osler.web.house import House
from tests.web.conftest import serving
from tests.web_browser.conftest import Visits
from tests.web_browser.test_evaluate import played

MANY = 5_000


def multiplied(connection: sa.Connection, run: int, there: int) -> None:
    """Copy a run's episodes to higher ordinals, until there are enough."""
    while there < MANY:
        for table in (episodes, exchanges, judgements, scores):
            plain = sa.table(table.name, *(sa.column(one.name) for one in table.columns))
            kept = [
                plain.c[one.name] + there if one.name == "ordinal" else plain.c[one.name]
                for one in table.columns
            ]
            rows = sa.select(*kept).where(plain.c.run == run, plain.c.ordinal < min(there, MANY - there))
            connection.execute(sa.insert(plain).from_select([one.name for one in table.columns], rows))
        there = min(2 * there, MANY)
    connection.execute(sa.update(runs).where(runs.c.id == run).values(planned=MANY))


def test_only_the_rows_in_sight_are_held_and_all_can_be_reached(visit: Visits, tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store, serving(House(store)) as address:
        run = played(store)
        with store.engine.begin() as connection:
            multiplied(connection, run.id, run.done)
        page = visit(f"{address}/evaluate/runs/{run.name}")
        table = page.get_by_role("table", name="Episodes")
        expect(table).to_have_attribute("aria-rowcount", str(MANY + 1))
        rows = table.get_by_role("row")
        assert rows.count() < 60

        asked = list[str]()
        page.on("request", lambda one: asked.append(one.url) if "/episodes?" in one.url else None)
        table.evaluate("box => { box.scrollTop = 190 * 40 }")
        expect(table.get_by_role("link", name="Episode 205:")).to_be_visible()  # of the next page
        table.evaluate("box => { box.scrollTop = 390 * 40 }")
        expect(table.get_by_role("link", name="Episode 395:")).to_be_visible()
        assert rows.count() < 60
        assert 1 <= len(asked) <= 3, "pages of 200 come as they are scrolled to, each once"

        page.get_by_role("combobox", name="Sort by").select_option("minutes")
        page.get_by_role("combobox", name="Order").select_option("1")
        expect(table.get_by_role("row").nth(1)).to_contain_text("4 h 7 min")  # the longest of the three
        page.get_by_role("combobox", name="Case").select_option("cardiology-02")
        expect(page.get_by_text("episodes fit")).to_contain_text("1,667")
        page.get_by_role("spinbutton", name="Go to number").fill("4321")
        page.get_by_role("button", name="Open").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Episode 4,321")
        visit.close()  # before its server goes
