"""Role cards: what tells an actor whom to play becomes what that patient says, and nothing else is spoken."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from osler.cases.importers.nejm import import_record
from osler.cases.importers.role_card import is_role_card, read_card
from osler.cases.model import Case
from osler.cases.personas import persona
from osler.core.contract import Request
from osler.core.events import Said
from osler.knowledge.vocabulary import TOPICS
from osler.protocols.shared.players.patient import answer
from osler.protocols.shared.views import patient_view
from osler.text.topics import canonical_question
from tests.cases.importing import FIXTURES, shown

GOOD: dict[str, Any] = json.loads((FIXTURES / "nejm_small.jsonl").read_text(encoding="utf-8").splitlines()[0])
PROSE = (
    "For your role as a patient, you are a 47-year-old woman who has noticed a lump in your neck over "
    "the past four months. You began having trouble with hoarseness two weeks ago. When you swallow, it"
    " moves with your throat, which worries you. You haven't had any fever or weight loss. An "
    "ultrasound showed a solid nodule. You are not aware of your diagnosis."
)
POINTS = (
    "For the patient actor: - **Age and Background**: You are a 31-year-old man with a history of "
    "asthma. - **Symptoms**: - Itchy eyes - You've been sneezing for 3 weeks. - A pruritic (itchy) rash"
    " on your arms. - **Test Results**: - Your IgE was high. - **What Not to Mention**: - Any "
    "diagnosis. Remember, you do not know what is causing this."
)
BARE = (
    "For the patient actor: - Age: 66 years old - Gender: Male - Medical History: Recalls breaking his "
    "left wrist ten years ago. - Current Symptoms: - Numbness in the left hand - Experiencing pain in "
    "your wrist at night"
)
CHILD = (
    "You are a 4-year-old boy who has been coughing for two days. You've had a fever and you don't want"
    " to eat. Your doctor noted that you have crackles in your lungs."
)
ROLE = re.compile(r"\byou(?:r|rs|rself|['’]\w+)?\b|\brole\b|\bactor\b|\bportray|\*", re.IGNORECASE)


def of(card: str, answer_text: str = "Papillary thyroid cancer") -> Case:
    """The case of a record with this card."""
    answers = [{"text": answer_text, "correct": True}, {"text": "Goitre", "correct": False}]
    return import_record({**GOOD, "patient_info": card, "answers": answers}, 1, "t")


def said(case: Case) -> list[str]:
    """What the built-in patient answers to a question on every topic."""
    view = patient_view(case, persona=persona("plain"), unknown="standard")
    feed = (Said(minute=0, by="patient", text=case.opening.words),)
    asked = [canonical_question(topic) for topic in TOPICS]
    return [answer(Request(view, (*feed, Said(minute=1, by="doctor", text=q)), "w")).answer for q in asked]


def test_a_card_in_prose_is_told_in_the_first_person() -> None:
    case = of(PROSE)
    assert (case.age_years, case.sex, case.speaker) == (47, "female", "patient")
    assert [fact.spoken for fact in case.facts] == [
        "I have noticed a lump in my neck over the past four months.",
        "I began having trouble with hoarseness two weeks ago.",
        "When I swallow, it moves with my throat, which worries me.",
        "I haven't had any fever or weight loss.",
    ]
    assert [fact.absent for fact in case.facts] == [False, False, False, True]
    assert case.facts[0].text == "They have noticed a lump in their neck over the past four months."


def test_the_opening_is_the_complaint_in_a_sentence_of_their_own() -> None:
    assert of(PROSE).opening.words == "I have noticed a lump in my neck over the past four months."
    assert of(POINTS).opening.words == "I have come because of this: itchy eyes."


def test_points_are_split_their_labels_dropped_and_their_own_glosses_used() -> None:
    case = of(POINTS)
    assert (case.age_years, case.sex) == (31, "male")
    assert [(fact.spoken, fact.topic) for fact in case.facts] == [
        ("I have a history of asthma.", "past_medical"),
        ("Itchy eyes.", "complaint"),
        ("I've been sneezing for 3 weeks.", "associated"),
        ("An itchy rash on my arms.", "associated"),
    ]


def test_a_point_that_addresses_nobody_is_turned_as_prose_in_the_third_person_is() -> None:
    told = [fact.spoken for fact in of(BARE).facts]
    assert told == [
        "I remember breaking my left wrist ten years ago.",
        "Numbness in the left hand.",
        "I've been experiencing pain in my wrist at night.",
    ]


def test_a_parent_speaks_of_the_child() -> None:
    case = of(CHILD)
    assert case.speaker == "parent"
    assert [fact.spoken for fact in case.facts] == [
        "My child has been coughing for two days.",
        "My child has had a fever and he doesn't want to eat.",
    ]


def test_a_card_for_the_mother_is_in_her_own_words() -> None:
    case = of("You are the mother of a newborn baby girl. Your baby was born with a rash all over her body.")
    assert [fact.spoken for fact in case.facts] == ["My baby was born with a rash all over her body."]


@pytest.mark.parametrize("card", [PROSE, POINTS, BARE, CHILD])
def test_no_role_card_is_read_out(card: str) -> None:
    case = of(card)
    assert not [fact for fact in case.facts if ROLE.search(f"{fact.text} {fact.spoken}")]
    assert not ROLE.search(case.opening.words)
    told = {fact.spoken for fact in case.facts}
    for words in said(case):
        assert not any(part in words for part in ("you are a", "You are", "For your role", "For the patient"))
    assert told & set(said(case))
    # The card itself is kept for the record, for no seat.
    assert card in [leaf.text for leaf in case.withheld]
    assert "crackles" not in shown(case)
    assert "solid nodule" not in shown(case)


@pytest.mark.parametrize(
    "text",
    [
        "You are not aware of your diagnosis.",
        "You haven't been told any test results.",
        "Remember, your portrayal is based on these symptoms alone.",
        "During the examination, the doctor noted that you have a murmur.",
        "Your blood pressure was 160/90 mm Hg.",
        "Walk with a limp, favoring your left side.",
        "You should act as though you have no pain now.",
        "Mention that you live on a farm.",
    ],
)
def test_stage_directions_and_results_are_nobodys_words(text: str) -> None:
    card = read_card(f"You have been coughing for a week. {text}", "patient")
    assert [line.spoken for line in card.lines] == ["I have been coughing for a week."]
    assert card.left_out == (text,)


def test_prose_about_a_patient_is_no_card() -> None:
    assert not is_role_card("A 24-year-old man presented with blisters. He had no fever.")


@given(st.text(max_size=300))
def test_whatever_is_read_speaks_to_nobody(text: str) -> None:
    for line in read_card(f"You have a cough. {text}", "patient").lines:
        assert not re.search(r"\byou(?:r|rs|rself)?\b", line.spoken, re.IGNORECASE)


@pytest.mark.parametrize(
    "direction",
    [
        "Do not reveal that this is a test.",
        "Please, answer briefly.",
        "Never mention the answer.",
        "Stay in role.",
    ],
)
def test_what_an_actor_is_told_to_do_is_nobodys_words(direction: str) -> None:
    card = read_card(f"For your role as a patient, you are a man who has a sore toe. {direction}", "patient")
    assert [line.spoken for line in card.lines] == ["I have a sore toe."]
    assert direction in card.left_out


@pytest.mark.parametrize(
    "fact", ["You never smoked.", "You do not use eye drops.", "You speak two languages."]
)
def test_what_a_patient_does_is_theirs(fact: str) -> None:
    assert len(read_card(f"You are a man who has a sore toe. {fact}", "patient").lines) == 2
