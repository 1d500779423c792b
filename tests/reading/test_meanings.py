"""The question bank: what was learned of questions supports the facts that answer them, and no others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from osler.cases.personas import persona
from osler.cases.sources import open_source
from osler.protocols.shared.patient import PatientFact, PatientView
from osler.protocols.shared.players.fact_answers import known, meant_by
from osler.protocols.shared.players.patient import replayed
from osler.protocols.shared.views import patient_view
from osler.reading.encoder import vector
from osler.reading.meanings import Meaning, bank, words_of
from osler.reading.questions import hear
from osler.text.topics import clauses

LINES = Path(__file__).parents[2] / "fixtures/patient_lines"
FACTS = (
    PatientFact(id="pain", topic="complaint", text="A dull ache in the left knee.", told="volunteered"),
    PatientFact(id="onset", topic="course", text="It began three weeks ago after a long walk."),
    PatientFact(id="allergy", topic="allergies", text="Penicillin brought her out in a rash."),
    PatientFact(id="job", topic="occupation", text="She keeps bees and sells the honey."),
)


@pytest.fixture(scope="module")
def views() -> dict[str, PatientView]:
    return {
        case.id: patient_view(case, persona=persona("plain"), unknown="standard")
        for case in open_source("library")
    }


def likeliest(question: str) -> str | None:
    chances = meant_by(hear(clauses(question)[0]), FACTS).chances
    best = max(range(len(FACTS)), key=lambda at: chances[at])
    return FACTS[best].id if chances[best] > 0.5 else None


@pytest.mark.parametrize(
    ("question", "fact"),
    [
        ("Is there any medicine that does not agree with your body?", "allergy"),
        ("Which work are you doing?", "job"),
        ("Since when is it disturbing you?", "onset"),
        ("Who won the election?", None),
    ],
)
def test_a_case_that_is_not_in_the_bank_is_read_by_what_was_asked_of_others(
    question: str, fact: str | None
) -> None:
    assert likeliest(question) == fact


def test_the_chances_of_all_facts_and_none_are_one() -> None:
    chances = meant_by(hear(clauses("Do you keep any animals?")[0]), FACTS).chances
    assert all(0 <= chance <= 1 for chance in chances)
    assert sum(chances) <= 1 + 1e-9


def test_a_patient_without_facts_means_nothing() -> None:
    meant = meant_by(hear(clauses("Do you smoke?")[0]), [])
    assert meant.chances == meant.surely == ()


@pytest.mark.parametrize(
    ("chances", "told"),
    [
        ((0.1, 0.85, 0.0), (1,)),
        ((0.45, 0.02, 0.45), (0, 2)),
        ((0.3, 0.3, 0.3, 0.0), (0, 1, 2)),
        ((0.25, 0.25, 0.25, 0.25), ()),
        ((0.75, 0.06, 0.06, 0.0), ()),
        ((0.3, 0.3, 0.1, 0.0), ()),
    ],
)
def test_the_fewest_facts_are_told_of_which_one_surely_is_the_answer(
    chances: tuple[float, ...], told: tuple[int, ...]
) -> None:
    assert Meaning(chances, least=0.8, besides=0.1).surely == told


def test_nearly_all_statements_of_the_library_are_in_the_bank(views: dict[str, PatientView]) -> None:
    """A statement that is rewritten leaves the bank; benchmarks/reader builds it anew."""
    held = [bank().case(tuple(known(fact) for fact in view.facts)).own for view in views.values()]
    every = [questions for case in held for questions in case]
    assert sum(len(questions) > 0 for questions in every) >= 0.95 * len(every)


def test_a_statement_of_the_bank_has_the_vector_that_the_encoder_gives_it(
    views: dict[str, PatientView],
) -> None:
    facts = tuple(known(fact) for fact in views["cardiology-01"].facts[:5])
    for fact, stated in zip(facts, bank().case(facts).stated, strict=True):
        assert stated.tolist() == vector(words_of(fact)).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("part", ["s1", "s2"])
def test_two_opened_sets_of_labelled_lines_are_answered(views: dict[str, PatientView], part: str) -> None:
    """Lines by writers who had not seen the rules; the bank has learned from them since (in sample).

    When they were first opened 4.3 % of 540 were answered wrong, and 76 % of 335 questions right.
    """
    said: dict[str, list[str]] = {}
    wrong = right = asked = total = 0
    for line in (LINES / f"{part}.jsonl").read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        history = said.setdefault(item.get("history", ""), [])
        before = list(history) if item.get("history") else item.get("before", [])
        told = set(replayed(views[item["case"]], before, item["say"]).reply.revealed_facts)
        history.append(item["say"])
        total += 1
        if item["expect"] == "fact":
            asked += 1
            right += bool(told & set(item["facts"]))
        wrong += bool(told) and not told & set(item.get("facts", ())) and item["expect"] != "other"
    assert right >= 0.87 * asked
    assert wrong <= 0.025 * total
