"""A run with a language model, started in a browser: its price and budget, what failed, and on from there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from osler.runs.seating import ModelOptions
from osler.store.store import open_store
from osler.web.house import House
from tests.endpoints import running
from tests.web.conftest import serving
from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import DESKTOP, PHONE, Visits


@pytest.fixture
def clinic(tmp_path: Path) -> Iterator[str]:
    """A server whose osler.toml names an endpoint without prices, whose first request fails."""
    with running(faults={"kinds": {"500": 1}, "until": 1}) as url:
        toml = tmp_path / "osler.toml"
        toml.write_text(f'[endpoints.fake]\nbase_url = "{url}"\nmodel = "tiny"\n')
        with (
            open_store(tmp_path / "osler.db") as store,
            serving(House(store, ModelOptions(config=toml))) as address,
        ):
            yield address


@pytest.mark.smoke
def test_a_run_is_priced_paused_at_its_budget_and_goes_on_within_a_larger_one(
    visit: Visits, clinic: str
) -> None:
    page = visit(f"{clinic}/evaluate/start", DESKTOP)
    page.get_by_label("Only the first").fill("1")
    page.get_by_role("combobox", name="Player").first.select_option("model:fake")
    page.get_by_label("Price of tokens sent").fill("1000")
    page.get_by_label("Price of tokens answered").fill("2000")
    page.get_by_label("Pause at a cost of").fill("3")
    plan = page.get_by_role("complementary", name="The plan")
    expect(plan.get_by_text("It may want more")).to_be_visible()
    expect(plan.get_by_text("--price fake=1000,2000")).to_be_visible()
    accessible(page)
    page.set_viewport_size({"width": 360, "height": 740})
    accessible(page)
    page.get_by_role("button", name="Start the run").click()

    spending = page.get_by_role("region", name="Spending")
    expect(page.get_by_text("money budget")).to_be_visible()
    expect(spending.get_by_role("cell", name="doctor")).to_be_visible()
    expect(spending.get_by_text("Server error")).to_be_visible()
    expect(spending.get_by_role("progressbar", name="Cost, of the budget")).to_be_visible()
    accessible(page)
    page.set_viewport_size({"width": PHONE.width, "height": PHONE.height})
    spending.get_by_label("Pause at a cost of").fill("")
    spending.get_by_role("button", name="Go on within this budget").click()
    expect(page.get_by_text("Done", exact=True)).to_be_visible()
    expect(page.get_by_text("1 of 1")).to_be_visible()
    expect(spending.get_by_role("button")).to_have_count(0)
