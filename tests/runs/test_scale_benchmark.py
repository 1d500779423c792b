"""The rules of benchmarks/scale.py: when it refuses to measure, and how counts and rounds become ratios."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

BENCHMARKS = str(Path(__file__).parents[2] / "benchmarks")
KEYS = {
    "instructions_over_bare",
    "wall_over_bare",
    "cpu_two_over_one",
    "export_over_summary",
    "ten_times",
    "archive_over_live",
}
BUSY, QUIET = 7.5, 0.5


@pytest.fixture(scope="module")
def scale() -> Iterator[ModuleType]:
    """`benchmarks/scale.py`, which imports its neighbours by name."""
    sys.path.insert(0, BENCHMARKS)
    try:
        import scale  # noqa: PLC0415 - it lies outside the packages

        yield scale
    finally:
        sys.path.remove(BENCHMARKS)


@pytest.fixture(scope="module")
def rules(scale: ModuleType) -> ModuleType:
    return sys.modules["scale_rules"]


@pytest.mark.parametrize(("load", "cores", "refused"), [(1.0, 2, False), (1.01, 2, True), (7.9, 16, False)])
def test_a_machine_is_busy_above_half_its_cores(
    rules: ModuleType, load: float, cores: int, refused: bool
) -> None:
    why = rules.busy(load, cores)
    assert bool(why) is refused
    assert not refused or f"{load:.1f}" in why


@given(start=st.integers(0, 10**9), each=st.integers(1, 10**6), small=st.integers(1, 500))
def test_a_slope_does_not_see_what_starting_costs(
    rules: ModuleType, start: int, each: int, small: int
) -> None:
    counts = [rules.Count(calls, start + each * calls) for calls in (small, 3 * small)]
    assert rules.slope(*counts) == each


def test_two_sizes_alike_have_no_slope(rules: ModuleType) -> None:
    with pytest.raises(ValueError, match="not more than"):
        rules.slope(rules.Count(5, 1), rules.Count(5, 2))


def test_one_slow_round_does_not_move_a_ratio(rules: ModuleType) -> None:
    assert rules.ratio([2.2, 2.0, 9.0], [2.0, 1.0, 2.0]) == 1.1


def taken(scale: ModuleType, monkeypatch: pytest.MonkeyPatch, load: float, **more: bool) -> dict[str, Any]:
    """What it prints where every part gives a figure of 1 and the load is this."""
    made = {part: (lambda names=names: dict.fromkeys(names, 1)) for part, names in scale.FIGURES.items()}
    monkeypatch.setattr(scale, "parts", lambda episodes: made)
    monkeypatch.setattr(scale, "load_now", lambda: load)
    monkeypatch.setattr(scale.os, "cpu_count", lambda: 2)
    found: dict[str, Any] = scale.measure(list(scale.FIGURES), 20, **more)
    return found


def test_a_busy_machine_refuses_wall_times_alone(scale: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    found = taken(scale, monkeypatch, BUSY)
    assert found["wall_over_bare"] is None
    assert "load average is 7.5" in found["notes"]["wall"]
    assert {name for name in KEYS if found[name] is None} == {"wall_over_bare"}
    assert taken(scale, monkeypatch, BUSY, force=True)["wall_over_bare"] == 1
    assert taken(scale, monkeypatch, QUIET)["wall_over_bare"] == 1


def test_every_figure_is_there_with_the_load_before_it(
    scale: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = taken(scale, monkeypatch, QUIET)
    assert found.keys() - KEYS == {"load", "sizes", "notes", "details", "limits"}
    assert found["load"] == dict.fromkeys(scale.FIGURES, QUIET)


def test_a_part_that_is_not_there_is_said_in_words(scale: ModuleType) -> None:
    assert "scale_nowhere.py is not there" in scale.of_module("scale_nowhere", 1)
