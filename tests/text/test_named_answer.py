"""A question that names the answer is recognised in its usual disguises; what is left of it still asks."""

from __future__ import annotations

import pytest

from osler.text.named_answer import names_answer, without_answer


@pytest.mark.parametrize(
    ("question", "answer", "names"),
    [
        ("Why is this gout?", "Gout", True),
        ("What does Crohn\u2019s disease do to the bowel?", "Crohn disease", True),
        ("Why order an upright chest X-ray next?", "Chest X-ray, upright", True),
        ("What does cholescintigraphy show?", "Technetium cholescintigraphy", True),
        ("What does the haemolysis tell you?", "Hemolysis", True),
        ("What do the joints look like?", "Gout", False),
        ("Which 12 leads do you place?", "12", False),
        ("Is the answer yes?", "Yes", False),
        ("Which treatment would you begin?", "Intravenous antibiotic treatment", False),
    ],
)
def test_what_names_an_answer(question: str, answer: str, names: bool) -> None:
    assert names_answer(question, answer) is names


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("What do the joints look like?", "What do the joints look like?"),
        ("Which crystals would you look for, given that this is gout?", "Which crystals would you look for?"),
        (
            "How would you explain the swelling, such as that of acute gout?",
            "How would you explain the swelling?",
        ),
        ("Why is this gout?", ""),
        ("In gout, why?", ""),
        ("Which fits best: sprain, gout, or cellulitis?", ""),
    ],
)
def test_what_is_left_of_a_question_still_asks(question: str, left: str) -> None:
    assert without_answer(question, "Gout") == left
