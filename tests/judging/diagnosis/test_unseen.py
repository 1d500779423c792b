"""How the matcher does on diseases it was not told of, and on choices: measured where the data is present."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from osler.judging.diagnosis import match as diagnosis
from osler.judging.diagnosis import names as wording
from osler.judging.diagnosis.agreement import Item, compare
from osler.judging.diagnosis.match import equivalent
from osler.judging.diagnosis.names import words_of
from osler.judging.diagnosis.vocabulary import Vocabulary, vocabulary

DATA = Path("../shared/data/craftmd")
LABELLED = DATA / "diagnosis_equivalence_dev.jsonl"
CHOICES = DATA / "vignettes_200.csv"
FOLDS = 5
STEPS = (7, 23, 51, 88, 120)
_PARTS = re.compile(r"[,;/()\[\]]| or | and | vs | due to | with ")
_CACHED: tuple[Any, ...] = (
    wording.tables,
    wording.name_of,
    wording.name_with_cause,
    wording.slip,
    wording._mended,
    wording._spellings,
    diagnosis._equivalent,
    diagnosis._readings_of_reference,
)

needs_labels = pytest.mark.skipif(not LABELLED.exists(), reason="the labelled equivalence data is not here")
needs_choices = pytest.mark.skipif(not CHOICES.exists(), reason="the vignettes with choices are not here")


@pytest.fixture
def forgetful(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A function that leaves only some entries known; all are known again afterwards."""

    def know(kept: Vocabulary) -> None:
        monkeypatch.setattr(wording, "vocabulary", lambda: kept)
        _forget()

    yield know
    monkeypatch.undo()
    _forget()


def _forget() -> None:
    for cached in _CACHED:
        cached.cache_clear()


def _items() -> list[Item]:
    return [Item.model_validate_json(line) for line in LABELLED.read_text("utf-8").splitlines()]


def _named(items: list[Item]) -> set[str]:
    """Every name, joined, that a reference or a candidate of these items holds."""
    texts = [text for item in items for text in (item.reference_diagnosis, *item.candidate_diagnoses)]
    parts = [part for text in texts for part in (text, *_PARTS.split(text.lower()))]
    return {"".join(words_of(part)) for part in parts} - {""}


@needs_labels
def test_candidates_of_other_cases_are_refused() -> None:
    """For every reference the candidates of five other cases, except where those share its name."""
    items = _items()
    others = [(items[(at + step) % len(items)], item) for at, item in enumerate(items) for step in STEPS]
    verdicts = [
        equivalent(candidate, item.reference_diagnosis, lists="accept").same
        for other, item in others
        if item.reference_diagnosis.lower() not in map(str.lower, other.candidate_diagnoses)
        for candidate in other.candidate_diagnoses
    ]
    assert len(verdicts) > 3000
    assert sum(verdicts) / len(verdicts) <= 0.002


@needs_labels
def test_agreement_with_all_that_is_known() -> None:
    """In the sample the rules were made on."""
    exact = compare(_items(), "accept").exact
    assert exact.value is not None
    assert exact.value >= 0.96


@pytest.mark.slow
@needs_labels
def test_agreement_where_nothing_is_known_of_the_disease(forgetful: Any) -> None:
    """A lower bound: by fold, every entry is left out that names a reference or candidate held out."""
    items = _items()
    references = sorted({item.reference_diagnosis.lower() for item in items})
    full = vocabulary()
    names = [{"".join(words_of(name)) for name in one.names} for one in full.entries]
    right = 0
    for fold in range(FOLDS):
        held_out = [it for it in items if references.index(it.reference_diagnosis.lower()) % FOLDS == fold]
        out = _named(held_out)
        kept = tuple(one for one, own in zip(full.entries, names, strict=True) if not own & out)
        forgetful(full._replace(entries=kept))
        found = compare(held_out, "accept").exact
        right += round((found.value or 0) * found.n)
    assert right / len(items) >= 0.82


@needs_choices
def test_answers_are_known_and_wrong_choices_are_refused() -> None:
    """The vocabulary was written without these; most of their answers should be in it."""
    with CHOICES.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    known = [any(map(wording.is_known, diagnosis._readings_of_reference(row["answer"]))) for row in rows]
    wrong = [
        equivalent(choice, row["answer"], lists="accept").same
        for row in rows
        for choice in (row[f"choice_{number}"] for number in range(1, 5))
        if choice.strip().lower() != row["answer"].strip().lower()
    ]
    assert sum(known) / len(known) >= 0.85
    assert sum(wrong) / len(wrong) <= 0.02


def test_the_layout_of_the_labels() -> None:
    row = {
        "case_id": "a",
        "reference_diagnosis": "Scabies",
        "candidate_diagnoses": ["scabies"],
        "n_equivalent_by_dermatologist": 1,
    }
    assert Item.model_validate_json(json.dumps(row)).n_equivalent_by_dermatologist == 1
