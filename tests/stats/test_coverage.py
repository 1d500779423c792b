"""95 % intervals hold the truth in about 95 % of simulated studies (benchmarks/coverage.py, shortened)."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).parents[2] / "benchmarks" / "coverage.py"


def _benchmark() -> Any:  # a script, not a package
    spec = importlib.util.spec_from_file_location("benchmarks_coverage", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


BENCHMARK = _benchmark()
QUICK = [name for name, kind in BENCHMARK.KINDS.items() if kind.most > 1000]


@pytest.mark.parametrize("kind", QUICK)
def test_the_truth_is_held_about_as_often_as_promised(kind: str) -> None:
    share, studies = BENCHMARK.covered(BENCHMARK.KINDS[kind], 107, 0.5, 400)
    assert studies == 400
    assert 0.91 <= share <= 0.985


@pytest.mark.parametrize("kind", QUICK)
def test_rare_events_in_few_cases_are_not_held_for_certain(kind: str) -> None:
    share, studies = BENCHMARK.covered(BENCHMARK.KINDS[kind], 30, 0.05, 150)
    assert studies > 100
    assert share >= 0.9


def test_a_resampled_ratio_of_pairs_holds_the_truth() -> None:
    share, _ = BENCHMARK.covered(BENCHMARK.KINDS["paired cost per success"], 40, 0.95, 40)
    assert share >= 0.85


@pytest.mark.parametrize(
    ("kind", "share"), [("paired cost per success", 0.01), ("paired skewed cost per success", 0.5)]
)
def test_an_interval_of_many_cases_holds_the_truth_without_resampling(kind: str, share: float) -> None:
    held, studies = BENCHMARK.covered(BENCHMARK.KINDS[kind], 2_001, share, 100)
    assert studies == 100
    assert held >= 0.9
