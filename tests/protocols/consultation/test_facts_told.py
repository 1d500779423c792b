"""Which facts a person's own words tell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.protocols.shared.claimed_facts import told_by_words
from osler.protocols.shared.patient import PatientFact

FACTS = (
    PatientFact(
        id="pain",
        topic="character",
        text="Sharp pain low on the right side of the chest, 5 out of 10.",
        spoken="It's sharp, down at the bottom of my ribs on the right. Five out of ten.",
    ),
    PatientFact(id="breathless", topic="complaint", text="Shortness of breath."),
    PatientFact(id="ideas", topic="ideas", text="Believes that anaemia makes her breathless."),
    PatientFact(id="well", topic="systems", text="No fever, no rash and no headache.", absent=True),
)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("a sharp pain at the bottom of my ribs, on the right, five out of ten", {"pain"}),
        ("no fever", {"well"}),
        ("I had a fever", set()),
        ("yes", set()),
        ("I went to the shops yesterday", set()),
    ],
)
def test_free_text_tells_the_facts_it_is_about(said: str, told: set[str]) -> None:
    assert set(told_by_words(said, "", FACTS)) == told


@given(st.text(max_size=200))
def test_any_words_tell_only_facts_of_the_view(said: str) -> None:
    assert set(told_by_words(said, "", FACTS)) <= {fact.id for fact in FACTS}
