"""A longitudinal study in a browser: desks whose drawers fill, and a stage that opens one of its episodes."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect

from osler.protocols.consultation.longitudinal.design import Design
from osler.protocols.consultation.longitudinal.run_study import run_here, sits, studied
from osler.store.store import Store, open_store
from osler.web.house import House
from tests.web.conftest import serving
from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import PHONE, Visits

DESIGN = Design(
    cases="generated:40:1", by="random", blocks=2, orders=1, seeds=1, taught=3, probes=2, reserved=0.05
)


def _play(store: Store) -> str:
    study = studied(DESIGN)
    run_here(study, store, sits(study, store, 4), lambda _: None)
    return study.key


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a server with one study, and its key."""
    with open_store(tmp_path_factory.mktemp("desks") / "osler.db") as store, serving(House(store)) as address:
        with ThreadPoolExecutor(1) as other:  # the browser's driver has the loop of this thread
            key = other.submit(_play, store).result()
        yield address, key


@pytest.mark.smoke
def test_the_drawers_fill_by_stage_and_a_stage_opens_one_of_its_episodes(
    visit: Visits, study: tuple[str, str]
) -> None:
    address, key = study
    page = visit(f"{address}/evaluate", PHONE)
    page.get_by_role("link", name=key, exact=True).click()
    drawers = page.get_by_role("list", name="Drawers after stage 2")
    expect(drawers.get_by_role("listitem").filter(has_text="Right answers")).to_contain_text(
        "6 medical records"
    )
    accessible(page)

    page.get_by_role("slider").fill("1")
    drawers = page.get_by_role("list", name="Drawers after stage 1")
    expect(drawers.get_by_role("listitem").filter(has_text="Right answers")).to_contain_text(
        "3 medical records"
    )
    page.reload()
    expect(drawers).to_be_visible()
    page.get_by_role("slider").fill("0")
    expect(
        page.get_by_role("list", name="Drawers before the first stage").get_by_text("empty")
    ).to_have_count(4)

    page.get_by_role("link", name="Watch one of stage 1").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Watch episode 0")
