"""The built-in patient's answers to questions for facts: the fact asked for, or none."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from osler.cases.personas import persona
from osler.cases.sources import open_source
from osler.protocols.shared.patient import PatientView
from osler.protocols.shared.players.patient import replayed
from osler.protocols.shared.views import patient_view

ASKED: dict[str, list[dict[str, Any]]] = yaml.load(
    (Path(__file__).parents[2] / "fixtures/asked.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader
)


@cache
def views() -> dict[str, PatientView]:
    """The views of the patients of the library, plain and by the standard policy."""
    return {
        case.id: patient_view(case, persona=persona("plain"), unknown="standard")
        for case in open_source("library")
    }


def outcome(case: str, item: dict[str, Any]) -> str:
    """Whether a reply tells a fact asked for (right), another one or a denial of what is there (wrong)."""
    found = replayed(views()[case], item.get("before", []), item["ask"])
    told, wanted = set(found.reply.revealed_facts), set(item["facts"])
    if item.get("held") is False:
        return "wrong" if told - wanted else "none"
    if told & wanted:
        return "right"
    return "wrong" if told or found.kind == "denial" else "missed"


def told(case: str, *said: str) -> tuple[str, ...]:
    """The facts told in reply to the last of the doctor's words."""
    return replayed(views()[case], said[:-1], said[-1]).reply.revealed_facts


def test_wrong_answers_are_rare_on_questions_of_our_own() -> None:
    found = Counter(outcome(case, item) for case, items in ASKED.items() for item in items[::12])
    assert found.total() >= 90
    assert found["right"] >= 0.88 * (found.total() - found["none"])
    assert found["wrong"] <= 0.06 * found.total()


@pytest.mark.parametrize(
    "question", ["r u allergic 2 anything", "alergies?", "Are you allergic to penicillin?"]
)
def test_an_allergy_is_answered_with_allergies_in_every_case(question: str) -> None:
    for case, view in views().items():
        facts = {fact.id: fact.topic for fact in view.facts}
        assert {facts[name] for name in told(case, question)} == {"allergies"}, case


@pytest.mark.parametrize(
    ("case", "said", "facts"),
    [
        ("cardiology-01", ["Does the pain go anywhere?"], {"f5"}),
        ("cardiology-01", ["Any allergies and do you smoke?"], {"f19", "f21"}),
        ("cardiology-01", ["Do you take any meds, and do you ever miss them?"], {"f18"}),
        ("cardiology-01", ["wot tablets do u take"], {"f18"}),
        ("cardiology-01", ["Do you smoke?", "How many a day?"], {"f21"}),
        ("infectious-01", ["Have you travelled abroad?", "Where did you go?"], {"f22"}),
    ],
)
def test_what_was_answered_beside_the_question_is_answered(
    case: str, said: list[str], facts: set[str]
) -> None:
    assert set(told(case, *said)) & facts
    assert set(told(case, *said)) <= facts


def test_one_question_on_the_onset_does_not_hand_over_earlier_attacks() -> None:
    assert told("cardiology-01", "When did the pain start?") == ("f2",)


def test_a_fact_told_before_is_told_again_where_it_is_the_answer() -> None:
    assert told("cardiology-01", "Do you smoke?", "When did you give up smoking?") == ("f21",)


@pytest.mark.parametrize("question", ["Have you had any chest pain?", "rate it from 0 to 10"])
def test_plain_questions_about_the_complaint_are_understood(question: str) -> None:
    assert told("cardiology-01", question)
