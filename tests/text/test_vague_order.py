"""Orders that leave out what a nurse must know."""

from __future__ import annotations

import pytest

from osler.text.vague_order import questions, wants_dose


@pytest.mark.parametrize(
    "order",
    [
        "start some inotrope",
        "give her something for the itching",
        "send some bloods",
        "give him the usual",
    ],
)
def test_the_name_of_a_kind_of_thing_is_asked_about(order: str) -> None:
    assert questions(order)


@pytest.mark.parametrize(
    "order", ["give me a moment", "get her out of here", "close the door", "get something to eat", "sit down"]
)
def test_other_orders_are_not(order: str) -> None:
    assert not questions(order)


@pytest.mark.parametrize(
    ("declared", "words", "wants"),
    [
        ("Prescribes ferrous sulfate 200 mg once a day", "iron tablets", True),
        ("Prescribes ferrous sulfate 200 mg once a day", "iron two hundred", False),
        ("Gives 500 mL of warmed crystalloid", "fluid, quick", True),
        ("Gives 500 mL of warmed crystalloid", "a bolus of saline", False),
        ("Puts the forearm in a backslab and gives paracetamol 1 g by mouth", "a backslab", False),
        ("Puts the forearm in a backslab and gives paracetamol 1 g by mouth", "some paracetamol", True),
        ("Gives an antihistamine, such as chlorphenamine 10 mg", "an antihistamine", False),
        ("Places two cannulas and sends cross-match of four units", "two cannulas", False),
    ],
)
def test_a_treatment_declared_with_an_amount_wants_one(declared: str, words: str, wants: bool) -> None:
    assert wants_dose(declared, words) is wants
