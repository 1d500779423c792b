"""An exact dose: the same quantity in any words is it; another quantity, unit or route, or a doubtful one, is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.text.exact_dose import orders_dose

ASPIRIN = "Gives aspirin 300 mg"
ADRENALINE = "Gives adrenaline 0.5 mg IM"


@pytest.mark.parametrize(
    "words",
    ["300 mg", "300,0 mg", "300mg", "three hundred milligrams", "0.3 g", "0,3 g", "0,300 g", ".3 grams", "300,000 micrograms", "300 milligrammes", "300-mg tablet"],
)  # fmt: skip
def test_the_same_in_other_words(words: str) -> None:
    assert orders_dose(ASPIRIN, f"give aspirin {words}")


@pytest.mark.parametrize(
    "words",
    ["", "300", "300 ml", "300 %", "300 percent", "3000 mg", "3,000 mg", "300 mcg", "300 µg", "300 micrograms", "300 g", "300 units", "300 IU", "300 mmol", "150-300 mg", "150 to 300 mg", "300 mg or 600 mg", "300 mg x 2", "75 mg times four", "300 mg per kg", "300 mg/h", "1 300 mg", "3·00 mg", "at least 300 mg", "2 tablets of 300 mg"],
)  # fmt: skip
def test_another_or_a_doubtful_one(words: str) -> None:
    assert not orders_dose(ASPIRIN, f"give aspirin {words}")


@pytest.mark.parametrize(
    ("words", "is_it"),
    [
        ("0.50 mg IM", True),
        ("500 micrograms intramuscularly", True),
        ("half a milligram into the thigh", True),
        ("0.5 ml of 1 in 1,000 IM", True),
        ("0.5 mL of 1:1000 IM", True),
        ("0.5 ml of 1 in 10,000 IM", False),
        ("0.5 ml IM", False),
        ("0.5 percent IM", False),
        ("0.5 mg IV", False),
        ("0.5 mg", False),
        ("50 mcg IM", False),
    ],
)
def test_strength_and_route(words: str, is_it: bool) -> None:
    assert orders_dose(ADRENALINE, f"adrenaline {words}") is is_it


@given(st.integers(1, 9999), st.sampled_from(["mcg", "mg", "g", "ml", "units"]), st.integers(1, 9999))
def test_only_equal_amounts_are_equal(one: int, unit: str, other: int) -> None:
    assert orders_dose(f"Gives it {one} {unit}", f"give {other} {unit}") is (one == other)
