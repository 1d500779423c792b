"""What questions and facts are about, and what a doctor's words assure."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.knowledge.vocabulary import TOPICS, Told, Topic
from osler.text.lay_terms import workings
from osler.text.phrases import Phrases, words
from osler.text.topics import (
    assurances,
    canonical_question,
    clauses,
    may_tell,
    topic_of_statement,
    topics_of_question,
    topics_touched,
)

DIALOGUES = Path(__file__).parents[2] / ".." / "shared" / "data" / "mtsdialog" / "train_600.csv"


@pytest.mark.parametrize("topic", TOPICS)
def test_the_plain_question_of_a_topic_is_understood_as_that_topic(topic: Topic) -> None:
    assert topics_of_question(canonical_question(topic))[0] == topic


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("How's your breathing been?", "systems"),
        ("Have you lost any weight?", "diet"),
        ("Are your periods regular?", "gynaecological"),
        ("How many cigarettes do you get through?", "tobacco"),
        ("What do you do for a living?", "occupation"),
        ("Been abroad recently?", "travel"),
        ("Has anyone around you been poorly with the same symptoms?", "exposure"),
        ("Was she born on time?", "birth"),
        ("Have you been feeling down?", "mood"),
        ("What do you think is causing it?", "ideas"),
        ("Do you react badly to any medicines?", "allergies"),
        ("Have you ever been under the knife?", "past_surgical"),
        ("Have you ever been admitted to hospital?", "past_medical"),
        ("Does it come and go?", "course"),
        ("Does it spread anywhere?", "character"),
        ("Is it worse after meals?", "modifiers"),
        ("So, what seems to be the matter?", "complaint"),
        ("How old are you?", "identity"),
    ],
)
def test_everyday_questions_are_understood(question: str, topic: Topic) -> None:
    assert topics_of_question(question)[0] == topic


@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of Spain?",
        "Do you like jazz?",
        "How tall is the church tower?",
        "Grumbling flibber?",
        "",
    ],
)
def test_what_is_no_question_of_a_history_has_no_topic(question: str) -> None:
    assert topics_of_question(question) == ()


def test_an_illness_asked_of_the_family_is_about_the_family_alone() -> None:
    assert topics_of_question("Does anyone in your family have diabetes or chest pain?") == ("family",)


def test_each_question_of_an_utterance_is_heard_in_order() -> None:
    assert topics_of_question("Do you smoke, or do you drink any alcohol? And what is your job?") == (
        "tobacco",
        "alcohol",
        "occupation",
    )
    assert len(clauses("Do you smoke, or do you drink? And what is your job?")) == 3


def test_a_remark_does_not_drown_the_question() -> None:
    assert topics_of_question("I see you had surgery last year. Do you have any allergies?") == ("allergies",)


def test_the_longest_phrase_wins() -> None:
    assert topics_of_question("Do you use birth control?") == ("gynaecological",)
    assert topics_of_question("Does heart disease run in the family?") == ("family",)


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    assert set(topics_of_question(text)) <= set(TOPICS)
    assert topic_of_statement(text, "home") in TOPICS
    assert assurances(text) <= {"in_private", "normalized", "confidential"}


@pytest.mark.parametrize(
    ("statement", "heading", "topic"),
    [
        ("Smokes half a pack a day.", "home", "tobacco"),
        ("Lives with two sons.", "home", "home"),
        ("Father died of a stroke at 60.", "past_medical", "family"),
        ("Depression for four years.", "past_medical", "past_medical"),
        ("No fever, cough or chest pain.", "systems", "systems"),
        ("Nausea and two episodes of vomiting.", "associated", "associated"),
        ("It began suddenly three days ago.", "complaint", "course"),
        ("Something nobody has a word for.", "other", "other"),
    ],
)
def test_statements_are_tagged_by_their_words_and_their_heading(
    statement: str, heading: Topic, topic: Topic
) -> None:
    assert topic_of_statement(statement, heading) == topic


def test_a_fact_may_touch_several_topics() -> None:
    assert topics_touched("Non-smoker who drinks wine and works as a painter.") >= {"alcohol", "occupation"}


@pytest.mark.parametrize(
    ("said", "assured"),
    [
        ("Could I speak with you alone for a moment?", {"in_private"}),
        ("Would you mind stepping outside for a few minutes?", {"in_private"}),
        ("Many people with this feel frightened.", {"normalized"}),
        ("I ask everyone these questions.", {"normalized"}),
        ("Whatever you say stays between us.", {"confidential"}),
        ("This is confidential, and I ask all my patients.", {"confidential", "normalized"}),
        ("I cannot keep this confidential.", set()),
        ("Do you live on your own?", set()),
        ("Do you drink alone?", set()),
        ("Do you get breathless when you go outside?", set()),
        ("Any pain in your private parts?", set()),
    ],
)
def test_assurances(said: str, assured: set[Told]) -> None:
    assert assurances(said) == assured


@given(st.sampled_from(get_args(Told)), st.lists(st.text(max_size=60), max_size=4))
def test_what_may_be_told_once_may_always_be_told(told: Told, said: list[str]) -> None:
    if may_tell(told, said):
        assert may_tell(told, [*said, "Good."])


def test_each_condition_needs_its_own_assurance() -> None:
    promise = ["This stays between us."]
    assert may_tell("confidential", promise)
    assert not may_tell("in_private", promise)
    assert not may_tell("normalized", promise)
    assert may_tell("asked", [])
    assert may_tell("volunteered", [])


def test_lay_and_clinical_words_meet() -> None:
    assert workings("Does it hurt when you pee?") & workings("Dysuria for two days")
    assert not workings("How is your hearing?") & workings("Dysuria for two days")


def test_a_phrase_under_two_labels_is_an_error_unless_merged() -> None:
    with pytest.raises(ValueError, match="two labels"):
        Phrases([("chest pains", 1), ("the chest pain", 2)])
    merged = Phrases([("chest pains", 1), ("the chest pain", 2)], merge=lambda a, b: a + b)
    assert [match.label for match in merged.find(words("any chest pain"))] == [3]


def real_dialogues() -> list[dict[str, str]]:
    with DIALOGUES.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def asked_in(row: dict[str, str]) -> list[str]:
    lines = (line.partition(":") for line in row["dialogue"].splitlines())
    return [said.strip() for who, _, said in lines if who == "Doctor" and "?" in said]


needs_dialogues = pytest.mark.skipif(not DIALOGUES.exists(), reason="the MTS-Dialog data are not here")


@needs_dialogues
def test_doctors_of_real_dialogues_are_mostly_understood() -> None:
    asked = [
        line
        for row in real_dialogues()
        if row["section_header"] == "ALLERGY"
        for line in asked_in(row)
        if "allerg" in line.lower()
    ]
    understood = [line for line in asked if "allergies" in topics_of_question(line)]
    assert len(understood) >= 0.9 * len(asked) > 0
