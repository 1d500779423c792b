"""Acts that an author gives by sentences: which orders name them, and what no likeness may carry out."""

from __future__ import annotations

from functools import cache

import pytest

from osler.cases.scenarios.model import Scenario
from osler.protocols.scenario.one_line import one_line
from osler.reading.declared_acts import DeclaredActs

ACTS = {
    "press": ("Has him lean forward and press the soft part of the nose", "Pinch the nostrils shut"),
    "monitor": ("Attaches the monitor", "Put him on the monitor, please"),
    "aspirin": ("Gives aspirin 300 mg by mouth", "Chew this aspirin, 300 milligrams"),
    "hold": ("Withholds the apixaban", "Leave out his apixaban tonight"),
    "bloods": ("Sends a full blood count and clotting", "Take bloods for a count and a clotting screen"),
}


@cache
def scenario() -> Scenario:
    """A scenario whose acts have sentences and no rules."""
    return Scenario.model_validate(
        {
            "case_id": "nosebleed",
            "instructions": "You are the doctor on duty.",
            "people": [
                {"id": "patient", "name": "Mr Ash", "role": "patient"},
                {"id": "nurse", "name": "Nurse Poe", "role": "team"},
            ],
            "states": [{"id": "start", "label": "Nosebleed", "status": "Blood drips.", "ends": "eos"}],
            "actions": [
                {
                    "id": ident,
                    "what": what,
                    "says": says,
                    "kind": "test" if ident == "bloods" else "treatment",
                }
                for ident, (what, *says) in ACTS.items()
            ],
            "provenance": {"origin": "test"},
        }
    )


def acts(say: str) -> tuple[str, ...]:
    return one_line(scenario(), "start", say=say).acts


@pytest.mark.parametrize(
    ("say", "wanted"),
    [
        ("Nurse, squeeze his nostrils together, please.", "press"),
        ("Let's get him hooked up to the monitor.", "monitor"),
        ("Nurse, send bloods for clotting and a full count.", "bloods"),
        ("Nurse, give him 300 mg of aspirin orally.", "aspirin"),
    ],
)
def test_an_order_in_other_words_is_carried_out(say: str, wanted: str) -> None:
    assert acts(say) == (wanted,)


@pytest.mark.parametrize(
    "say",
    [
        "Nurse, give him 75 mg of aspirin orally.",
        "Nurse, give him some aspirin.",
        "Nurse, give him aspirin 300 mg intravenously.",
        "Nurse, do not give him aspirin 300 mg by mouth.",
        "If it bleeds again we will put him on the monitor.",
        "Has anybody put him on the monitor?",
        "Nurse, could you open the window?",
    ],
)
def test_another_dose_and_what_is_no_order_are_not(say: str) -> None:
    assert acts(say) == ()


def test_a_typed_act_needs_its_dose_too() -> None:
    assert one_line(scenario(), "start", do="give aspirin 300 mg by mouth").acts == ("aspirin",)
    assert one_line(scenario(), "start", do="give aspirin 900 mg by mouth").acts == ()


def test_no_act_is_meant_where_none_is_like_the_order() -> None:
    reader = DeclaredActs({ident: tuple(texts) for ident, texts in ACTS.items()})
    assert reader.meant("Take a seat in the waiting room") == ""
    assert DeclaredActs({}).meant("Attach the monitor") == ""
