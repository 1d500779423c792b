"""The documents' pictures: the program draws the same bytes again, with words for those who cannot see them.

`python -m docs.pictures.draw` draws them anew where the program has changed.
"""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from docs.pictures.canvas import Canvas, wrapped
from docs.pictures.draw import PICTURES, drawn

FOLDER = Path(__file__).parent.parent / "docs/pictures"
NAMESPACE = "{http://www.w3.org/2000/svg}"
SVGS = sorted(FOLDER.glob("*.svg"))


@pytest.mark.parametrize("name", PICTURES)
def test_the_program_draws_the_same_bytes(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    again = (FOLDER / f"{name}.svg").read_text("utf-8") == drawn(name)
    assert again, "run: python -m docs.pictures.draw"


def test_every_drawn_picture_is_there() -> None:
    assert {"architecture", *PICTURES} == {path.stem for path in SVGS}


@pytest.mark.parametrize("path", SVGS, ids=lambda path: path.stem)
def test_a_picture_has_words_and_both_schemes_and_loads_nothing(path: Path) -> None:
    text = path.read_text("utf-8")
    root = ElementTree.fromstring(text)
    assert root.get("role") == "img"
    assert [root.find(f"{NAMESPACE}{name}").text for name in ("title", "desc")]  # type: ignore[union-attr]
    assert "prefers-color-scheme:dark" in text
    assert not re.search(r"<script|<image|href=|@import|url\((?!#)", text)


@pytest.mark.parametrize("path", SVGS, ids=lambda path: path.stem)
def test_everything_drawn_is_inside_the_picture(path: Path) -> None:
    root = ElementTree.fromstring(path.read_text("utf-8"))
    _, _, width, height = map(float, str(root.get("viewBox")).split())
    for one in [*root.iter(f"{NAMESPACE}text"), *root.iter(f"{NAMESPACE}rect")]:
        right = float(one.get("x", 0)) + float(one.get("width", 0))
        bottom = float(one.get("y", 0)) + float(one.get("height", 0))
        assert 0 <= right <= width
        assert 0 <= bottom <= height


def test_hostile_words_stay_words() -> None:
    canvas = Canvas(300, "<b>", "a & b")
    canvas.box(0, 0, 290, 40, title="</svg><script>", text="x")
    root = ElementTree.fromstring(canvas.svg())
    assert [one.tag for one in root.iter() if "script" in one.tag] == []
    assert "</svg><script>" in "".join(root.itertext())


def test_text_is_wrapped_to_its_width() -> None:
    assert wrapped("one two three", 60) == ["one two", "three"]
    assert wrapped("", 60) == [""]
