"""`osler cases makeup`: what a source of cases is made up of."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from osler.cases.importers import write_case
from osler.cases.sources import open_source
from osler.testing.cases import small_case
from tests.cli.commands import Osler, value


def test_the_library_is_counted_by_age_sex_specialty_and_format(osler: Osler) -> None:
    found = value(osler("cases", "makeup", "--json"))
    cases = list(open_source("library"))
    assert (found["cases"]["n"], found["scenarios"]["n"], found["rejected"]) == (len(cases), 10, 0)
    for name in ("age", "sex", "specialty", "origin", "format"):
        parts = found["cases"][name].values()
        assert sum(part["n"] for part in parts) == len(cases)
        assert sum(part["share"] for part in parts) == pytest.approx(1, abs=0.01)
    sexes = Counter(case.sex for case in cases)
    assert {sex: one["n"] for sex, one in found["cases"]["sex"].items()} == sexes
    shown = osler("cases", "makeup").stdout
    assert "Paediatrics" in shown
    assert "100.0%" in shown


@pytest.mark.parametrize(
    ("years", "band"),
    [
        (0.9, "under 1"),
        (1, "1 to 4"),
        (17.9, "5 to 17"),
        (18, "18 to 39"),
        (64, "40 to 64"),
        (79, "65 to 79"),
        (80, "80 and over"),
        (None, "not said"),
    ],
)
def test_an_age_falls_into_one_band(osler: Osler, years: float | None, band: str) -> None:
    changed = small_case().model_copy(
        update={"age_years": years, "sex": None, "specialty": " general  surgery "}
    )
    write_case(changed, Path("in"))
    found = value(osler("cases", "makeup", "in", "--json"))["cases"]
    assert (list(found["age"]), list(found["sex"])) == ([band], ["not said"])
    assert found["specialty"] == {"General surgery": {"n": 1, "share": 1.0}}


def test_a_source_without_a_case_fails(osler: Osler) -> None:
    Path("none.jsonl").write_text("{}\n")
    assert osler("cases", "makeup", "none.jsonl", "--format=agentclinic").exit_code != 0
