"""Two episodes in two hospitals on one clock: a branch beside the episode that it left."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect

from osler.core.registry import protocol_named
from osler.runs import branching
from osler.runs import run as runs
from osler.store.store import Store, open_store
from osler.web.house import House
from tests.web.conftest import serving
from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import PHONE, Visits

KEPT = 8


def _play(store: Store) -> tuple[str, str]:
    config = protocol_named("consultation").config(limit=1)
    source = runs.opened(config)
    first = runs.play(runs.begin(config, store, source=source), store, source=source).run
    found = branching.branch(store, first.id, 0, KEPT, seats={"doctor": "baseline-naive"})
    second = runs.play(branching.begin(found, store, found.config), store).run
    return f"{first.name}:0", f"{second.name}:0"


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address at which an episode and its branch stand side by side."""
    with open_store(tmp_path_factory.mktemp("pair") / "osler.db") as store, serving(House(store)) as address:
        with ThreadPoolExecutor(1) as other:  # the browser's driver has the loop of this thread
            a, b = other.submit(_play, store).result()
        yield f"{address}/evaluate/compare?a={a}&b={b}"


def test_what_they_share_is_the_same_in_both_until_they_part(visit: Visits, pair: str) -> None:
    page = visit(pair, PHONE)
    page.get_by_role("radio", name="In the hospital").click()
    player = page.get_by_role("region", name="Player of both")
    expect(player.get_by_text("All is the same in both so far.")).to_be_visible()
    page.get_by_role("radio", name="Doctor's eyes").click()
    accessible(page)

    player.get_by_role("button", name="Go to where they part").click()
    expect(player.get_by_role("status")).to_have_text("They have parted.")
    place = player.get_by_role("slider", name="Place in both").input_value()
    expect(page).to_have_url(re.compile(rf"t={place}\b"))
    sides = [
        page.get_by_role("region", name=f"{name} episode in the hospital") for name in ("First", "Second")
    ]
    shared = [side.get_by_role("list", name="In both").inner_text() for side in sides]
    assert shared[0] == shared[1] != ""
    own = [side.get_by_role("list", name="In this one alone") for side in sides]
    page.reload()
    expect(player.get_by_role("status")).to_have_text("They have parted.")
    player.get_by_role("slider", name="Place in both").press("ArrowRight")
    player.get_by_role("slider", name="Place in both").press("ArrowRight")
    assert own[0].inner_text() != own[1].inner_text()
