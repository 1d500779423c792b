"""Sibling questions made without a model: on what a step says, sound, and silent about the case's answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import cache

import pytest

from osler.authoring.preparing.siblings import MOSTLY, SELDOM, siblings
from osler.authoring.preparing.steps import plan_of
from osler.cases.answers import names_the_answer
from osler.cases.generator.source import generated
from osler.cases.model import Case, Sibling, SocraticStep
from osler.knowledge.conditions import knowledge
from osler.protocols.ward_round.views import exam_items
from osler.text.findings_in_text import mentions

CASES = 60


@cache
def made() -> tuple[tuple[Case, tuple[Sibling, ...]], ...]:
    """Cases with the siblings of their plans."""
    return tuple((case, plan_of(case).siblings) for case in generated(f"generated:{CASES}:1"))


def every() -> list[Sibling]:
    return [sibling for _, found in made() for sibling in found]


def affirmed(text: str) -> set[str]:
    return {name for name, there in mentions(text).items() if there}


@pytest.mark.slow
def test_students_are_asked_every_one_of_them() -> None:
    """Questions on the case's own diagnosis named the answer, and no exam ever held one."""
    assert sum(bool(found) for _, found in made()) > CASES * 0.7
    for case, found in made():
        asked = exam_items(case.model_copy(update={"teaching": plan_of(case)}), with_steps=False)
        assert [item.question for item in asked[1:]] == [sibling.stem for sibling in found]


def test_nothing_of_the_answer_stands_in_them() -> None:
    for case, found in made():
        for sibling in found:
            told = (sibling.stem, *sibling.options.values())
            assert not names_the_answer(case, " ".join(told))
            assert case.diagnosis
            assert not {case.diagnosis.name, *case.diagnosis.synonyms} & set(told)


def test_they_ask_what_their_step_says_of_somebody_else() -> None:
    for case, found in made():
        steps = plan_of(case).steps
        for sibling in found:
            assert affirmed(sibling.stem) & affirmed(steps[sibling.step].summary), sibling
            assert case.opening.door_note not in sibling.stem


def test_only_the_right_disease_brings_the_finding_mostly() -> None:
    known = knowledge()
    for sibling in every():
        for letter, name in sibling.options.items():
            row = known.find(name)
            chances = [known.present[row, known.column[item]] for item in affirmed(sibling.stem)]
            if letter == sibling.answer:
                assert max(chances) >= MOSTLY
            else:
                assert min(chances) <= SELDOM
        assert len(set(sibling.options.values())) == 4


def longest(sibling: Sibling) -> str:
    return max(sibling.options, key=lambda letter: len(sibling.options[letter]))


def shortest(sibling: Sibling) -> str:
    return min(sibling.options, key=lambda letter: len(sibling.options[letter]))


def alike(sibling: Sibling) -> str:
    """The option that shares most words with the question."""
    words = set(sibling.stem.casefold().split())
    return max(sibling.options, key=lambda n: len(words & set(sibling.options[n].casefold().split())))


@pytest.mark.parametrize("guess", [lambda _: "A", lambda _: "D", longest, shortest, alike])
def test_who_goes_by_place_or_wording_is_at_chance(guess: Callable[[Sibling], str]) -> None:
    found = every()
    right = sum(guess(sibling) == sibling.answer for sibling in found)
    # Four standard errors of a quarter.
    assert abs(right / len(found) - 0.25) < 4 * (0.25 * 0.75 / len(found)) ** 0.5


def test_a_step_has_one_and_a_case_two_where_it_can() -> None:
    for _, found in made():
        per_step = Counter(sibling.step for sibling in found)
        assert max(per_step.values(), default=0) <= 2
        assert len(found) <= 2 or set(per_step.values()) == {1}
        assert len({sibling.stem for sibling in found}) == len(found)


def test_the_same_case_has_the_same() -> None:
    for case, found in made()[:10]:
        assert plan_of(case).siblings == found


@pytest.mark.parametrize("says", ["It is all quite puzzling.", "No fever. No cough.", "Purple toenails."])
def test_where_a_step_says_nothing_that_is_known_nothing_is_asked(says: str) -> None:
    case = made()[1][0]
    assert siblings(case, (SocraticStep(key_question="What now?", summary=says),)) == ()


def test_what_a_step_says_and_the_case_does_not_hold_is_not_asked() -> None:
    case = made()[1][0]
    step = SocraticStep(key_question="What now?", summary="He has a goitre.")
    assert affirmed(step.summary)
    assert siblings(case, (step,)) == ()
