"""The plan of a trial: what fits is a beginning of everything, each thing once before anything at length."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from osler.runs.trial_plan import LEAST, MOST, TYPICAL, Load, Speed, Step, longest, paced, planned, share

LOADS = st.builds(
    lambda calls, prompt, kept: Load(calls, prompt, prompt // kept),
    st.integers(1, 30),
    st.integers(1, 40_000),
    st.integers(1, 5),
)
STEPS = st.lists(st.lists(LOADS, min_size=1, max_size=3), min_size=1, max_size=8).map(
    lambda sizes: [Step(f"s{at}", tuple(one)) for at, one in enumerate(sizes)]
)
SPEEDS = st.builds(Speed, st.floats(1, 1e5), st.floats(0.5, 1e4), st.booleans())
SECONDS = st.floats(0, 5000)


@given(STEPS, SPEEDS, SECONDS)
def test_what_is_planned_fits_the_time(steps: list[Step], speed: Speed, seconds: float) -> None:
    plan = planned(steps, speed, seconds)
    needs = sum(step.sizes[plan[step.name]].seconds(speed) for step in steps if step.name in plan)
    assert needs <= seconds


@given(STEPS, SPEEDS, SECONDS)
def test_everything_is_tried_once_before_anything_is_tried_at_length(
    steps: list[Step], speed: Speed, seconds: float
) -> None:
    plan = planned(steps, speed, seconds)
    if any(plan.values()):
        assert len(plan) == len(steps)
    else:
        assert [*plan] == [step.name for step in steps[: len(plan)]], "in their order"


@given(STEPS, SPEEDS, SECONDS, st.floats(1, 10))
def test_more_time_takes_nothing_away(steps: list[Step], speed: Speed, seconds: float, times: float) -> None:
    plan, longer = planned(steps, speed, seconds), planned(steps, speed, seconds * times)
    assert all(longer.get(name, -1) >= size for name, size in plan.items())


@given(STEPS)
def test_an_unknown_speed_leaves_nothing_out(steps: list[Step]) -> None:
    assert planned(steps, None, 0) == {step.name: len(step.sizes) - 1 for step in steps}


@given(LOADS, SPEEDS, SECONDS)
def test_answers_are_limited_so_that_they_end_in_time(load: Load, speed: Speed, seconds: float) -> None:
    most = load.most_tokens(speed, seconds)
    if most is None:
        assert load.reading_s(speed) + load.calls * MOST / speed.writes <= seconds
    elif most > LEAST:
        assert load.reading_s(speed) + load.calls * most / speed.writes <= seconds


@given(st.lists(LOADS, min_size=1, max_size=8), SPEEDS, SECONDS)
def test_the_shares_of_the_time_add_up_to_it(loads: list[Load], speed: Speed, seconds: float) -> None:
    left_s = seconds
    for at in range(len(loads)):
        left_s -= share(loads[at:], speed, left_s)
    assert abs(left_s) < 1e-6 * max(1.0, seconds)


@given(st.lists(LOADS, min_size=1, max_size=8), SPEEDS, SECONDS)
def test_whoever_is_waited_for_leaves_the_others_what_they_need_if_there_is_enough(
    loads: list[Load], speed: Speed, seconds: float
) -> None:
    most_s = longest(loads, speed, seconds)
    others_s = sum(one.least_s(speed) for one in loads[1:])
    assert most_s <= seconds
    assert most_s <= max(seconds - others_s, 2 * loads[0].seconds(speed))
    assert most_s >= min(seconds, 2 * loads[0].seconds(speed)), "and is not cut too early"


def test_a_slow_endpoint_gets_the_smallest_of_what_fits() -> None:
    steps = [Step("a", (Load(1, 1000, 1000), Load(4, 8000, 2000))), Step("b", (Load(1, 1000, 1000),))]
    one = 1000 / 25 + TYPICAL / 10
    assert planned(steps, Speed(25, 10), 1.2 * one) == {"a": 0}
    assert planned(steps, Speed(25, 10), 2.4 * one) == {"a": 0, "b": 0}
    assert planned(steps, Speed(25, 10, keeps=True), 2.4 * one + 100) == {"a": 1, "b": 0}
    assert planned(steps, Speed(25, 10), 2.4 * one + 100) == {"a": 0, "b": 0}, "all is read again"


@given(st.lists(st.floats(0.1, 100), min_size=1, max_size=12))
def test_a_slow_answer_is_made_good_by_quick_ones_and_never_by_more_than_was_measured(
    took: list[float],
) -> None:
    fastest = speed = Speed(40.0, 10.0)
    for seconds in took:
        speed = paced(speed, fastest, 5.0, seconds)
        assert 0 < speed.reads <= fastest.reads
        assert 0 < speed.writes <= fastest.writes
    for _ in range(60):
        speed = paced(speed, fastest, 5.0, 1.0)
    assert speed == fastest
