"""Near-duplicates are found whatever a twin changes, and different patients are not taken for one."""

from __future__ import annotations

import re
import unicodedata
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.model import Case
from osler.cases.sources import open_source
from osler.memory.near_duplicates import case_text, most_alike, shingles, sketch, source_of
from osler.memory.settings import MADE_UP, THRESHOLD
from osler.testing.cases import small_case

LIBRARY = list(open_source("library"))
_SWAP = {
    "he": "she",
    "she": "he",
    "his": "her",
    "her": "his",
    "man": "woman",
    "woman": "man",
    "boy": "girl",
    "girl": "boy",
}


def other_sex(text: str) -> str:
    return re.sub(r"\b[a-z]+\b", lambda word: _SWAP.get(word[0], word[0]), text.lower())


def other_numbers(text: str) -> str:
    return re.sub(r"\d+(?:\.\d+)?", lambda number: str(round(float(number[0]) * 1.3 + 1)), text)


def alike(one: str, other: str) -> float:
    return most_alike(one, [other])


def swapped(text: str, seed: int) -> str:
    sentences = re.split(r"(?<=[.!?])\s+|\n", text)
    Random(seed).shuffle(sentences)
    return " ".join(
        sentence if sentence.endswith((".", "!", "?")) else f"{sentence}." for sentence in sentences
    )


@pytest.mark.parametrize("case", LIBRARY, ids=lambda case: case.id)
def test_a_twin_of_another_age_sex_and_values_with_its_sentences_swapped_is_found(case: Case) -> None:
    text = case_text(case)
    twin = swapped(other_numbers(other_sex(text)), 1)
    assert twin != text
    assert alike(sketch(text), sketch(twin)) >= THRESHOLD


@pytest.mark.parametrize("case", LIBRARY[::5], ids=lambda case: case.id)
def test_a_twin_with_one_sentence_in_eight_left_out_is_found(case: Case) -> None:
    sentences = case_text(case).split(". ")
    fewer = ". ".join(each for place, each in enumerate(sentences) if place % 8)
    assert alike(sketch(case_text(case)), sketch(fewer)) >= THRESHOLD


def test_no_two_cases_of_the_library_are_alike() -> None:
    sketches = [sketch(case_text(case)) for case in LIBRARY]
    assert max(alike(one, other) for one, other in combinations(sketches, 2)) < THRESHOLD / 2


def test_made_up_patients_of_one_condition_are_rarely_alike_and_those_of_two_never() -> None:
    """Memory would be empty in studies of made-up cases if their shared wording were a leak."""
    held = [(case.diagnosis, sketch(case_text(case))) for case in open_source("generated:80:3")]
    same: list[bool] = []
    other: list[bool] = []
    for (one, a), (two, b) in combinations(held, 2):
        assert one
        assert two
        (same if one.name == two.name else other).append(alike(a, b) >= MADE_UP)
    assert sum(same) <= 0.05 * len(same)
    assert not any(other)


@given(st.integers(0, 60), st.integers(0, 60), st.integers(1, 60))
def test_the_estimate_is_near_the_true_similarity(one: int, other: int, both: int) -> None:
    def sentences(name: str, count: int) -> list[str]:
        letters = "abcdefghij"
        return [f"{name}{''.join(letters[int(d)] for d in str(n))} comes." for n in range(count)]

    shared = sentences("both", both)
    texts = [" ".join(shared + sentences("one", one)), " ".join(shared + sentences("other", other))]
    a, b = map(shingles, texts)
    true = len(a & b) / len(a | b)
    assert abs(alike(*map(sketch, texts)) - true) < 0.22  # five standard errors


def test_texts_without_words_are_not_alike() -> None:
    assert sketch(" ... ") == ""
    assert alike("", "") == 0


def test_a_denial_the_diagnosis_and_the_title_are_no_part_of_a_case_s_text() -> None:
    case = small_case(title="QQTITLE")
    text = case_text(case)
    assert "QQTITLE" not in text
    assert not any(fact.text in text for fact in case.facts if fact.absent)
    assert source_of(case).cluster == case.content_hash
    assert source_of(case, "twins of 7").cluster == "twins of 7"


STORY = "La patiente présente une fièvre élevée depuis trois jours. La lumière la gêne énormément, dit-elle."


@pytest.mark.parametrize(
    "written",
    [
        unicodedata.normalize("NFD", STORY),
        "\u200b".join(STORY),
        STORY.replace("fièvre", "fiè\u00advre"),
    ],
    ids=["accents apart", "no width", "soft hyphen"],
)
def test_a_text_that_only_looks_the_same_is_the_same(written: str) -> None:
    assert alike(sketch(STORY), sketch(written)) == 1.0


def test_lines_that_are_only_wrapped_change_nothing() -> None:
    case = LIBRARY[0]
    wrapped = case.facts[0].model_copy(update={"text": case.facts[0].text.replace(" ", "\n")})
    other = case.model_copy(update={"facts": (wrapped, *case.facts[1:])})
    assert source_of(case).sketch == source_of(other).sketch
