"""The system's clock jumps by an hour, either way, while runs are played: nothing is played twice or lost."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from random import Random

import pytest

from osler.errors import InfrastructureFault
from osler.protocols.consultation.config import RunConfig
from osler.runs import run as runs
from osler.store import leases
from osler.store.export import export_lines
from osler.store.store import Store, open_store
from tests.store import samples

HOUR_S = 3600.0


class Clock:
    """The time of day as someone sets it."""

    def __init__(self) -> None:
        self.offset_s = 0.0

    def time(self) -> float:
        return time.time() + self.offset_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(leases, "time", made)
    return made


@pytest.fixture
def store(tmp_path: object) -> Iterator[Store]:
    with open_store(f"{tmp_path}/osler.db") as opened:
        yield opened


@pytest.mark.parametrize("jump_s", [HOUR_S, -HOUR_S])
def test_one_who_is_taken_over_after_a_jump_writes_nothing_more(
    store: Store, clock: Clock, jump_s: float
) -> None:
    run = store.begin_run("r", {}, 4)
    blocks = [(0, 1), (2, 3)]
    with store.claims(run.id) as one:
        first = one.take(blocks)
        assert first
        assert list(first.ordinals) == [0, 1]
        clock.offset_s = jump_s
        with store.claims(run.id) as other:
            second = other.take(blocks)
            assert second
            late = jump_s > 0  # by the new clock the first one's lease has run out
            assert list(second.ordinals) == ([0, 1] if late else [2, 3])
            assert writes(store, run.id, one.token, 0) is not late
            assert writes(store, run.id, other.token, second.ordinals[0])
            other.leave("interrupted")
    with store.claims(run.id) as again:  # whoever comes next gets the rest
        taken = 0
        while claimed := again.take(blocks):
            for ordinal in claimed.ordinals:
                assert writes(store, run.id, again.token, ordinal)
                taken += 1
        again.leave("done")
    assert sorted(store.done(run.id)) == [0, 1, 2, 3]
    assert taken == (3 if late else 2)


def writes(store: Store, run_id: int, token: int, ordinal: int) -> bool:
    """Whether a place may still write an episode."""
    writer = store.writer(run_id, token)
    writer.end(ordinal, samples.key(ordinal), samples.CASE, "c", samples.outcome(), samples.JUDGED)
    try:
        writer.close()
    except InfrastructureFault:
        return False
    return True


def test_a_run_whose_clock_jumps_all_the_time_ends_with_the_same_bytes(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = RunConfig(cases="library", limit=8)
    calm = runs.begin(config, store, name="calm")
    assert runs.play(calm, store).status == "done"
    rng = Random(3)
    monkeypatch.setattr(leases, "LEASE_S", 0.2)  # renewed all the time
    monkeypatch.setattr(clock, "time", lambda: time.time() + rng.choice((0, HOUR_S, -HOUR_S)))
    jumpy = runs.begin(config, store, name="jumpy")
    assert runs.play(jumpy, store).status == "done"
    assert list(export_lines(store, jumpy.id)) == list(export_lines(store, calm.id))
    assert [json.loads(line)["ordinal"] for line in list(export_lines(store, jumpy.id))[1:]] == list(range(8))


def test_waits_and_rates_do_not_follow_the_time_of_day(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A jump back makes no negative duration."""
    seen = []
    real, back = time.time, iter(range(10**9))
    monkeypatch.setattr(time, "time", lambda: real() - 10.0 * next(back))
    run = runs.begin(RunConfig(cases="library", limit=2), store, name="back")
    sitting = runs.play(run, store, on_progress=lambda progress: seen.append(progress.seconds))
    assert sitting.status == "done"
    assert all(seconds >= 0 for seconds in seen)
    assert sitting.seconds >= 0
