"""Other Englishes in standard English, so that rules written in one recognize the others."""

from __future__ import annotations

import pytest

from osler.text.englishes import standard


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Wetin dey worry you?", "what is troubling you?"),
        ("Abeg, no vex.", "i am sorry."),
        ("I no fit tell you now.", "I can not tell you now."),
        ("No be your fault.", "it is not your fault."),
        ("I go tell am.", "I will tell them."),
        ("Since how long is he fitting?", "how long is he fitting?"),
        ("In case of vomiting, come back.", "if vomiting, come back."),
    ],
)
def test_forms_of_other_englishes_become_standard(said: str, meant: str) -> None:
    assert standard(said) == meant


@pytest.mark.parametrize(
    "said",
    [
        "Before you go home, tell me how you are.",
        "Did he fit before?",
        "I am here, and so am I tomorrow.",
        "She may not make it.",
        "Give it at 10 am.",
        "I will make you comfortable.",
    ],
)
def test_standard_english_is_left_as_it_is(said: str) -> None:
    assert standard(said) == said
