"""WordPiece: every text becomes rows of the vocabulary, whatever is in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.reading.encoder import END, START, UNKNOWN, WordPieces

VOCABULARY = [START, END, UNKNOWN, "does", "it", "hurt", "un", "##want", "##ed", "cafe", "?", "'"]
PIECES = WordPieces(VOCABULARY)


def read(text: str, earlier: str = "", most: int = 64) -> list[str]:
    return [VOCABULARY[row] for row in PIECES.rows(text, earlier, most=most)]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Does it hurt?", ["does", "it", "hurt", "?"]),
        ("UNWANTED", ["un", "##want", "##ed"]),
        ("Café\u200b", ["cafe"]),
        ("it'hurt", ["it", "'", "hurt"]),
        ("unwanting", [UNKNOWN]),
        ("疼", [UNKNOWN]),
        ("", []),
    ],
)
def test_words_are_read_by_their_longest_pieces(text: str, pieces: list[str]) -> None:
    assert read(text) == [START, *pieces, END]


def test_what_was_said_earlier_stands_ahead_and_gives_way() -> None:
    assert read("hurt?", "does it") == [START, "does", "it", END, "hurt", "?", END]
    assert read("hurt?", "does it", most=6) == [START, "it", END, "hurt", "?", END]
    assert read("hurt?", "does it", most=5) == [START, "hurt", "?", END]


@given(st.text(), st.text(), st.integers(4, 20))
def test_no_text_is_longer_than_it_may_be(text: str, earlier: str, most: int) -> None:
    rows = PIECES.rows(text, earlier, most=most)
    assert len(rows) <= most
    assert (rows[0], rows[-1]) == (VOCABULARY.index(START), VOCABULARY.index(END))


def test_a_text_without_end_is_cut() -> None:
    assert len(read("hurt " * 1_000_000)) == 64
    assert read("u" * 1_000_000) == [START, UNKNOWN, END]
