"""Measures over stored runs: which episodes they read, and what they leave out."""

from __future__ import annotations

from pathlib import Path

import pytest

from osler.core.config import Config
from osler.core.measure import NOTHING, Measure, Ratio, Value
from osler.core.registry import protocols
from osler.protocols.consultation.config import RunConfig
from osler.protocols.scenario.config import ScenarioConfig
from osler.runs import run as runs
from osler.runs.measure_sums import MeasureSums
from osler.runs.measured import measured
from osler.runs.totals import totals
from osler.stats.intervals import Estimate
from osler.store.records import RunInfo
from osler.store.store import Store
from tests.protocols.scenario.playing import small


def played(store: Store, config: Config) -> RunInfo:
    return runs.play(runs.begin(config, store), store).run


def test_near_duplicates_are_one_cluster_and_what_a_rubric_lacks_is_left_out(
    store: Store, tmp_path: Path
) -> None:
    folder = tmp_path / "scenarios"
    folder.mkdir()
    few = tuple(line for line in small().rubric if not line.traits.critical)
    for name, rubric in {"one": small().rubric, "two": small().rubric, "few": few}.items():
        scenario = small().model_copy(update={"case_id": name, "rubric": rubric})
        (folder / f"{name}.json").write_text(scenario.model_dump_json(exclude_defaults=True))
    run = played(store, ScenarioConfig(cases=str(folder), repeats=2))
    whole = totals(run, store)
    found = whole.measures
    assert whole.clusters == 1
    assert (found["net"].n, found["critical"].n, found["critical"].unscored) == (6, 4, 0)
    assert len({one.cluster for one in measured(run, store, ())}) == 1


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


def summed(measure: Measure, *values: Value) -> Estimate:
    sums = MeasureSums([measure])
    for place, value in enumerate(values):
        sums.add(f"case {place}", [value])
    return sums.results()[measure.name]


def ratio(**changes: object) -> Measure:
    return Measure("gain", "gain", "gain", "gain", lambda _: None, -1.0, 1.0, **changes)  # type: ignore[arg-type]


def test_nothing_to_score_is_neither_scored_nor_unscored() -> None:
    found = summed(ratio(), Ratio(1.0, 2.0), NOTHING, None)
    assert (found.value, found.n, found.unscored) == (0.5, 1, 1)
    full = summed(ratio(), Ratio(0.0, 0.0))  # nothing was left to learn
    assert (full.value, full.n, full.unscored) == (None, 1, 0)


def test_a_figure_is_cut_to_where_it_can_lie() -> None:
    found = summed(ratio(), Ratio(0.9, 1.0), *[Ratio(1.0, 1.0)] * 3, Ratio(0.0, 1.0))
    assert found.high == 1.0
    assert summed(ratio(), Ratio(-9.0, 1.0)).value == -1.0
