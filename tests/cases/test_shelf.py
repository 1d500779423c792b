"""The shelf: labels that learners may read, sources that say whether they were read, and the lint of both."""

from __future__ import annotations

from collections import defaultdict

import pytest
from pydantic import ValidationError

from osler.cases.importers.leaks import plain, plain_names
from osler.cases.lint import answer_names, lint
from osler.cases.lint_shelf import label
from osler.cases.model import Case, Source
from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.sources import open_scenarios
from osler.cases.shelf import Shelf
from osler.cases.sources import open_source

CASES = list(open_source("library"))
SCENARIOS = list(open_scenarios("library"))
ALL: tuple[Case | Scenario, ...] = (*CASES, *SCENARIOS)
LABEL = Shelf(
    title="A tight chest",
    complaint="chest tightness",
    system="respiratory",
    level="foundation",
    minutes=20,
    skills=("history",),
    objectives=("Tell causes apart",),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_a_label_names_neither_the_answer_nor_another_diagnosis(case: Case) -> None:
    assert case.shelf
    assert case.diagnosis
    names = [*answer_names(case)]
    for other in case.diagnosis.alternatives:
        names += [other.name, *other.synonyms]
    for text in case.shelf.texts.values():
        said = f" {plain(text)} "
        assert [name for name in names for form in plain_names(name) if f" {form} " in said] == []


def test_every_case_and_scenario_has_a_whole_label() -> None:
    for item in ALL:
        assert item.shelf
        assert item.shelf.objectives
        assert 15 <= item.shelf.minutes <= 60
    titles = [item.shelf.title for item in ALL if item.shelf]
    assert len({*titles}) == len(titles) == 40


def test_cases_that_open_alike_are_labelled_alike() -> None:
    """Else the label of one would tell it from its twin: "emergency" on one of two aches in the chest."""
    twins: dict[str, list[Case]] = defaultdict(list)
    for case in CASES:
        twins[case.opening.words].append(case)
    alike = [cases for cases in twins.values() if len(cases) > 1]
    assert sum(map(len, alike)) == 7
    for cases in alike:
        labels = {case.shelf.model_copy(update={"title": ""}) for case in cases if case.shelf}
        assert len(labels) == 1


@pytest.mark.parametrize("place", ["title", "complaint", "objectives"])
@pytest.mark.parametrize("text", ["Bronchial asthma at night", "Asthma", "bronchial trouble", "A (asthma) B"])
def test_a_text_that_gives_the_answer_away_is_an_error(place: str, text: str) -> None:
    given = LABEL.model_copy(update={place: (text,) if place == "objectives" else text})
    found = list(label(given, ["Asthma", "bronchial asthma"], (), ""))
    assert {problem.code for problem in found} == {"shelf-leak"}


def test_another_diagnosis_is_sought_as_a_whole_and_a_word_of_the_opening_is_free() -> None:
    named = LABEL.model_copy(update={"title": "Not a pneumothorax"})
    assert [p.code for p in label(named, ["Asthma"], ["Pneumothorax"], "")] == ["shelf-leak"]
    told = LABEL.model_copy(update={"title": "Spells of vertigo"})
    assert list(label(told, ["Benign positional vertigo"], (), "I have vertigo.")) == []
    assert [p.code for p in label(told, ["Benign positional vertigo"], (), "")] == ["shelf-leak"]


def test_a_library_case_without_a_label_is_an_error_and_without_one_its_hash_is_as_before() -> None:
    bare = CASES[0].model_copy(update={"shelf": None})
    assert "no-shelf" in {problem.code for problem in lint(bare, strict=True) if problem.level == "error"}
    assert "shelf" not in bare.model_dump(mode="json")


def test_a_source_is_checked_only_with_the_passage_that_was_read() -> None:
    read = Source(
        title="A guideline", year=2019, updated=2023, checked="2026-11-20", passage="1.4.2 to 1.4.6"
    )
    assert read.told() == "A guideline (2019, updated 2023; checked 2026-11-20: 1.4.2 to 1.4.6)"
    assert Source(title="A guideline", year=2019).told() == "A guideline (2019; text not checked)"
    for wrong in ({"checked": "2026-11-20"}, {"passage": "1.4"}, {"checked": "2026-13-40", "passage": "1.4"}):
        with pytest.raises(ValidationError):
            Source.model_validate({"title": "A guideline", "year": 2019, **wrong})


def test_nobody_has_read_the_sources_of_the_library_and_nobody_has_reviewed_it() -> None:
    """To be changed with the first source that somebody reads, and the first clinician who reviews."""
    for item in ALL:
        assert item.provenance.sources
        assert not any(source.checked for source in item.provenance.sources)
        assert (item.provenance.reviewed_by, item.provenance.reviews) == (None, ())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_guideline_stands_among_the_sources_and_its_year_is_told_once(case: Case) -> None:
    assert case.management
    assert case.guideline in case.provenance.sources
    assert case.guideline
    assert case.guideline.told().count(str(case.management.year)) == 1
