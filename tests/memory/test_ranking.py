"""Rankings are exact, and their ties are settled."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.memory.card import Float32, unit
from osler.memory.index import hashed
from osler.memory.ranking import LEAST, Bm25, fused, nearest
from osler.memory.term_counts import count, words_of


@st.composite
def searches(draw: st.DrawFn) -> tuple[Float32, Float32, np.ndarray[tuple[int], np.dtype[np.bool_]], int]:
    """Vectors with many ties: few directions, several times each."""
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    size = draw(st.integers(1, 80))
    kinds = unit(random.standard_normal((draw(st.integers(1, 12)), 16)).astype(np.float32))
    vectors = kinds[random.integers(0, len(kinds), size)]
    allowed = random.random(size) < draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    return vectors, kinds[0], allowed, draw(st.integers(1, 90))


@given(searches())
def test_nearest_is_a_full_scan_in_float64_with_ties_by_row(
    search: tuple[Float32, Float32, np.ndarray[tuple[int], np.dtype[np.bool_]], int],
) -> None:
    vectors, query, allowed, k = search
    rows, scores = nearest(vectors, query, allowed, k)
    exact = (vectors.astype(np.float64) * query.astype(np.float64)).sum(axis=1)
    wanted = sorted((-exact[row], row) for row in np.flatnonzero(allowed) if exact[row] > LEAST)[:k]
    assert rows.tolist() == [row for _, row in wanted]
    assert scores.tolist() == [-score for score, _ in wanted]


def test_bm25_by_hand() -> None:
    ranking = Bm25(count(["gout toe", "toe pain pain", "cough"]))
    average = 2.0
    rare, common = math.log(1 + 2.5 / 1.5), math.log(1 + 1.5 / 2.5)
    first = (rare + common) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / average))
    second = common * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 3 / average))
    assert ranking.scores("gout toe").tolist() == pytest.approx([first, second, 0.0], rel=1e-6)


@given(
    st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6).map(" x".join), max_size=12), st.integers(1, 5)
)
def test_lexical_search_is_the_full_ranking_cut_short(texts: list[str], k: int) -> None:
    ranking, everybody = Bm25(count(texts)), np.ones(len(texts), np.bool_)
    rows, _ = ranking.search("xa b xc", everybody, len(texts) + 1)
    few, _ = ranking.search("xa b xc", everybody, k)
    shared = [n for n, text in enumerate(texts) if {"xa", "b", "xc"} & set(words_of(text))]
    assert sorted(rows.tolist()) == shared
    assert few.tolist() == rows.tolist()[:k]


def test_fusion_by_hand() -> None:
    found = fused([([7, 3], 1.0), ([3, 5], 2.0)], 3)
    assert found == [(3, 1 / 62 + 2 / 61), (5, 2 / 62), (7, 1 / 61)]
    assert fused([([2], 1.0), ([1], 1.0)], 1) == [(1, 1 / 61)]


@given(st.lists(st.text(max_size=40), max_size=6))
def test_a_text_has_one_hashed_lexical_vector_whatever_stands_beside_it(texts: list[str]) -> None:
    together = hashed(count(texts))
    assert together.shape == (len(texts), 256)
    for row, text in zip(together, texts, strict=True):
        assert np.array_equal(row, hashed(count([text]))[0])
        assert np.linalg.norm(row) == pytest.approx(1.0, abs=1e-5) or not row.any()


def test_words_without_case_plural_and_filler() -> None:
    assert words_of("The Headaches, and 38.5 °C; ß 胸痛三天") == [
        "headache",
        "38.5",
        "c",
        "ß",
        "胸痛",
        "痛三",
        "三天",
    ]
