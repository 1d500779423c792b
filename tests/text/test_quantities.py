"""Doses and routes in orders, in words and in figures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.text.quantities import doses, in_figures, routes


@pytest.mark.parametrize(
    ("said", "amount", "unit", "by_weight"),
    [
        ("0.5 mg", 0.5, "mg", False),
        ("0.5mg", 0.5, "mg", False),
        ("half a milligram", 0.5, "mg", False),
        ("nought point five milligrams", 0.5, "mg", False),
        ("500 micrograms", 0.5, "mg", False),
        ("five hundred mics", 0.5, "mg", False),
        ("half a mil of 1 in 1000", 0.5, "mg", False),
        ("half a mil of one in a thousand", 0.5, "mg", False),
        ("0.5 mL of 1:1000", 0.5, "mg", False),
        ("four point five grams", 4500, "mg", False),
        ("1.12 g", 1120, "mg", False),
        ("two hundred and fifty micrograms", 0.25, "mg", False),
        ("half a litre", 500, "ml", False),
        ("a litre", 1000, "ml", False),
        ("1,000 mls", 1000, "ml", False),
        ("five units", 5, "units", False),
        ("40 mg per kilo", 40, "mg", True),
        ("0.1 mg/kg", 0.1, "mg", True),
    ],
)
def test_a_dose_is_read(said: str, amount: float, unit: str, by_weight: bool) -> None:
    (found,) = doses(f"give {said} now")
    assert found.amount == pytest.approx(amount)
    assert (found.unit, found.by_weight) == (unit, by_weight)


def test_a_flow_is_no_dose() -> None:
    assert doses("oxygen at 15 L per minute") == ()
    assert doses("no number at all") == ()


@pytest.mark.parametrize(
    ("said", "route"),
    [
        ("into the thigh", "intramuscular"),
        ("IM", "intramuscular"),
        ("i.v.", "intravenous"),
        ("through the cannula", "intravenous"),
        ("under the tongue", "sublingual"),
        ("into his cheek", "buccal"),
        ("by mouth", "oral"),
        ("sub-cut", "subcutaneous"),
        ("as a neb", "inhaled"),
    ],
)
def test_a_route_is_read(said: str, route: str) -> None:
    assert routes(f"give it {said}, please") == {route}


def test_no_route_is_read_into_ordinary_words() -> None:
    assert routes("I'm in a hurry and she is improving") == frozenset()


@given(st.integers(min_value=1, max_value=5000), st.sampled_from(["mg", "mcg", "g", "units"]))
def test_a_dose_in_figures_is_read_as_it_stands(amount: int, unit: str) -> None:
    (found,) = doses(f"give {amount} {unit} of it")
    factor = {"mg": 1, "mcg": 0.001, "g": 1000, "units": 1}[unit]
    assert found.amount == pytest.approx(amount * factor)
    assert found.unit == ("units" if unit == "units" else "mg")


@given(st.text(max_size=200))
def test_any_text_is_read_without_error(text: str) -> None:
    in_figures(text)
    doses(text)
    routes(text)
