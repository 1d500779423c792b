"""The option that a reply names: by letter, by text, or none. A false reading is worse than none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.protocols.vqa.reading import (
    DECLINED,
    EMPTY,
    NEGATED,
    NO_OPTION,
    SEVERAL,
    TWO_TEXTS,
    UNCLEAR,
    read,
)

OPTIONS = (
    "Pneumothorax",
    "Pulmonary embolism",
    "Vitamin C deficiency",
    "No treatment needed",
    "Acute appendicitis",
)
LETTERS = "ABCDE"
DRESSES = (
    "{}",
    "({})",
    "{}.",
    "{})",
    "**{}**",
    "Answer: {}",
    "answer: {}",
    "**Answer:** {}",
    "Answer: **{}**",
    "The answer is {}.",
    "The correct option is ({}).",
    "Final answer: $\\boxed{{{}}}$",
    "Option {}",
    "I would choose {}",
    "<answer>{}</answer>",
    "<think>A or B? Not C.</think>\nAnswer: {}",
    "It is not the first, and neither the last.\n\nAnswer: {}",
    "Answer:\n{}",
    "{} is correct.",
    "{}, because there is no consolidation.",
)


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize("letter", LETTERS)
def test_a_letter_is_read_however_it_is_dressed(dress: str, letter: str) -> None:
    found = read(dress.format(letter), OPTIONS)
    assert (found.place, found.how) == (LETTERS.index(letter), "letter")


@pytest.mark.parametrize("form", ["{}", "{}.", "Answer: {}", '"{}"', "The most likely diagnosis is {}."])
@pytest.mark.parametrize("at", range(len(OPTIONS)))
def test_without_a_letter_the_text_is_read(form: str, at: int) -> None:
    found = read(form.format(OPTIONS[at].upper()), OPTIONS)
    assert (found.place, found.how) == (at, "text")


@pytest.mark.parametrize("at", range(len(OPTIONS)))
def test_a_letter_with_its_own_text_is_read_even_if_the_text_negates_or_holds_a_letter(at: int) -> None:
    for form in ("{}. {}", "{}) {}", "Answer: {} ({})", "Answer: {} - {}"):
        assert read(form.format(LETTERS[at], OPTIONS[at]), OPTIONS).place == at


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", EMPTY),
        ("<think>B</think>", EMPTY),
        ("<think>it must be B", EMPTY),
        ("A or B", SEVERAL),
        ("B and C", SEVERAL),
        ("A, B", SEVERAL),
        ("Answer: B / C", SEVERAL),
        ("Answer: A\nAnswer: B", SEVERAL),
        ("Answer: B. However, C fits too", SEVERAL),
        ("Answer: B\nWait, actually it must be C", SEVERAL),
        ("Answer: B\nThe answer is C.", SEVERAL),
        ("Answer: B\nAnswer: B\nI change my mind: C", SEVERAL),
        ("Answer: B\nHaving thought again, I have changed my answer to (C).", SEVERAL),
        ("The answer is B.\nThe answer is C.", SEVERAL),
        ("A. Pneumothorax\nB. Pulmonary embolism\nE. Acute appendicitis", SEVERAL),
        ("not A", NEGATED),
        ("Answer: not A", NEGATED),
        ("Neither A nor B", NEGATED),
        ("All except B", NEGATED),
        ("It is not B", NEGATED),
        ("B is wrong", NEGATED),
        ("B? No", NEGATED),
        ("Not pulmonary embolism", NEGATED),
        ("B cannot be right", NEGATED),
        ("F", NO_OPTION),
        ("Answer: Z", NO_OPTION),
        ("B. Pneumothorax", TWO_TEXTS),
        ("B (Pneumothorax)", TWO_TEXTS),
        ("B. Pneumothorax, because the lung has collapsed", TWO_TEXTS),
        ("Answer: B - (Pneumothorax).", TWO_TEXTS),
        ("A large pneumothorax is seen", UNCLEAR),
        ("I think so", UNCLEAR),
        ("Answer: LETTER", UNCLEAR),
        ("B is most likely to recur", UNCLEAR),
        ("Let me weigh them.\nE: would need pain in the right lower quadrant", UNCLEAR),
        ("Pulmonary embolism or pneumothorax", UNCLEAR),
        ("I'm sorry, but I can't help with that.", DECLINED),
    ],
)
def test_whatever_is_doubtful_is_unanswered_and_says_why(reply: str, why: str) -> None:
    assert read(reply, OPTIONS) == (None, "", why)


@pytest.mark.parametrize(
    "thought",
    [
        "The answer is probably A. Let me check.",
        "Wait, actually it must be C.",
        "Option A: unlikely.\nOption C: possible.",
        "A. Pneumothorax fits\nB. Pulmonary embolism fits better",
    ],
)
def test_what_was_thought_aloud_before_the_answer_is_a_thought(thought: str) -> None:
    assert read(f"{thought}\n\nAnswer: B", OPTIONS).place == 1


def test_a_text_that_two_options_share_is_not_read() -> None:
    assert read("the same", ("the same", "The same.", "other")).place is None


def test_the_letters_of_ten_options_hold_an_article_and_a_pronoun() -> None:
    ten = tuple(f"Option text {at}" for at in range(10))
    assert read("Answer: I", ten).place == 8
    assert read("I cannot tell", ten).place is None
    assert read("A difficult question", ten).place is None


@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    st.lists(st.text(min_size=1, max_size=30), min_size=2, max_size=10),
)
def test_any_reply_is_read_as_one_of_the_options_or_as_none(reply: str, options: list[str]) -> None:
    found = read(reply, options)
    assert (found.place is None) == bool(found.why)
    assert found.place is None or (0 <= found.place < len(options) and found.how in ("letter", "text"))


@given(
    st.sampled_from(LETTERS),
    st.sampled_from(LETTERS),
    st.sampled_from([" or ", " and ", ", ", "/", " nor ", " & "]),
)
def test_two_letters_are_never_one(one: str, other: str, between: str) -> None:
    for form in ("{}", "Answer: {}", "The answer is {}.", "Answer: either {}"):
        found = read(form.format(f"{one}{between}{other}"), OPTIONS)
        assert found.place is None or one == other


@given(
    st.sampled_from(LETTERS),
    st.sampled_from(
        ["not {}", "It isn't {}", "never {}", "anything but {}", "all except {}", "{} is incorrect",
         "{} can be ruled out", "rule out {}", "{} is unlikely", "{}? no"]
    ),
    st.sampled_from(["{}", "Answer: {}", "Thinking.\n{}", "Thinking.\nAnswer: {}"]),
)  # fmt: skip
def test_a_negation_is_never_an_answer(letter: str, negation: str, form: str) -> None:
    assert read(form.format(negation.format(letter)), OPTIONS).place is None


@given(st.text("abcdefg ,.\n", max_size=200), st.sampled_from(LETTERS))
def test_whatever_is_thought_before_it_the_last_line_is_the_answer(thought: str, letter: str) -> None:
    assert read(f"<think>{thought}</think>Answer: {letter}", OPTIONS).place == LETTERS.index(letter)


@given(
    st.permutations(OPTIONS),
    st.sampled_from(OPTIONS),
    st.sampled_from(["{}", "Answer: {}", "The answer is {}."]),
)
def test_a_text_is_read_wherever_its_option_stands(options: list[str], text: str, form: str) -> None:
    assert read(form.format(text), options).place == options.index(text)


@pytest.mark.parametrize(
    "reply", ["{" * 200_000, "answer:\n" * 25_000, "A " * 100_000, "(\n" * 100_000, "[\"'(" * 50_000]
)
def test_hostile_length_is_read_as_nothing(reply: str) -> None:
    assert read(reply, OPTIONS).place is None
