"""The clock of a sitting: it stands still while the sitting is stopped."""

from __future__ import annotations

from osler.web.practise.clocks import CLOCK, HELD_S, HELD_SINCE, gone_on, is_over, is_reading, standing_at

TIMES = {"reading_ends": 60.0, "bell": 420.0, "ends": 540.0}


def test_without_a_clock_nothing_runs_out() -> None:
    assert standing_at({}, 1e9) is None
    assert not is_over({}, 1e9)
    assert not is_reading({}, 0.0)
    assert gone_on({}, 5.0) == {HELD_SINCE: None, HELD_S: 0.0}


def test_reading_time_then_minutes_then_the_end() -> None:
    more = {CLOCK: TIMES}
    assert [is_reading(more, at) for at in (0, 59.9, 60)] == [True, True, False]
    assert [is_over(more, at) for at in (60, 539.9, 540)] == [False, False, True]


def test_a_stopped_sitting_loses_no_time() -> None:
    stopped = {CLOCK: TIMES, HELD_SINCE: 100.0}
    shown = [standing_at(stopped, now) for now in (100.0, 250.0, 900.0)]
    left = [clock["ends"] - now for clock, now in zip(shown, (100.0, 250.0, 900.0), strict=True) if clock]
    assert left == [440.0, 440.0, 440.0]
    assert not is_over(stopped, 10_000.0)

    on = {**stopped, **gone_on(stopped, 250.0)}
    assert on[CLOCK]["ends"] == 690.0
    again = {**on, HELD_SINCE: 300.0}
    assert gone_on(again, 310.0)[HELD_S] == 160.0
