"""The page in a real browser: nothing overflows a phone, nothing runs, nothing is fetched."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from osler.reports.html import report_html
from osler.store.store import open_store
from osler.studies.reporting import report_runs
from tests.reports.stored_runs import HOSTILE, LONG, Episode, write_run

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs with hostile and long names."""
    folder = tmp_path_factory.mktemp("page")
    with open_store(folder / "osler.db") as store:
        long = Episode(diagnosis=LONG[:300], case_id=LONG, says=LONG[:3900], specialty=LONG, order=LONG[:300])
        runs = [
            write_run(store, long, Episode(diagnosis="Pneumonia", case_id=HOSTILE), unknown=LONG),
            write_run(store, Episode(), doctor="null"),
        ]
        out = folder / "report.html"
        out.write_text(report_html(report_runs(runs, store)), encoding="utf-8")
    return out


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_the_screen_and_asks_for_nothing(page_file: Path, width: int, scheme: str) -> None:
    if CHROMIUM is None:
        pytest.skip("no chromium is installed: the page is not opened in a browser")
    pytest.importorskip(
        "playwright", reason="playwright is not installed: the page is not opened in a browser"
    )
    playwright: Any = __import__("playwright.sync_api", fromlist=["sync_playwright"])
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
        asked: list[str] = []
        trouble: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: trouble.append(message.text))
        page.on("dialog", lambda dialog: trouble.append(dialog.message))
        page.goto(page_file.as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        wide = page.evaluate("document.documentElement.scrollWidth")
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        browser.close()
    assert wide == width, "the page is scrolled sideways"
    assert asked == [page_file.as_uri()]
    assert trouble == []
    assert colour == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(20, 23, 27)")
