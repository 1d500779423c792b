"""The committed front end is the one that its sources build; checked by hash, so that no node is needed."""

from __future__ import annotations

import gzip
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DIST = ROOT / "src/osler/web/dist"
FILES = sorted(path for path in DIST.rglob("*") if path.is_file())


def test_the_built_files_are_of_these_sources() -> None:
    found = runpy.run_path(str(ROOT / "web/seal.py"))["source_hash"]()
    assert found == (DIST / "BUILD").read_text().strip(), "run `make web` and commit src/osler/web/dist"


@pytest.mark.parametrize(
    "packed", [path for path in FILES if path.suffix == ".gz"], ids=lambda path: path.name
)
def test_a_packed_file_is_its_neighbour(packed: Path) -> None:
    assert gzip.decompress(packed.read_bytes()) == packed.with_suffix("").read_bytes()


def test_nothing_built_needs_more_than_the_content_policy_allows() -> None:
    page = (DIST / "index.html").read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|data:", page)
    for path in FILES:
        assert path.suffix != ".map"
        if path.suffix == ".css" and path.parent.name != "page":
            assert not re.search(r"url\((?!/assets/)", path.read_text()), path.name


def test_the_page_of_an_episode_is_one_script_and_one_style_that_fetch_nothing() -> None:
    page = DIST / "page"
    assert {path.name for path in page.iterdir()} == {"page.js", "page.css"}
    script, style = ((page / name).read_text() for name in ("page.js", "page.css"))
    assert not re.search(r"\bimport\(|\bfetch\(|XMLHttpRequest|EventSource|</script|<!--", script)
    assert not re.search(r"url\((?!data:font/woff2;)|@import|</style", style)
    assert len(script) + len(style) < 800_000, "a page is to stay below 1.5 MB with an episode in it"


def test_the_first_screen_is_small() -> None:
    first = re.findall(r'(?:src|href)="(/[^"]+)"', (DIST / "index.html").read_text())
    files = [DIST / address.lstrip("/") for address in first] + [DIST / "assets/FrontDoor.js"]
    packed = sum(len(gzip.compress(path.read_bytes(), 9)) for path in files)
    fonts = sum(path.stat().st_size for path in FILES if "latin-wght" in path.name)
    assert packed + fonts <= 250 * 1024
