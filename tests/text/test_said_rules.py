"""Rules for speech: classes, gaps, questions, and guards against what is only mentioned."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.text.act_rules import stems
from osler.text.communication import acts, classes
from osler.text.introductions import gives_name, gives_role
from osler.text.said_rules import heard_in, said_rule, says


@pytest.mark.parametrize("name", sorted(acts()))
def test_every_communicative_act_parses(name: str) -> None:
    assert said_rule(f"@{name}").ways


def test_every_class_of_wordings_is_in_use_or_parses() -> None:
    for name in classes():
        assert said_rule(f"@{name}").ways


@pytest.mark.parametrize("text", ["", "a & ", "!no", "@nothing_of_the_kind", "the | bed", "* bed"])
def test_a_rule_without_meaning_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match=r"empty|no class|requires nothing"):
        said_rule(text)


@pytest.mark.parametrize(
    "said",
    [
        "Hi, I'm Sarah, a third year medical student",
        "Hi I'm Priya, one of the F1s",
        "Hello Mr Weir, I'm Sam Patel, one of the doctors here",
        "Introduce myself by name and role",
    ],
)
def test_an_introduction_gives_name_and_role(said: str) -> None:
    assert gives_name(said)
    assert gives_role(said)
    assert says(said, ["@introduces_with_role"])


@pytest.mark.parametrize(
    "said",
    [
        "I'm sorry.",
        "What's your name?",
        "Dr Lind, this is Ms Rowe.",
        "I am the doctor.",
    ],
)
def test_what_names_nobody_is_no_introduction(said: str) -> None:
    assert not gives_name(said)


@pytest.mark.parametrize(
    ("act", "said", "not_said"),
    [
        ("owns_apology", "I'm so sorry this happened.", "I'm not sorry."),
        ("owns_apology", "We apologise for the wait.", "The nurse said that she was sorry."),
        ("asks_suicide", "Are you thinking of ending your life?", "I won't ask you about suicide."),
        ("warning_shot", "I'm afraid I have bad news.", "There is no bad news."),
        ("checks_understanding", "can you run through what we've talked about?", "Can you run?"),
        ("acknowledges_feeling", "It's completely understandable to be upset", "I can see the drip."),
    ],
)
def test_an_act_is_heard_and_its_near_miss_is_not(act: str, said: str, not_said: str) -> None:
    assert heard_in(said, f"@{act}") == said
    assert heard_in(not_said, f"@{act}") is None


@pytest.mark.parametrize(
    ("said", "met"),
    [
        ("This is anaphylaxis.", True),
        ("Is this anaphylaxis?", False),
        ("Could it be anaphylaxis?", False),
        ("I don't think it is anaphylaxis.", False),
        ("The guideline says anaphylaxis comes with a rash.", False),
        ("It's anaphylaxis, okay?", True),
        ("This is anaphalaxis.", False),
    ],
)
def test_questions_negations_and_reports_assert_nothing(said: str, met: bool) -> None:
    assert says(said, ["anaphylaxis & !?"]) is met


def test_contractions_spellings_and_gaps_are_alike() -> None:
    assert says("I cant tell you", ["can not tell you"])
    assert says("The hemoglobin fell", ["haemoglobin & fell"])
    assert says("What exactly is it that worries you", ["what * worries"])
    assert not says("What is it that in all of this most worries you", ["what * worries"])


@given(st.text(max_size=80))
def test_any_text_can_be_heard_and_what_is_heard_is_part_of_it(text: str) -> None:
    for act in ("acknowledges_feeling", "introduces", "asks_suicide"):
        heard = heard_in(text, f"@{act}")
        assert heard is None or set(stems(heard)) <= set(stems(text))


ASSERTS = "anaphylaxis & !?"
ADMITS = "i * prescribed | i made * mistake & #self & !#team"


@pytest.mark.parametrize(
    ("rule", "said", "met"),
    [
        ("midwife | nurse > weigh | rub", "Midwife, please could you weigh the pads", True),
        ("midwife | nurse > weigh | rub", "Weigh the pads. The nurse is new.", False),
        (ADMITS, "I was the one who prescribed it.", True),
        (ADMITS, "I am not the one who prescribed it.", False),
        (ADMITS, "I'm so sorry, we made a mistake.", False),
        (ADMITS, "I'm so sorry, I made a mistake.", True),
        (ASSERTS, "My senior used to say that this is anaphylaxis.", False),
        (ASSERTS, "If it is anaphylaxis we give adrenaline.", False),
        (ASSERTS, "This is anaphylaxis, so we give adrenaline.", True),
        (ASSERTS, "I am not going to tell anybody it is anaphylaxis.", False),
        ("tablets & ?", "Has the nurse asked you about tablets at home?", False),
        ("tablets & ?", "Do you have tablets at home?", True),
        ("allergies & ? & !#kin", "Does your brother have allergies?", False),
        ("allergies & ? & !#kin", "Have you or has your brother any allergies?", True),
        ("injection & !#staff", "You will feel an injection in the leg.", True),
        ("injection & !#staff", "Nurse Bell, one injection into the leg.", False),
        ("sepsis & !? & !#if", "If the lactate is high, she has sepsis.", False),
        ("sorry", "Somebody ought to say sorry to you.", False),
        ("explain", "I'll explain it when the consultant comes.", False),
        ("call & !?", "Should he have another, call us.", True),
    ],
)
def test_what_is_said_counts_only_as_it_is_meant(rule: str, said: str, *, met: bool) -> None:
    assert (heard_in(said, rule) is not None) is met
