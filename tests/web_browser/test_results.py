"""Studies, cards, rating sets and judged runs in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from playwright.sync_api import expect

from osler.reports.printed import Part
from osler.store.store import Store, open_store
from osler.studies.bench.card import json_text
from osler.studies.study.record import StudyRecord, record_text
from osler.web.house import House
from tests.studies.bench.test_bench import played
from tests.studies.judges.scripted import two_runs
from tests.web.conftest import serving
from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import PHONE, Visits

STUDY = StudyRecord(
    osler="1",
    study="two",
    title="Two doctors",
    question="Which <b>asks</b> better?",
    status="done",
    runs={"library": {"asks": "first", "concludes": "gone"}},
    value={},
    shown=(
        Part(text="Primary endpoint", heading=True),
        Part(
            columns=("condition", "right", "n"),
            right=(1, 2),
            rows=(("asks", "40% (20% to 60%)", "3"),),
        ),
    ),
)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over two judged and rated runs, with a study and a card in a folder."""
    base = tmp_path_factory.mktemp("shelf")
    (base / "out").mkdir()
    (base / "out" / "two.json").write_text(record_text(STUDY))
    (base / "out" / "odd.json").write_text("{}")
    with ThreadPoolExecutor(1) as other:  # the browser's driver has the loop of this thread
        (base / "out" / "card.json").write_text(json_text(other.submit(played, base / "b.db").result()))
    with open_store(base / "osler.db") as store:
        _judged(store)
        with serving(House(store, results=(base / "out",))) as address:
            yield address


def _judged(store: Store) -> None:
    two_runs(store, labelled=40)


@pytest.mark.smoke
def test_each_kind_of_result_is_listed_and_has_its_page(visit: Visits, shelf: str) -> None:
    page = visit(f"{shelf}/evaluate", PHONE)
    page.get_by_role("link", name="Studies, ratings, judges").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Studies, ratings and judges")
    expect(page.get_by_role("link", name="Two doctors")).to_be_visible()
    expect(page.get_by_role("region", name="Judged by two or more").get_by_role("link")).to_have_count(2)
    page.get_by_text("1 other files are not shown").click()
    expect(page.get_by_text("neither a record of a study nor a card")).to_be_visible()
    accessible(page)

    page.get_by_role("link", name="Two doctors").click()
    expect(page.get_by_text("Which <b>asks</b> better?")).to_be_visible()
    expect(page.get_by_role("cell", name="40% (20% to 60%)")).to_be_visible()
    expect(page.get_by_role("link", name="first")).to_be_visible()
    expect(page.get_by_text("not here")).to_be_visible()
    accessible(page)

    page.go_back()
    page.get_by_role("link", name="Osler", exact=False).filter(has_text="benchmark").click()
    expect(page.get_by_role("table").first).to_be_visible()
    expect(page.get_by_role("link", name="Open its own page")).to_be_visible()
    accessible(page)

    page.go_back()
    page.get_by_role("link", name="manager").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ratings: manager")
    expect(page.get_by_text("80 of 240", exact=True)).to_be_visible()
    accessible(page)

    page.go_back()
    page.get_by_role("region", name="Judged by two or more").get_by_role("link", name="first").click()
    expect(page.get_by_role("heading", level=2, name="Under fair")).to_be_visible()
    expect(page.get_by_role("table", name="Every two judges of the same episodes")).to_be_visible()
    accessible(page)
