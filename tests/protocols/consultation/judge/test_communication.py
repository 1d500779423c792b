"""Communication figures: what is counted, of how many, and that nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from osler.core.events import Event, Said
from osler.core.trace import Trace
from osler.protocols.consultation.judge.communication import MEANINGS, communication
from osler.protocols.consultation.judge.dialogue_acts import (
    acknowledges,
    asks_back,
    checks_understanding,
    closes,
    cue,
    introduces,
    summarises,
)
from osler.protocols.consultation.judge.open_questions import asks_several, questions
from osler.protocols.consultation.seats import Ask
from osler.text.jargon import unexplained
from tests.judging.episodes import trace_with
from tests.protocols.consultation.judge.spoken_lines import (
    CUES,
    JARGON,
    QUESTIONS,
)


def talk(*lines: str) -> Trace:
    """An episode in which patient and doctor speak in turn, the patient first."""
    exchanges = []
    for heard, said in zip(lines[::2], lines[1::2], strict=True):
        events: list[Event] = [
            Said(minute=1, by="patient", text=heard),
            Said(minute=1, by="doctor", text=said),
        ]
        exchanges.append((events, "doctor", Ask(question="as said")))
    return trace_with(*exchanges)


def counted(name: str, *lines: str) -> tuple[int, int]:
    found = communication(talk(*lines))[name]
    return found.met, found.of


def kind(sentence: str) -> str:
    """What the first question of a sentence is taken for."""
    asked = questions(sentence)
    if not asked:
        return "none"
    one = asked[0]
    return "open" if one.is_open else "leading" if one.is_leading else "list" if one.is_list else "closed"


@pytest.mark.parametrize(("sentence", "expected"), QUESTIONS)
def test_questions_are_told_apart(sentence: str, expected: str) -> None:
    assert kind(sentence) == expected


@pytest.mark.parametrize(("said", "expected"), CUES)
def test_cues_are_feelings_that_are_not_denied(said: str, expected: bool) -> None:
    assert (cue(said) is not None) == expected


@pytest.mark.parametrize(("turn", "expected"), JARGON)
def test_medical_words_count_where_nothing_explains_them(turn: str, expected: tuple[str, ...]) -> None:
    assert unexplained(turn, []) == expected


RULES: Final[dict[str, Callable[[str], bool]]] = {
    "introduces": introduces,
    "acknowledges": acknowledges,
    "summarises": summarises,
    "asks_back": asks_back,
    "checks": checks_understanding,
    "closes": closes,
}
BY_WORDS: Final[dict[str, Callable[[str], bool]]] = {
    "several": asks_several,
    "jargon": lambda turn: bool(unexplained(turn, [])),
}
HERE: Final = Path(__file__).parent
EXAMPLES: Final = yaml.load((HERE / "talk_examples.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader)
FRESH: Final = yaml.load((HERE / "talk_fresh.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader)
UNSEEN: Final = yaml.load((HERE / "talk_unseen.yaml").read_text("utf-8"), Loader=yaml.CSafeLoader)


@pytest.mark.parametrize("rule", BY_WORDS)
def test_the_labelled_lines_of_each_rule_are_read_as_labelled(rule: str) -> None:
    lines = EXAMPLES[rule]
    assert [line for line in lines["shows"] if not BY_WORDS[rule](line)] == []
    assert [line for line in lines["only_looks_like"] if BY_WORDS[rule](line)] == []


@pytest.mark.parametrize("rule", sorted(RULES.keys() & EXAMPLES.keys()))
def test_most_lines_of_an_act_are_read_and_few_that_only_look_like_it(rule: str) -> None:
    lines = EXAMPLES[rule]
    assert sum(map(RULES[rule], lines["shows"])) >= 0.6 * len(lines["shows"])
    assert sum(map(RULES[rule], lines["only_looks_like"])) <= 0.1 * len(lines["only_looks_like"])


@pytest.mark.parametrize(
    ("lines", "recall", "precision"),
    [(FRESH, 0.75, 0.9), (UNSEEN["chosen_with"], 0.85, 0.9), (UNSEEN["opened_once"], 0.75, 0.85)],
)
def test_acts_are_found_and_seldom_where_there_are_none(
    lines: list[tuple[str, str]], recall: float, precision: float
) -> None:
    shown = told = both = 0
    for labels, line in lines:
        for rule, read in RULES.items():
            label = rule in labels.split() or (rule == "checks" and "asks_back" in labels)
            if rule == "asks_back" and lines is FRESH:
                continue  # those lines do not tell it from a check
            shown, told, both = shown + label, told + read(line), both + (label and read(line))
    assert both >= recall * shown
    assert both >= precision * told


def test_a_word_that_the_patient_used_first_is_no_jargon() -> None:
    assert unexplained("Is the angina worse?", ["They said I have angina."]) == ()
    lines = ("I have angina.", "Is the angina worse?", "Yes.", "Any syncope?")
    assert counted("unexplained_jargon", *lines) == (1, 2)
    assert communication(talk(*lines))["unexplained_jargon"].quotes == ("syncope",)


def test_every_figure_says_what_it_was_counted_over() -> None:
    lines = (
        "My chest hurts and I am scared.",
        "Hello, I'm Doctor Ray. That must be frightening. What happened?",
        "It came on at work.",
        "Does it spread? Any sweating?",
        "No. I'm worried it's my heart.",
        "You don't smoke, do you?",
        "No.",
        "Let me summarise: pain at work, no sweating. Any questions before you go?",
    )
    found = communication(talk(*lines))
    assert {name: (one.met, one.of) for name, one in found.items()} == {
        "open_questions": (1, 4),
        "leading_questions": (1, 4),
        "several_at_once": (1, 3),
        "cues_taken_up": (1, 2),
        "empathy": (1, 4),
        "unexplained_jargon": (0, 4),
        "summary": (1, 1),
        "teach_back": (0, 1),
        "understanding": (0, 1),
        "introduction": (1, 1),
        "closing": (1, 1),
    }
    assert found["several_at_once"].quotes == ("Does it spread? Any sweating?",), "in the doctor's own words"


def test_a_greeting_late_and_a_goodbye_early_do_not_count() -> None:
    lines = ("Hello.", "Goodbye for now.", *("Yes.", "Does it hurt?") * 3, "Yes.", "I'm Doctor Ray.")
    assert counted("introduction", *lines) == (0, 1)
    assert counted("closing", *lines) == (0, 1)
    assert introduces("I'm Dr Ray.")
    assert not introduces("What is your name?")
    assert not closes("Nice to see you again.")


def test_a_cue_that_nobody_answers_is_not_taken_up() -> None:
    silent = trace_with(([Said(minute=1, by="patient", text="I'm terrified.")], "doctor", Ask(question="-")))
    found = communication(silent)
    assert (found["cues_taken_up"].met, found["cues_taken_up"].of) == (0, 1)
    assert found["open_questions"].of == found["summary"].of == 0, "a doctor who says nothing has no figures"


@given(st.lists(st.text(max_size=300), min_size=2, max_size=8))
def test_no_text_breaks_the_count(lines: list[str]) -> None:
    found = communication(talk(*lines[: len(lines) // 2 * 2]))
    assert list(found) == list(MEANINGS)
    assert all(0 <= one.met <= one.of for one in found.values())


@pytest.mark.parametrize(
    "bad", ["what " * 4000, "I'm sure that " * 1500, ", " * 8000, "that must be a b c d " * 900]
)
def test_long_text_is_read_quickly_and_only_in_part(bad: str) -> None:
    assert list(communication(talk(bad, bad))) == list(MEANINGS)
