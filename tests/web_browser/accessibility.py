"""Accessibility of a page as it stands: axe in light and dark, and no scrolling sideways or into nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from tests.web_browser.conftest import DESKTOP, NARROW, PHONE

AXE: Final = Path("web/node_modules/axe-core/axe.min.js")
TAGS: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")
LOOKS: Final = [(screen, scheme) for screen in (DESKTOP, PHONE, NARROW) for scheme in ("light", "dark")]
SHORT: Final = [(DESKTOP, "light"), (PHONE, "dark")]
"""The looks that are tried by axe, which takes a second each; OSLER_AXE=all tries all six."""
_SETTLED: Final = """() => new Promise(done => {
    const moving = one => one.playState === "running" && one.effect.getTiming().iterations !== Infinity;
    const look = () => document.getAnimations().some(moving) ? requestAnimationFrame(look) : done();
    requestAnimationFrame(() => requestAnimationFrame(look));
})"""  # another scheme's colours come by transitions, parents first
_BELOW: Final = """() => {
    const page = document.documentElement, foot = document.querySelector("footer");
    return foot ? Math.round(page.scrollHeight - foot.getBoundingClientRect().bottom - scrollY) : 0;
}"""
_RUN: Final = """tags => axe
    .run(document, {runOnly: {type: "tag", values: tags}, resultTypes: ["violations"]})
    .then(found => found.violations.map(one => ({id: one.id, help: one.help,
        nodes: one.nodes.slice(0, 4).map(node => node.target.join(" ") + ": " + node.failureSummary)})))"""


def accessible(page: Page) -> None:
    """Fail with what axe finds wrong in a page in light and dark, and where it scrolls sideways or beyond its
    footer."""
    expect(page.get_by_role("heading", level=1).first).to_be_attached()  # on a slow machine it is drawn later
    before, wrong = page.viewport_size, list[str]()
    for screen, scheme in LOOKS:
        look = f"{screen.width} px, {scheme}"
        page.set_viewport_size({"width": screen.width, "height": screen.height})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.evaluate(_SETTLED)
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > screen.width:
            wrong.append(f"{look}: {wide} px wide, so it scrolls sideways")
        if (below := page.evaluate(_BELOW)) > 1:
            wrong.append(f"{look}: it goes on {below} px below its footer")
        if (screen, scheme) in SHORT or os.environ.get("OSLER_AXE") == "all":
            wrong += [f"{look}: {one}" for one in violations(page)]
    if before:
        page.set_viewport_size(before)
    page.emulate_media(color_scheme="light")
    assert not wrong, "\n".join(wrong)


def violations(page: Page) -> list[str]:
    """The rules of WCAG 2.2 AA, and axe's best practices, that a page breaks as it stands."""
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: npm ci --include=dev --prefix web")
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = page.evaluate(_RUN, list(TAGS))
    return [f"{one['id']} ({one['help']}) at " + "; ".join(one["nodes"]) for one in found]


def ends_with_its_content(page: Page) -> None:
    """Fail where a page can be scrolled past its footer, to an empty screen."""
    below = page.evaluate(_BELOW)
    assert below <= 1, f"it goes on {below} px below its footer"
