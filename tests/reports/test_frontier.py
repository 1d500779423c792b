"""The frontier: nobody on it is beaten, everybody off it is, and few cases decide nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from osler.protocols.consultation.frontier import frontier

Run = dict[str, tuple[float, float]]


def run(cost: float, right: float, cases: int = 40) -> Run:
    """A run that costs the same on every case and is right on the first cases."""
    return {f"case {n:03}": (cost + n % 3, float(n < right * cases)) for n in range(cases)}


def test_the_dearer_and_worse_run_is_beaten_and_says_by_whom() -> None:
    places, cases = frontier([run(10, 0.5), run(100, 0.9), run(200, 0.6)])
    assert cases == 40
    assert [place.on for place in places] == [True, True, False]
    assert places[2].beaten_by == (1,)
    assert places[1].more is not None
    assert places[1].more.value == 225, "90 points more for 0.4 right answers more"
    assert places[0].more is places[2].more is None
    assert [place.stays for place in places] == [1.0, 1.0, 0.0]
    assert places[1].right.value == 0.9
    assert places[1].cost.value is not None
    assert places[1].per_correct.value is not None


def test_runs_are_compared_on_the_cases_that_all_played() -> None:
    easy = {name: value for name, value in run(10, 1.0).items() if name < "case 010"}
    places, cases = frontier([easy, run(20, 0.1)])
    assert cases == 10
    assert places[0].right.value == 1.0
    assert places[1].right.value == 0.4
    assert frontier([{"a": (1.0, 1.0)}, {"b": (1.0, 1.0)}]) == ([], 0)
    assert frontier([]) == ([], 0)


def test_a_small_difference_is_not_sure_of_its_place() -> None:
    some = {f"case {n}": (10.0, float(n % 2)) for n in range(20)}
    other = {f"case {n}": (11.0, float(n % 2 or n == 0)) for n in range(20)}
    places, _ = frontier([some, other])
    assert places[1].on
    assert places[1].stays is not None
    assert 0.5 < places[1].stays < 0.8, "one case in twenty makes the difference"
    assert places[1].more is None, "too few resamples agree that it is right more often"


def test_two_cases_are_too_few_to_resample() -> None:
    places, _ = frontier([run(1, 0.5, 2), run(2, 1.0, 2)])
    assert [place.stays for place in places] == [None, None]
    assert places[1].more is None


def test_equal_runs_do_not_beat_each_other() -> None:
    places, _ = frontier([run(5, 0.5), run(5, 0.5)])
    assert [place.on for place in places] == [True, True]
    assert [place.stays for place in places] == [1.0, 1.0]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 4)), min_size=1, max_size=6))
def test_off_the_frontier_is_who_is_beaten_by_someone_on_it(figures: list[tuple[int, int]]) -> None:
    places, _ = frontier([{f"{n}": (float(c), float(n < r)) for n in range(4)} for c, r in figures])
    assert any(place.on for place in places)
    for place in places:
        assert place.on or any(places[other].on for other in place.beaten_by)
