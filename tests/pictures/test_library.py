"""The pictures of our own cases agree with the words of their results and give nothing away."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from osler.cases.importers import import_file
from osler.cases.importers.leaks import plain
from osler.cases.importers.osler_yaml import write_case
from osler.cases.lint import answer_names
from osler.cases.model import Case, Finding
from osler.cases.sources import open_source
from osler.core.pictures import Audiogram, Ecg, Electrophoresis, GrowthChart, Nomogram, Picture, Spirometry
from osler.pictures import alt

PICTURED = [
    (case, finding) for case in open_source("library") for finding in case.findings if finding.picture
]
EACH = pytest.mark.parametrize(
    ("case", "finding"), PICTURED, ids=lambda item: item.id if isinstance(item, Case | Finding) else ""
)


def figures(picture: Picture) -> Iterator[float]:
    """The figures of a picture that its result has to state."""
    match picture:
        case Ecg():
            yield from (picture.rate_per_min, picture.qrs_ms)
            yield from (abs(mm) for mm in picture.st_mm.values())
        case Spirometry():
            for blow in (picture.before, picture.after):
                yield from (blow.fev1_l, blow.fvc_l) if blow else ()
        case Audiogram():
            for ear in (picture.right, picture.left, picture.right_bone, picture.left_bone):
                yield from ear.values()
        case GrowthChart():
            yield from (value for _, value in picture.points)
        case Electrophoresis():
            yield from (picture.albumin, picture.alpha1, picture.alpha2, picture.beta, picture.gamma)
            yield from picture.spike[1:] if picture.spike else ()
        case Nomogram():
            yield from (picture.hours, picture.level_mg_per_l)


def test_each_case_of_the_blueprint_has_its_picture() -> None:
    assert {case.id for case, _ in PICTURED} >= {
        *("cardiology-01", "cardiology-02", "cardiology-03", "respiratory-02", "paediatrics-01"),
        *("paediatrics-02", "gastroenterology-01", "ent-01", "haematology-01", "toxicology-02"),
    }


@EACH
def test_the_result_states_what_the_picture_shows(case: Case, finding: Finding) -> None:
    assert finding.picture
    stated = {float(number) for number in re.findall(r"\d+(?:\.\d+)?", finding.result)}
    missing = sorted({figure for figure in figures(finding.picture) if round(figure, 2) not in stated})
    assert not missing


def test_a_case_with_a_picture_is_the_same_after_writing_and_reading(tmp_path: Path) -> None:
    for case, _ in PICTURED:
        (again,) = import_file(write_case(case, tmp_path))
        assert again == case


@EACH
def test_a_caption_names_no_answer(case: Case, finding: Finding) -> None:
    assert finding.picture
    words = f" {plain(alt(finding.picture))} "
    assert not [name for name in answer_names(case) if f" {plain(name)} " in words]
