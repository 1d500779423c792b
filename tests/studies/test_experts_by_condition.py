"""A study's conditions by the people who rated them, and figures over several conditions."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import pytest
from rich.console import Console

from osler.reports.study_html import study_html
from osler.reports.study_report import RatedItem
from osler.reports.study_table import experts_table
from osler.stats.intervals import mean_interval, wilson
from osler.store.store import Store
from osler.studies.rating.importing import import_sheets
from osler.studies.rating.unblinding_key import Behind
from osler.studies.study.comparing import read
from osler.studies.study.design import study_named
from osler.studies.study.experts import ItemByExperts, by_experts
from osler.studies.study.means import pooled
from tests.reports import studies
from tests.studies.rating.rated import exported, rate, run_of

EIGHT = 8
RIGHT = {"first": 6, "second": 2}


@pytest.fixture
def tables(store: Store, tmp_path: Path) -> dict[str, ItemByExperts]:
    """Two models' runs, of eight cases each; the second rater finds one right answer less than the first, and
    only the first says something of the plan."""
    for name, right in RIGHT.items():

        def plan(behind: Behind, rater: str, item: str, right: int = right) -> str:
            if item == "diagnosis":
                return "2" if behind.ordinal < right - (rater == "rater-2") else "0"
            return str(behind.ordinal % 3) if item == "plan" and rater == "rater-1" else ""

        found = exported(store, run_of(store, right, EIGHT - right, name), tmp_path / name)
        assert not import_sheets(store, rate(found, plan), found.key).problems
    return {one.item: one for one in by_experts({name: store.run(name) for name in RIGHT}, store)}


def test_experts_by_models_are_one_table_of_the_ratings_themselves(tables: dict[str, ItemByExperts]) -> None:
    assert tables.keys() == {"diagnosis", "plan"}
    diagnosis, plan = tables["diagnosis"], tables["plan"]
    assert (diagnosis.share, plan.share) == (True, False)
    for name, right in RIGHT.items():
        by_rater = diagnosis.means[name]
        assert {who: one.value for who, one in by_rater.items()} == {
            "rater-1": right / EIGHT,
            "rater-2": (right - 1) / EIGHT,
        }
        assert by_rater["rater-1"] == wilson(right, EIGHT)
        assert (diagnosis.everyone[name].value, diagnosis.everyone[name].n) == ((2 * right - 1) / 16, 16)
        levels = {str(n): [float(n % 3)] for n in range(EIGHT)}
        assert plan.means[name] == {"rater-1": mean_interval(levels)}


def test_the_table_has_a_row_for_each_model_and_a_column_for_each_expert(
    tables: dict[str, ItemByExperts],
) -> None:
    found = tables["diagnosis"]
    console = Console(width=200)
    with console.capture() as shown:
        console.print(experts_table(found.in_words))
    text = " ".join(shown.get().split())
    assert "condition rater-1 rater-2 all ratings" in text
    assert "second 25.0% (7.1% to 59.1%), n 8 12.5%" in text


def test_runs_that_nobody_rated_have_no_table(store: Store) -> None:
    assert by_experts({"first": run_of(store, 2, 0)}, store) == ()


def test_figures_over_conditions_are_of_their_episodes_clustered_by_case(store: Store) -> None:
    study = study_named("mdt")
    few, many = (
        read(run_of(store, right, wrong, name), store, study)
        for right, wrong, name in ((1, 3, "few"), (9, 3, "many"))
    )
    found = pooled([few, many])["accuracy"]
    assert (found.value, found.n) == (10 / 16, 16)
    apart = [one.summary.found["accuracy"].value or 0.0 for one in (few, many)]
    assert found.value != pytest.approx(fmean(apart)), "no mean of the two cells"
    right = few.measures[0]
    by_case: dict[str, list[float]] = {}
    for played in (few, many):
        values = played.values(right)
        for ordinal, one in played.episodes.items():
            by_case.setdefault(one.cluster, []).append(float(values[ordinal]))  # type: ignore[arg-type]
    assert found == mean_interval(by_case, proportion=True)


def test_the_page_has_means_and_ratings_as_tables_of_their_own() -> None:
    rated = RatedItem(
        "diagnosis", True, {"a/1": {"rater <1>": wilson(2, 8)}, "b/1": {}}, {"a/1": wilson(2, 8)}
    )
    plain = studies.study(studies.TUTORS, studies.SIZES)
    means = {
        "tutor": {"first": {plain.main[0]: wilson(3, 6)}},
        "students": {"1": {plain.main[0]: wilson(3, 6)}},
    }
    page = study_html(plain._replace(means=means, rated=(rated,)))
    assert "Means over the other factors" in page
    assert "rater &lt;1&gt;" in page
    assert "not rated" in page
    assert "Means over the other factors" not in study_html(plain)
