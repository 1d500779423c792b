"""Measures over stored runs: the figures of the protocols' own summaries, from one list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from osler.core.config import Config
from osler.core.measure import NOTHING, Measure, Ratio, Value
from osler.core.registry import protocols
from osler.reports.summary import Interval
from osler.store.rows import RunInfo
from osler.store.store import Store, open_store
from osler.studies import runs
from osler.studies.build import RunConfig
from osler.studies.consultations import summarize
from osler.studies.measured import Sums, totals
from osler.studies.round_config import RoundConfig
from osler.studies.rounds import summarize_rounds
from osler.studies.scenario_config import ScenarioConfig
from osler.studies.scenarios import summarize_scenarios

FIGURE = ("value", "low", "high", "n", "unscored")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(str(tmp_path / "runs.db")) as opened:
        yield opened


def played(store: Store, config: Config) -> RunInfo:
    return runs.play(runs.begin(config, store), store).run


def figure(found: object) -> tuple[object, ...]:
    """An estimate of any kind as (value, low, high, n, unscored)."""
    return tuple(getattr(found, name) for name in FIGURE)


def agree(store: Store, run: RunInfo, summary: Mapping[str, object]) -> None:
    """Every figure of a summary is the measure of that name."""
    measures = totals(run, store).measures
    assert {name: figure(measures[name]) for name in summary} == {
        name: figure(found) for name, found in summary.items()
    }


def test_measures_of_consultations_agree_with_their_summary(store: Store) -> None:
    run = played(store, RunConfig(limit=6, repeats=2))
    summary = summarize(run, store, 0.0)
    agree(
        store,
        run,
        {**summary.process, "correct": summary.accuracy, "cost_per_correct": summary.cost_per_correct},
    )
    assert summary.cost_per_correct.low is not None


def test_measures_of_ward_rounds_agree_with_their_summary(store: Store) -> None:
    run = played(store, RoundConfig(limit=4, repeats=2))
    summary = summarize_rounds(run, store, 0.0)
    assert summary.learning_gain.low is not None
    agree(store, run, summary.figures())


def test_measures_of_scenarios_agree_with_their_summary(store: Store) -> None:
    run = played(store, ScenarioConfig(cases="library", limit=4, repeats=2))
    summary = summarize_scenarios(run, store, 0.0)
    assert summary.whole.net.low is not None
    assert any(found.net.without or not found.net.n for found in summary.by_competency.values())
    whole = summary.whole._asdict()
    del whole["items"]
    by_competency = {f"net_{name.lower()}": found.net for name, found in summary.by_competency.items()}
    agree(store, run, {**whole, **by_competency})


def test_what_is_counted_in_traces_is_read_where_it_is_asked_for(store: Store) -> None:
    run = played(store, RunConfig(limit=2))
    asked = totals(run, store, traced=True).measures
    assert set(asked) - set(totals(run, store).measures) == {"consults", "calls", "tokens"}
    assert (asked["calls"].value, asked["tokens"].value, asked["calls"].n) == (0.0, 0.0, 2)


@pytest.mark.parametrize("protocol", protocols(), ids=lambda protocol: protocol.name)
def test_every_measure_has_a_name_of_its_own(protocol: object) -> None:
    measures: tuple[Measure, ...] = protocol.measures  # type: ignore[attr-defined]
    names = [name for measure in measures for name in (measure.name, *measure.aliases)]
    assert len(set(names)) == len(names)


def summed(measure: Measure, *values: Value) -> Interval:
    sums = Sums(measure)
    for place, value in enumerate(values):
        sums.add(f"case {place}", value)
    return Interval(**sums.result()._asdict())


def ratio(**changes: object) -> Measure:
    return Measure("gain", "gain", "gain", "gain", lambda _: None, -1.0, 1.0, **changes)  # type: ignore[arg-type]


def test_nothing_to_score_is_neither_scored_nor_unscored() -> None:
    found = summed(ratio(), Ratio(1.0, 2.0), NOTHING, None)
    assert (found.value, found.n, found.unscored) == (0.5, 1, 1)
    full = summed(ratio(), Ratio(0.0, 0.0))  # nothing left to learn is scored
    assert (full.value, full.n, full.unscored) == (None, 0, 0) or full.n == 1


def test_a_figure_is_cut_to_where_it_can_lie() -> None:
    found = summed(ratio(), Ratio(0.9, 1.0), Ratio(1.0, 1.0), Ratio(0.0, 1.0))
    assert found.high == 1.0
    assert summed(ratio(), Ratio(-9.0, 1.0)).value == -1.0
