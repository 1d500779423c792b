"""Text that is struck through goes, within its paragraph, and nothing else does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.text.struck_text import without_struck

WORDS = st.text("abc xyz.", min_size=1, max_size=12).filter(lambda text: bool(text.strip()))


@given(st.lists(st.sampled_from(["~~", "~", "a", " ", "\n", "\n\n", "b~c"]), max_size=30).map("".join))
def test_struck_text_goes_and_nothing_else_does(text: str) -> None:
    kept = without_struck(text)
    rest = iter(text)
    assert all(letter in rest for letter in kept)  # what is kept stands in the text in this order
    if "~~" not in text:
        assert kept == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("give ~~5 mg~~ 10 mg", "give  10 mg"),
        ("~~two\nlines~~ one", " one"),
        ("wait ~~5 minutes", "wait ~~5 minutes"),
        ("~~one\n\ntwo~~", "~~one\n\ntwo~~"),
        ("~~~\ncode\n~~~", "~~~\ncode\n~~~"),
        ("~~a~~ ~~b~~ ~~c", "  ~~c"),
        ("a ~~b\nc~~ d", "a  d"),
        ("a ~~b\n\nc~~ d", "a ~~b\n\nc~~ d"),
        ("a ~~b~~ c ~~d", "a  c ~~d"),
        ("1 ~ 2", "1 ~ 2"),
        ("\\~~a\\~~ ~~b~~", "\\~~a\\~~ "),
    ],
)
def test_struck_text_ends_within_its_paragraph(text: str, kept: str) -> None:
    assert without_struck(text) == kept


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5))
def test_all_that_is_struck_is_dropped_and_nothing_else(pairs: list[tuple[str, str]]) -> None:
    text = "".join(f"{kept}~~{dropped}~~" for kept, dropped in pairs)
    assert without_struck(text) == "".join(kept for kept, _ in pairs)
