"""The TF-IDF index: the cosine similarity of a sentence to others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.text.sentence_index import SentenceIndex, word_tokens

WORDS = st.lists(st.sampled_from("pain chest arm cough fever since how long tablet".split()), min_size=1)


def test_a_sentence_is_most_like_itself() -> None:
    index = SentenceIndex([["chest", "pain"], ["any", "allergy"], ["how", "long", "cough"]])
    found = index.similarities(["any", "allergy"])
    assert found.argmax() == 1
    assert found[1] == pytest.approx(1.0)
    assert found[0] == 0


def test_a_rare_word_tells_more_than_a_common_one() -> None:
    index = SentenceIndex([["have", "you", "pain"], ["have", "you", "fever"], ["have", "you", "goats"]])
    found = index.similarities(["have", "goats"])
    assert found.argmax() == 2


def test_long_words_with_one_beginning_share_a_token() -> None:
    assert "p:tabl" in word_tokens(["tablets"])
    assert "p:tabl" in word_tokens(["tablett"])


@given(st.lists(WORDS, min_size=1, max_size=8), WORDS)
def test_similarities_lie_between_nothing_and_the_same(sentences: list[list[str]], said: list[str]) -> None:
    found = SentenceIndex(sentences).similarities(said)
    assert found.shape == (len(sentences),)
    assert ((found >= 0) & (found <= 1 + 1e-9)).all()
