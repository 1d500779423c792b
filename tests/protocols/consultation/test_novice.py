"""A novice who rambles, misspells and asks several things at once plays every case of the library."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import osler
from osler.core.events import Said
from osler.knowledge.vocabulary import Told
from osler.text.disclosure_conditions import conditions_met

NOVICE = Path(__file__).parents[2] / "fixtures" / "novice.yaml"
TURNS = {"limits": {"max_turns": 60}}


pytestmark = pytest.mark.slow  # a whole library is played for them
Episodes = tuple[osler.PlayedEpisode, ...]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Episodes:
    """Every case of the library, played once."""
    store = f"sqlite:///{tmp_path_factory.mktemp('novice') / 'osler.db'}"
    run = osler.run("consultation", "library", doctor=f"scripted:{NOVICE}", settings=TURNS, store=store)
    return tuple(run.episodes())


def exchanges(one: osler.PlayedEpisode) -> Iterator[tuple[str, str]]:
    """Each question of the novice with the patient's answer."""
    said = [event for event in one.trace.events if isinstance(event, Said)]
    for question, answer in zip(said[1::2], said[2::2], strict=True):
        assert (question.by, answer.by) == ("doctor", "patient")
        yield question.text, answer.text


def test_every_case_is_played_to_its_end(played: Episodes) -> None:
    assert {one.status for one in played} == {"completed"}
    assert len(played) == 30


def test_a_question_is_never_answered_as_if_it_were_a_remark(played: Episodes) -> None:
    for one in played:
        for question, answer in exchanges(one):
            if question.rstrip().endswith("?"):
                assert answer not in ("All right.", "Right.", "OK."), (one.case.id, question)


def test_every_patient_tells_name_and_date_of_birth(played: Episodes) -> None:
    for one in played:
        ((question, answer),) = [pair for pair in exchanges(one) if "date of birth" in pair[0]]
        assert re.search(r"\b(?:19|20)\d\d\b", answer), (one.case.id, question, answer)


def test_as_i_said_is_said_only_of_what_was_told_before(played: Episodes) -> None:
    for one in played:
        told = ""
        for _, answer in exchanges(one):
            again = answer.partition("As I said")[2]
            words = set(re.findall(r"\w{4,}", again.lower()))
            assert words <= set(re.findall(r"\w{4,}", (told + " said").lower())), (one.case.id, answer)
            told += f" {answer}"


def test_no_fact_is_told_before_its_gate_opens(played: Episodes) -> None:
    for one in played:
        heard: list[str] = []
        for question, answer in exchanges(one):
            heard.append(question)
            for fact in one.case.facts:
                told: Told = fact.told
                if fact.spoken and told not in conditions_met(heard):
                    assert fact.spoken not in answer, (one.case.id, question, fact.id)


@pytest.mark.parametrize("asked", ["What car do you drive by the way?"])
def test_what_has_nothing_to_do_with_the_case_tells_nothing_of_it(asked: str, played: Episodes) -> None:
    for one in played:
        answer = dict(exchanges(one))[asked]
        assert not any((fact.spoken or fact.text) in answer for fact in one.case.facts), one.case.id
