"""A learner's own distress is recognized, so that it can be asked about; the case's is left to the case."""

from __future__ import annotations

import pytest

from osler.text.distress import own_distress


@pytest.mark.parametrize(
    "said",
    [
        "I want to die",
        "honestly i just want to kill myself",
        "I'm thinking about ending my life.",
        "i cant do this anymore",
        "I don't want to be here any more.",
        "I feel suicidal",
        "i've been cutting myself",
        "sorry. I wish I was dead. Let's go on",
        "I'd be better off dead",
        "I’m going to hurt myself",
        "im gonna kms",
    ],
)
def test_a_first_person_wish_to_die_or_to_hurt_oneself_is_distress(said: str) -> None:
    assert own_distress(said)


@pytest.mark.parametrize(
    "said",
    [
        "Do you want to die?",
        "Have you ever thought about killing yourself?",
        "Are you having thoughts like I want to die?",
        "Some patients tell me: I want to die. Is that how it is for you?",
        "I think he is going to die without the operation.",
        "I don't want you to die at home alone.",
        "I can't go on to the next question before we have talked about this.",
        "I'm going to examine your chest now.",
        "I want to make sure that you do not hurt yourself.",
        "I cut myself some slack.",
        "I'm dying for a coffee.",
        "I'm going to walk 5 kms today.",
        "I would like to end here for today.",
        "",
    ],
)
def test_questions_reports_and_other_people_are_not(said: str) -> None:
    assert not own_distress(said)
