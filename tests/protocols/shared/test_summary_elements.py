"""A doctor's summary, taken apart and compared with the facts, statement by statement.

"So it began three days ago, with a dry cough and no fever?" is three elements. Of each the patient has to
know whether it is right, wrong (and by which fact, to correct it), unsupported (it could be checked, and no
fact holds it) or open (no rule can tell). Between right and wrong there is room: a false "yes, that's right"
is worse than none.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.protocols.shared.patient import PatientFact
from osler.protocols.shared.players.summary_elements import Element, elements, judged

ONSET = PatientFact(id="onset", topic="course", text="The pain began suddenly three days ago.")
SITE = PatientFact(id="site", topic="character", text="Sharp pain in the left calf, worse on walking.")
COUGH = PatientFact(id="cough", topic="associated", text="Has a dry cough.", spoken="I've a dry cough.")
FEVER = PatientFact(id="fever", topic="associated", text="No fever.", absent=True)
NIGHTS = PatientFact(id="nights", topic="associated", text="Gets up to pass urine four times a night.")
SMOKES = PatientFact(id="smokes", topic="tobacco", text="Smokes ten cigarettes a day.")
ALLERGIES = PatientFact(id="allergies", topic="allergies", text="No known allergies.", absent=True)
TABLET = PatientFact(id="tablet", topic="medications", text="Takes amlodipine 5 mg once a day.")
WORK = PatientFact(id="work", topic="occupation", text="Works as a bus driver.")
FACTS = (ONSET, SITE, COUGH, FEVER, NIGHTS, SMOKES, ALLERGIES, TABLET, WORK)
NO_IDLE = frozenset[str]()

RIGHT, UNSUPPORTED, OPEN = Element("right"), Element("unsupported"), Element("open")


def wrong(fact: PatientFact) -> Element:
    """Wrong, and corrected by this fact."""
    return Element("wrong", fact)


def verdict(said: str) -> Element | None:
    return judged(said, FACTS, NO_IDLE)


# Taking a summary apart


@pytest.mark.parametrize(
    ("summary", "parts"),
    [
        ("a dry cough, no fever and you smoke", ["a dry cough", "no fever", "you smoke"]),
        ("It began today. Now it hurts; but less", ["It began today", "Now it hurts", "but less"]),
        ("you take aspirin plus ibuprofen & paracetamol", ["you take aspirin", "ibuprofen", "paracetamol"]),
        ("it began two and a half days ago", ["it began two and a half days ago"]),
        (" ... ", []),
    ],
)
def test_a_summary_is_taken_apart_where_a_new_statement_begins(summary: str, parts: list[str]) -> None:
    assert elements(summary) == parts


@given(st.text(max_size=80))
def test_no_element_is_empty_or_made_up(summary: str) -> None:
    for part in elements(summary):
        assert part
        assert part in summary


# Right, wrong, unsupported, open


@pytest.mark.parametrize(
    "said",
    [
        "it came on suddenly",
        "the pain started three days ago",
        "you have a pain in your left calf",
        "a dry cough",
        "no fever",
        "you get up four times a night",
        "you smoke ten a day",
        "you take amlodipine",
        "you are a bus driver",
    ],
)
def test_what_the_facts_hold_is_right(said: str) -> None:
    assert verdict(said) == RIGHT


@pytest.mark.parametrize(
    ("said", "corrects"),
    [
        ("it came on gradually", ONSET),
        ("the pain started three weeks ago", ONSET),
        ("you have a pain in your right calf", SITE),
        ("you have no cough", COUGH),
        ("you have a fever", FEVER),
        ("you get up ten times a night", NIGHTS),
        ("you don't smoke", SMOKES),
        ("you are allergic to penicillin", ALLERGIES),
        ("you take no medicines", TABLET),
    ],
    ids=["manner", "time", "side", "denied", "affirmed", "rate", "habit", "allergy", "drugs"],
)
def test_what_a_fact_contradicts_is_wrong_and_that_fact_corrects_it(said: str, corrects: PatientFact) -> None:
    assert verdict(said) == wrong(corrects)


@pytest.mark.parametrize(
    "said",
    [
        "you have chest pain",  # a symptom that no fact names
        "a pain in the left arm",  # the side is right, the part of the body is not
        "you take warfarin",
        "you travelled to Kenya",
        "no blood in your urine",  # a denial of what no fact denies
        "you smoke forty cigarettes a day",  # that it smokes is right, the number is nobody's
    ],
)
def test_what_could_be_checked_and_no_fact_holds_is_unsupported_not_right(said: str) -> None:
    assert verdict(said) == UNSUPPORTED


def test_what_no_rule_can_tell_is_left_open() -> None:
    assert verdict("you drink") == OPEN


@pytest.mark.parametrize("said", ["so", "is that right", "have i got that right"])
def test_words_that_state_nothing_have_no_verdict(said: str) -> None:
    assert verdict(said) is None


# What keeps a verdict from being false


def test_a_number_a_little_off_is_not_confirmed_and_not_yet_corrected() -> None:
    assert [verdict(f"you get up {n} times a night") for n in ("four", "five", "ten")] == [
        RIGHT,
        UNSUPPORTED,
        wrong(NIGHTS),
    ]


def test_right_may_mean_correct_and_is_no_side_then() -> None:
    assert verdict("it's your calf that hurts, is that right") != wrong(SITE)
    assert verdict("it's your right calf that hurts") == wrong(SITE)


def test_without_facts_nothing_is_right_and_nothing_wrong() -> None:
    for said in ("a dry cough", "no fever", "the pain started three days ago", "you smoke"):
        found = judged(said, (), NO_IDLE)
        assert found is None or found.verdict in ("unsupported", "open")


@given(st.lists(st.sampled_from(FACTS), unique=True))
def test_no_fact_in_the_patients_own_plain_words_is_ever_corrected(known: list[PatientFact]) -> None:
    for fact in known:
        for part in elements(fact.text):
            found = judged(part.lower(), known, NO_IDLE)
            assert found is None or found.verdict != "wrong", part
