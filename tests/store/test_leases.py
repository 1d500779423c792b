"""Leases: nobody plays what another plays, the dead are followed at once, and who lost a place is silent."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from osler.errors import BadInput, InfrastructureFault
from osler.store import leases as leasing
from osler.store.leases import Leases
from osler.store.records import RunStatus
from osler.store.schema import leases, workers
from osler.store.store import Store, open_store
from tests.store import samples

ROOT = Path(__file__).parents[2]
BLOCKS = ((0, 4), (5, 9), (10, 14))
HOLD = """
import sys, time
from osler.store.store import open_store
with open_store(sys.argv[1]) as store, store.claims(int(sys.argv[2])) as claims:
    print(list(claims.take([(0, 4)]).ordinals), flush=True)
    time.sleep(600)
"""


@contextmanager
def another_process(url: str, run_id: int) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the first block and does nothing. It is reaped only at the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, url, str(run_id)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "[0, 1, 2, 3, 4]\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def change(store: Store, token: int, **values: object) -> None:
    """Change what is written down about a place."""
    with store._writing() as connection:
        connection.execute(sa.update(workers).where(workers.c.id == token).values(**values))


def run_out(store: Store, token: int) -> None:
    """The place has not been renewed for more than its time."""
    with store._writing() as connection:
        late = sa.update(workers).where(workers.c.id == token)
        connection.execute(late.values(expires=workers.c.expires - 2 * leasing.LEASE_S))


def taken(claims: Leases, *blocks: tuple[int, int], most: int | None = None) -> list[int]:
    """The ordinals of the first free block of these, or of all; at most so many."""
    found = claims.take(blocks or BLOCKS, most)
    return list(found.ordinals) if found else []


def test_a_block_is_given_once(store: Store) -> None:
    run = store.begin_run(None, {}, 15)
    with store.claims(run.id) as one, store.claims(run.id) as two:
        assert [taken(one), taken(two), taken(one)] == [
            list(range(5)),
            list(range(5, 10)),
            list(range(10, 15)),
        ]
        assert two.take(BLOCKS) is None
        assert [holder.token for holder in two.others] == [one.token]


def test_blocks_cut_otherwise_do_not_overlap_what_is_held(store: Store) -> None:
    run = store.begin_run(None, {}, 15)
    with store.claims(run.id) as one, store.claims(run.id) as two:
        assert one.take([(4, 6)])
        assert two.take([(4, 4), (5, 5), (5, 6)]) is None
        assert taken(two, (0, 4)) == [0, 1, 2, 3]
        assert taken(two, (0, 20)) == list(range(7, 21))


def test_part_of_a_block_leaves_the_rest_of_it_free(store: Store) -> None:
    run = store.begin_run(None, {}, 15)
    with store.claims(run.id) as one, store.claims(run.id) as two:
        assert taken(one, (0, 9), most=3) == [0, 1, 2]
        assert taken(two, (0, 9), most=4) == [3, 4, 5, 6]
        assert taken(one, (0, 9)) == [7, 8, 9]
        assert one.take([(0, 9)]) is None


def test_what_is_done_is_not_given_and_what_has_begun_is_said(store: Store) -> None:
    run = store.begin_run(None, {}, 15)
    samples.play(store, run.id, range(7))
    with store.writer(run.id) as writer:
        writer.exchange(8, samples.exchange(1))
    with store.claims(run.id) as claims:
        found = claims.take(BLOCKS)
        assert found is not None
        assert list(found.ordinals) == [7, 8, 9]
        assert found.begun == {8}


def test_runs_do_not_hinder_each_other(store: Store) -> None:
    runs = [store.begin_run(None, {}, 15) for _ in range(2)]
    with store.claims(runs[0].id) as one, store.claims(runs[1].id) as two:
        assert taken(one) == taken(two) == list(range(5))
        assert not two.others


def test_a_place_that_ran_out_is_taken_over_at_once_and_its_writer_writes_no_more(store: Store) -> None:
    run = store.begin_run(None, {}, 15)
    with store.claims(run.id) as slow, store.claims(run.id) as quick:
        late = store.writer(run.id, slow.token)
        assert taken(slow) == list(range(5))
        late.exchange(0, samples.exchange(1))
        late.close()
        run_out(store, slow.token)
        found = quick.take(BLOCKS)
        assert found is not None
        assert list(found.ordinals) == list(range(5))
        assert found.begun == {0}, "what was committed in time stays"

        late.exchange(0, samples.exchange(2))
        late.case("late", samples.BODY)
        with pytest.raises(InfrastructureFault, match="another process has taken over"):
            late.close()
        with pytest.raises(InfrastructureFault, match="another process has taken over"):
            slow.take(BLOCKS)
        assert store.recorded(run.id, 0) == [samples.exchange(1)]
        assert store.case("late") is None
        samples.play(store, run.id, range(5))


def test_a_place_that_ran_out_still_counts_as_long_as_nobody_wants_it(store: Store) -> None:
    run = store.begin_run(None, {}, 15)
    with store.claims(run.id) as claims, store.writer(run.id, claims.token) as writer:
        run_out(store, claims.token)
        assert taken(claims) == list(range(5))
        writer.exchange(0, samples.exchange(1))
    assert store.partial(run.id) == {0}


def test_a_dead_process_is_followed_at_once_reaped_or_not(url: str) -> None:
    with open_store(url) as store:
        run = store.begin_run(None, {}, 5)
        with another_process(url, run.id) as other, store.claims(run.id) as claims:
            assert taken(claims, BLOCKS[0]) == []
            assert [holder.process.pid for holder in claims.others] == [other.pid]
            other.send_signal(signal.SIGKILL)
            until(lambda: not claims.holding_others())
            assert taken(claims, BLOCKS[0]) == list(range(5))


@pytest.mark.parametrize(
    ("known", "gone"),
    [
        ({"started": "1"}, True),
        ({"pid": 2**22 + 1}, True),
        ({"pid": 2**22 + 1, "machine": "elsewhere"}, False),
        ({"started": "1", "machine": ""}, False),
    ],
    ids=["its number was given again", "no such process", "on another machine", "machine unknown"],
)
def test_who_is_known_to_be_dead(store: Store, known: dict[str, object], gone: bool) -> None:
    run = store.begin_run(None, {}, 5)
    with store.claims(run.id) as one, store.claims(run.id) as two:
        assert taken(one, BLOCKS[0]) == list(range(5))
        change(store, one.token, **known)
        assert taken(two, BLOCKS[0]) == (list(range(5)) if gone else [])


def test_a_place_is_renewed_while_it_is_held(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leasing, "LEASE_S", 0.4)
    run = store.begin_run(None, {}, 5)

    def expires() -> float:
        with store._reading() as connection:
            return float(connection.scalar(sa.select(workers.c.expires)) or 0)

    with store.claims(run.id):
        first = expires()
        until(lambda: expires() > first)


STATUSES: tuple[RunStatus, ...] = ("done", "paused", "interrupted")


@pytest.mark.parametrize("status", STATUSES)
def test_whoever_leaves_last_says_how_the_run_stands(store: Store, status: RunStatus) -> None:
    run = store.begin_run(None, {}, 5)
    with store.claims(run.id) as one, store.claims(run.id) as two:
        assert [holder.token for holder in one.leave("interrupted")] == [two.token]
        assert store.info(run.id).status == "running"
        assert two.leave(status) == ()
        assert store.info(run.id).status == status


def test_a_run_of_which_all_is_done_is_done_whoever_leaves_it_and_why(store: Store) -> None:
    run = store.begin_run(None, {}, 5)
    with store.claims(run.id) as claims:
        samples.play(store, run.id, range(5))
        claims.leave("interrupted")
    assert store.info(run.id).status == "done"


def test_who_was_taken_over_does_not_speak_for_those_who_ended_the_run(store: Store) -> None:
    run = store.begin_run(None, {}, 15)
    with store.claims(run.id) as slow:
        with store.claims(run.id) as quick:
            run_out(store, slow.token)
            assert quick.take(BLOCKS)
            quick.leave("done")
        slow.leave("paused")
    assert store.info(run.id).status == "done"


def test_a_run_whose_only_player_died_is_not_said_to_be_running(url: str) -> None:
    with open_store(url) as store:
        run = store.begin_run(None, {}, 5)
        with another_process(url, run.id) as other:
            assert store.info(run.id).status == "running"
            other.kill()
            until(lambda: store.runs()[0].status == "interrupted")


def test_nothing_is_taken_from_under_those_who_play(store: Store) -> None:
    run, other = store.begin_run("shared", {}, 5), store.begin_run("other", {}, 5)
    samples.play(store, run.id, range(5))
    forbidden: tuple[Callable[[], None], ...] = (
        lambda: store.delete_run("shared"),
        lambda: store.forget(run.id, 1),
        lambda: store.check_unplayed(run.id),
    )
    with store.claims(run.id):
        for act in forbidden:
            with pytest.raises(BadInput, match=r"shared: the run is being played by .+:\d+ \(wait"):
                act()
        store.delete_run("other")
    assert store.info(run.id).done == 5
    assert other.name not in [one.name for one in store.runs()]
    for act in reversed(forbidden):
        act()
    assert store.runs() == []


def test_a_run_that_is_gone_cannot_be_joined(store: Store) -> None:
    with pytest.raises(BadInput, match="no longer exists"), store.claims(77):
        pass


def test_nothing_is_left_behind_even_after_a_crash(store: Store) -> None:
    run = store.begin_run(None, {}, 15)
    with store.claims(run.id) as claims:
        claims.take(BLOCKS)
        claims.leave("paused")
    with suppress(KeyError), store.claims(run.id) as claims:
        claims.take(BLOCKS)
        raise KeyError
    with store._reading() as connection:
        for table in (workers, leases):
            assert connection.scalar(sa.select(sa.func.count()).select_from(table)) == 0


ACTIONS = st.tuples(st.sampled_from(["join", "take", "write", "run out", "rest", "leave"]), st.integers(0, 3))


@settings(max_examples=15)  # each opens a store and several places at it
@given(actions=st.lists(ACTIONS, max_size=20))
def test_in_any_order_of_events_an_episode_has_one_player(
    actions: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("any") / "osler.db"
    with open_store(path) as store, ExitStack() as stack:
        run = store.begin_run(None, {}, 15)
        places: list[Leases] = []
        owner: dict[int, Leases] = {}  # the last one to be given each ordinal

        def give(claims: Leases) -> None:
            found = claims.take(BLOCKS)
            for ordinal in found.ordinals if found else ():
                before = owner.get(ordinal)
                assert before is None or not held(store, before), "given to two at once"
                owner[ordinal] = claims

        for what, who in actions:
            if what == "join" or not places:
                places.append(stack.enter_context(store.claims(run.id)))
                continue
            claims = places[who % len(places)]
            mine = [ordinal for ordinal, holder in owner.items() if holder is claims]
            if what == "take" and held(store, claims):
                give(claims)
            elif what == "write" and mine:
                writer = store.writer(run.id, claims.token)
                row = samples.exchange(1, f"said by {claims.token}")
                writer.exchange(mine[0], row)
                writes_or_is_refused(writer.close, held(store, claims))
                if held(store, claims):
                    assert store.recorded(run.id, mine[0])
            elif what == "run out":
                run_out(store, claims.token)
            elif what == "rest":
                claims.rest()
                owner = {ordinal: holder for ordinal, holder in owner.items() if holder is not claims}
            elif what == "leave":
                claims.leave("paused")
                owner = {ordinal: holder for ordinal, holder in owner.items() if holder is not claims}
                places.remove(claims)


def held(store: Store, claims: Leases) -> bool:
    """Whether the place has not been taken away."""
    with store._reading() as connection:
        return leasing.still_ours(connection, claims.token)


def writes_or_is_refused(write: Callable[[], None], allowed: bool) -> None:
    if allowed:
        write()
        return
    with pytest.raises(InfrastructureFault, match="taken over"):
        write()


def until(holds: Callable[[], bool]) -> None:
    """Wait for what must come to hold."""
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline, "it never came to hold"
        time.sleep(0.01)
