"""Other Englishes in standard English, so that rules written in one recognize the others."""

from __future__ import annotations

import pytest

from osler.text.englishes import standard


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Wetin dey worry you?", "what is troubling you?"),
        ("Abeg, no vex.", "i am sorry."),
        ("How body?", "how are you feeling?"),
        ("You go feel small pain.", "You will feel small pain."),
        ("I no fit tell you now.", "I can not tell you now."),
        ("No be your fault.", "it is not your fault."),
        ("You don take any medicine?", "You have take any medicine?"),
        ("I go tell am.", "I will tell them."),
        ("Make we wait.", "let us wait."),
        ("I know say e hard.", "I know that it hard."),
        ("Since how long is he fitting?", "how long is he fitting?"),
        ("Don't take tension.", "Don't worry."),
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
        "Did the chart go missing?",
        "I am here, and so am I tomorrow.",
        "Don't worry, it won't make it worse.",
        "She may not make it.",
        "What you say stays here.",
        "Give it at 10 am.",
        "I will make you comfortable.",
        "Drink plenty of fluids, and please sit down.",
        "Are there tablets in the house?",
    ],
)
def test_standard_english_is_left_as_it_is(said: str) -> None:
    assert standard(said) == said
