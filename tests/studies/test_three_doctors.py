"""The chain with three doctors of known ability: played, compared, reported; checked with statsmodels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy import stats

import osler
from osler.core.contract import Request
from osler.protocols.consultation.protocol import PROTOCOL
from osler.protocols.shared.patient import PatientReply, PatientView
from osler.reports.html import report_html
from osler.runs.measured import measured
from osler.stats.cluster_t import mean_pivot
from osler.stats.paired import paired
from osler.stats.power import Design, greatest_correlation, power
from osler.stats.ranks import told_apart
from osler.store.store import Store, open_store
from osler.studies.compare import compare_all
from osler.studies.reporting import report_runs
from osler.testing.cases import small_case
from tests.cli.test_study_main import holm
from tests.testing.doctors import FakeDoctor

CASES = "generated:120:3"
ABLE = ("right_35", "right_85", "right_60")


class Taciturn:
    """A patient who knows nothing: whether a doctor of known ability is right is drawn, whatever it hears."""

    name, durable = "taciturn", False

    async def reply(self, request: Request[PatientView]) -> PatientReply:
        return PatientReply(answer="I could not say.")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, list[str]]]:
    """Three runs of 120 cases, in a store."""
    path = tmp_path_factory.mktemp("doctors") / "osler.db"
    names = []
    for doctor in ABLE:
        seats: dict[str, Any] = {"doctor": f"python:tests.testing.doctors:{doctor}", "patient": Taciturn()}
        names.append(osler.run("consultation", CASES, seats=seats, seed=5, store=str(path)).name)
    with open_store(path, create=False) as store:
        yield store, names


def test_three_doctors_come_out_in_order(played: tuple[Store, list[str]]) -> None:
    store, names = played
    found = compare_all([store.run(name) for name in names], store)
    assert [one.rank for one in found.ranks] == [3, 1, 2]
    assert [(one.low, one.high) for one in found.ranks] == [(3, 3), (1, 1), (2, 2)]


def test_the_figures_are_those_of_other_libraries(played: tuple[Store, list[str]]) -> None:
    store, names = played
    runs = [store.run(name) for name in names]
    right = []
    for run in runs:
        rows = {one.row.case_hash: one.values[0] for one in measured(run, store, PROTOCOL.measures[:1])}
        right.append(np.array([float(rows[key] or 0) for key in sorted(rows)]))  # type: ignore[arg-type]
    pairs = compare_all(runs, store).pairs
    gaps = [pair.scores[0].difference for pair in pairs]
    raw = [gap.p for gap in gaps if gap.p is not None]
    assert [gap.p_holm for gap in gaps] == pytest.approx(holm(raw))
    for gap, (i, j) in zip(gaps, ((0, 1), (0, 2), (1, 2)), strict=True):
        gained, lost = int((right[j] > right[i]).sum()), int((right[j] < right[i]).sum())
        assert gap.p == pytest.approx(bonett_price(gained, lost, len(right[0])), rel=1e-9)
        exact = stats.binomtest(gained, gained + lost, 0.5).pvalue
        assert (gap.p is not None and gap.p < 0.05) == (exact < 0.05)


def bonett_price(gained: int, lost: int, n: int) -> float:
    """The p value of Bonett and Price's adjusted difference, with Student's t."""
    a, b = (gained + 1) / (n + 2), (lost + 1) / (n + 2)
    z = (a - b) / ((a + b - (a - b) ** 2) / (n + 2)) ** 0.5
    return float(2 * stats.t.sf(abs(z), n - 1))


def test_a_clustered_mean_is_that_of_least_squares() -> None:
    from statsmodels.api import OLS  # noqa: PLC0415 - it takes 100 MB, and only here

    random = np.random.default_rng(3)
    where = np.repeat(np.arange(25), random.integers(1, 5, 25))
    first, second = random.normal(size=(2, len(where))) + random.normal(size=25)[where]
    found = paired([str(n) for n in where], first, second + 0.3, marks=True)
    fitted = OLS(second + 0.3 - first, np.ones(len(where))).fit(
        cov_type="cluster", cov_kwds={"groups": where, "df_correction": True}, use_t=True
    )
    assert found.p == pytest.approx(float(fitted.pvalues[0]), rel=1e-6)
    assert (found.low, found.high) == pytest.approx(tuple(fitted.conf_int()[0]), abs=2e-6)
    plain = paired([str(n) for n in range(len(where))], first, second, marks=True)
    assert plain.p == pytest.approx(stats.ttest_rel(second, first).pvalue, rel=1e-6)
    pivot = mean_pivot(first, np.ones(len(first)))
    assert pivot is not None
    assert pivot.interval() == pytest.approx(
        stats.t.interval(0.95, len(first) - 1, first.mean(), stats.sem(first))
    )


def test_the_report_says_who_is_better(played: tuple[Store, list[str]]) -> None:
    store, names = played
    labels = dict(zip(names, ("Weak", "Strong", "<Middling>"), strict=True))
    runs = [store.run(name) for name in names]
    read = report_runs(runs, store, controls=False, labels=labels, title="Three <doctors>")
    page = report_html(read)
    assert "<h1>Three &lt;doctors&gt;</h1>" in page
    assert "B (Strong) is better than A (Weak) by" in page
    assert "B (Strong) is better than C (&lt;Middling&gt;) by" in page
    assert page.index("is better than") < page.index("What was run</h2>")
    board = page[page.index("The order of the runs") :]
    assert board.index("Strong") < board.index("Middling") < board.index("Weak")


@pytest.mark.slow
def test_a_small_difference_is_told_apart_as_often_as_power_says() -> None:
    """0.70 against 0.65 in 500 cases that share half of their luck: power says about 0.6."""
    cases = [small_case(id=f"case-{n}") for n in range(500)]
    correlation = 0.5 * greatest_correlation(0.7, -0.05)
    stated = power(Design(0.7, correlation), -0.05, len(cases))
    assert 0.5 < stated < 0.75
    names, found = [case.id for case in cases], 0
    pairs = [(FakeDoctor(case, 0.70), FakeDoctor(case, 0.65)) for case in cases]
    studies = 150
    for study in range(studies):
        right = np.array(
            [[one.right(f"{study}/{one.case.id}") for one in pair] for pair in pairs], np.float64
        )
        gap = paired(names, right[:, 0], right[:, 1], share=True)
        found += told_apart(gap) and (gap.value or 0) < 0
    assert found / studies == pytest.approx(stated, abs=0.12)
