"""Forms of Nigerian and Indian English and of second-language speakers, in standard words."""

from __future__ import annotations

import pytest

from osler.text.other_englishes import in_standard_words


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("abeg make we give am oxygen", "please let's give her oxygen"),
        ("i wan check her pressure", "i want to check her pressure"),
        ("i go listen to your chest", "i will listen to your chest"),
        ("off that drip", "switch off that drip"),
        ("call the registrar make he come", "call the registrar to come"),
        ("do one thing, give oxygen", "give oxygen"),
        ("let us be giving fluids", "let us giving fluids"),
        ("inform to the consultant", "inform the consultant"),
        ("she is requiring a cannula", "she needs a cannula"),
        ("we must to give fluid", "we must give fluid"),
        ("i would like you blow here", "i would like you to blow here"),
    ],
)
def test_it_is_read_in_standard_words(said: str, meant: str) -> None:
    assert in_standard_words(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "i am going to the theatre at ten",
        "you go to the ward and i go home",
        "am i going to die",
        "take it off the chart",
        "she makes me laugh",
        "give it to the nurse",
    ],
)
def test_standard_words_stay_as_they_are(said: str) -> None:
    assert in_standard_words(said) == said
