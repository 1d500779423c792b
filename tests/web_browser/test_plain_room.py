"""A protocol from a plug-in, played in the room that is made from its forms and wording."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.handover import install
from tests.web_browser.accessibility import accessible
from tests.web_browser.conftest import DESKTOP, PHONE, Screen, Visits
from tests.web_browser.serve_process import serve_process


@pytest.mark.parametrize("screen", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_plug_in_is_played_to_its_end(visit: Visits, tmp_path: Path, screen: Screen) -> None:
    visit.expect_trouble("Failed to load resource")  # while the server is dead
    packages = tmp_path / "packages"
    packages.mkdir()
    with serve_process(tmp_path / "osler.db", install(packages)) as server:
        sitting = server.sit_down("handover", "giver", "copd-oxygen")
        page = visit(f"{server.url}/practise/{sitting}", screen)
        page.get_by_role("button", name="Begin").click()
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_text("This is needed.")).to_be_visible()
        accessible(page)
        page.get_by_label("Text").fill("She was drowsy, SpO2 97; now on 28 %, SpO2 90.")
        server.restart()
        page.reload()
        expect(page.get_by_label("Text")).to_have_value("She was drowsy, SpO2 97; now on 28 %, SpO2 90.")
        page.get_by_role("button", name="Send").click()
        for told in ("She retained CO2 in March.", "The gas showed 7.31.", "Target 88-92 %, gas at 19:15."):
            expect(page.get_by_label("Text")).to_have_value("")
            page.get_by_label("Text").fill(told)
            page.get_by_role("button", name="Send").click()
            expect(page.get_by_text(told).first).to_be_visible()
        expect(page.get_by_text("It is over.")).to_be_visible()
        expect(page.get_by_text("She was drowsy, SpO2 97").first).to_be_attached()
        page.get_by_role("link", name="See the debrief").click()
        expect(page.get_by_role("heading", name="Debrief", level=1)).to_be_visible()
        accessible(page)
