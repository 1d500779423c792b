"""Identifiers are taken out; what is to be learnt stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.memory.deidentify import identified, identifiers_of, scrub
from osler.testing.cases import small_case

HIDDEN = {
    "I last saw Doctor Quill about it.": "Quill",
    "an operation in January 2005": "January",
    "I fell on July thirty first.": "July",
    "It was June twenty second two thousand and eight.": "eight",
    "Seen by Dr. Amelia Hartwood today.": "Hartwood",
    "Mr O'Brien came alone": "O'Brien",
    "Good morning, my name is Tomasz Kowalski.": "Kowalski",
    "a boy called Peter Marsh": "Marsh",
    "Admitted 2024-03-17 with fever": "2024-03-17",
    "Admitted on 17/03/2024": "17/03",
    "since 17.03.24": "17.03",
    "It began on the 3rd of March 2024": "March",
    "It began on March 3, 2024.": "March",
    "Since Sept. 12th it has hurt": "12",
    "于2024年3月17日入院": "2024年",
    "lives at 14 Elm Grove Road, alone": "Elm",
    "221b Baker Street": "Baker",
    "post to SW1A 1AA": "SW1A",
    "Springfield, IL 62704": "62704",
    "call +44 20 7946 0958 any time": "7946",
    "phone (555) 123-4567": "4567",
    "phone 555-123-4567": "4567",
    "ring 020 7946 0958": "7946",
    "write to ann.lee@example.org": "ann.lee",
    "see https://example.org/p/17?q=1": "example",
    "MRN: 00482913": "00482913",
    "NHS number 943 476 5919": "5919",
    "Patient ID A-4471": "4471",
    "SSN 078-05-1120": "1120",
    "record 4f3c2b1a9d8e7f60aa11": "4f3c2b1a",
    "a woman aged 97": "97",
    "a 101-year-old man": "101",
}
CLINICAL = (
    "Blood pressure 120/80 mmHg, heart rate 98, respiratory rate 16, oxygen saturation 97 % on air.",
    "A grade 3/6 systolic murmur; GCS 15/15; visual acuity 6/12.",
    "Troponin 1,236 ng/L (0-16), platelets 294 ×10⁹/L, D-dimer 4793 ng/mL.",
    "Aspirin 300 mg at once, then 75 mg daily; 2-3 times a day for 10-14 days.",
    "It may 5 times out of 10 be worse in the morning, and has been since 1998.",
    "Murphy's sign positive; Wenckebach block; an ECG shows ST elevation in II, III and aVF.",
    "T 38.5, P 110, BP 90/60; pH 7.32, PaCO2 4.1 kPa; CRP 112.",
    "A 54-year-old woman, gravida 3 para 2, 24 weeks pregnant.",
    "Readings 120 80 98 16 37 over 24 hours.",
    "Doctor I feel worse when I march; it may first ease, then in May it came back.",
    "Drinks 40 units a week, 30 pack years, vaccinated against COVID-19.",
)


@pytest.mark.parametrize(("text", "identifier"), HIDDEN.items())
def test_an_identifier_is_taken_out(text: str, identifier: str) -> None:
    assert identified(text)
    assert identifier not in scrub(text)


@pytest.mark.parametrize("text", CLINICAL)
def test_what_is_to_be_learnt_stays(text: str) -> None:
    assert scrub(text) == text


def test_known_names_go_whatever_their_form() -> None:
    shown = scrub("jolanta was tired; Jolanta's cough; the Jolantas", ["Jolanta", "X"])
    assert shown == "[name] was tired; [name]'s cough; the Jolantas"


def test_a_known_name_is_no_pattern() -> None:
    assert scrub("a.b and axb", ["a.b"]) == "[name] and axb"


def test_a_cases_own_ids_are_known() -> None:
    case = small_case(id="nejm-0042")
    text = f"See {case.id} or {case.content_hash}."
    shown = scrub(text, identifiers_of(case))
    assert case.id not in shown
    assert case.content_hash not in shown


@given(
    st.lists(st.one_of(st.sampled_from([*HIDDEN, *CLINICAL]), st.text(max_size=30)), max_size=5).map(" ".join)
)
def test_scrubbing_twice_changes_nothing_more(text: str) -> None:
    once = scrub(text)
    assert scrub(once) == once
    assert not identified(once)


def test_half_a_surrogate_pair_can_be_kept() -> None:
    scrub("a\ud800b").encode()
