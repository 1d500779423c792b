"""Questions asked again: pairs labelled by hand, with near misses."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.protocols.consultation.judge.reading import Exchange
from osler.protocols.consultation.judge.repeats import asked_again

STARTED: Final = "It came on about two hours ago, while I was sitting at my desk."
TABLETS: Final = "Just a blood pressure tablet, amlodipine, once a day."
NO: Final = "No, nothing like that."
LOST: Final = "I'm not sure what you mean, doctor."

REPEATS: Final = (
    ("When did it start?", STARTED, "when did it start", STARTED),
    ("When did it start?", STARTED, "And when did the pain come on?", f"As I said: {STARTED}"),
    ("Are you allergic to anything?", NO, "Any allergies?", "As I said: No, nothing like that."),
    ("What tablets do you take?", TABLETS, "what medicines are you on", TABLETS),
    ("Do you smoke?", "No, never have, not one.", "Do you smoke at all?", "Like I told you, no, never."),
    (
        "Does it spread anywhere?",
        "Into my arm.",
        "Does it spread anywhere?",
        "I've already told you, my arm.",
    ),
    ("Who lives with you?", "My husband.", "who do you live with", "As I told you, my husband."),
    ("Wot tablets do u take", TABLETS, "Please tell me, what tablets do you take?", TABLETS),
    ("How bad is the pain?", "Six out of ten.", "How bad is the pain now?", "I told you already, six."),
)
ANEW: Final = (
    ("When did it start?", STARTED, "Where is it?", "In the middle of my chest."),
    ("When did it start?", LOST, "When did the pain start?", STARTED),
    ("When did it start?", LOST, "When did it start?", STARTED),
    ("Do you smoke?", "No.", "Do you drink?", "No."),
    ("Does it hurt when you walk?", "Yes.", "Does it hurt when you lie down?", "Yes."),
    ("What tablets do you take?", TABLETS, "How often do you miss them?", "Most weeks, once or twice."),
    ("When did it start?", STARTED, "So it started two hours ago. Have I got that right?", "As I said, yes."),
    (
        "What tablets do you take?",
        TABLETS,
        "What will you do? Tell me in your own words.",
        "Take the tablets.",
    ),
    ("Tell me about the pain", STARTED, "Is it sharp or dull?", "Dull."),
    ("Do you take anything?", "I'd rather not say.", "Do you take anything?", "Well, sometimes cannabis."),
    ("Have you had this before?", "No.", "Has anyone in your family had this?", "No."),
    ("Ok.", "All right.", "Ok.", "All right."),
    ("Is the pain worse on the left?", "A bit.", "Is the pain worse on the right?", "No."),
)


def two(first: str, answer: str, second: str, reply: str) -> list[Exchange]:
    return [Exchange(first, 1, answer, ["fact"]), Exchange(second, 2, reply, [])]


@pytest.mark.parametrize("pair", REPEATS)
def test_what_was_answered_and_is_asked_again_is_a_repeat(pair: tuple[str, str, str, str]) -> None:
    assert [one.turn for one in asked_again(two(*pair))] == [2]


@pytest.mark.parametrize("pair", ANEW)
def test_another_question_or_one_not_understood_is_none(pair: tuple[str, str, str, str]) -> None:
    assert asked_again(two(*pair)) == []


@given(st.lists(st.tuples(st.text(max_size=80), st.text(max_size=80)), max_size=8))
def test_any_words_are_read_and_saying_all_again_repeats_what_has_words(lines: list[tuple[str, str]]) -> None:
    once = [Exchange(said, n, reply) for n, (said, reply) in enumerate(lines)]
    before = len(asked_again(once))
    assert before <= len(lines)
    assert before <= len(asked_again([*once, *once])) <= 2 * len(lines)
