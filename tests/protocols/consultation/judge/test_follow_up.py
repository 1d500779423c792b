"""Where a patient goes: read from our own dispositions and from what doctors write, hard cases included."""

from __future__ import annotations

import pytest

from osler.cases.sources import open_source
from osler.protocols.consultation.judge.follow_up import _sent_to
from osler.protocols.consultation.judge.follow_up_due import place_in
from osler.text.lexical_similarity import numbers

HOME = frozenset(
    "cardiology-02 cardiology-03 dermatology-01 endocrinology-01 ent-01 ent-02 gastroenterology-01"
    " neurology-01 paediatrics-01 primary-care-01 psychiatry-01 respiratory-02".split()
)


def test_every_disposition_of_the_library_is_read_for_what_it_is() -> None:
    read = {
        case.id: place_in(case.management.disposition) for case in open_source("library") if case.management
    }
    assert len(read) == 30
    assert {name for name, place in read.items() if place == "home"} == HOME
    assert {place for name, place in read.items() if name not in HOME} == {"stay"}


@pytest.mark.parametrize(
    ("plan", "place"),
    [
        ("Discharge home today", "home"),
        ("Admit to a monitored bed on the ward", "stay"),
        ("Community-acquired pneumonia: admit", "stay"),
        ("Nursing home resident; admit", "stay"),
        ("Continue his home medications; admit to ICU", "stay"),
        ("Admit; discharge home when stable", "stay"),
        ("No need to admit; home with advice", "home"),
        ("Admit to the ward or discharge home", None),
        ("Home or admission, whatever suits", None),
        ("Paracetamol", None),
    ],
)
def test_a_plan_that_leaves_the_choice_open_names_noplace_in(plan: str, place: str | None) -> None:
    assert _sent_to(plan) == place


def test_a_number_is_the_same_however_it_is_written() -> None:
    assert numbers("Temperature 38.0") == numbers("a temperature of 38")
    assert numbers("Platelets 150,000") == numbers("platelets 150000")
    assert numbers("two and a half hours") == numbers("2.50 h")
    assert numbers("heart rate < 60") == frozenset(), "a bound is no value"
