"""Open questions stand in the store while they wait, and nothing of them is left once they are answered."""

from __future__ import annotations

from osler.core.trace import AskedRow
from osler.store.schema import asked
from osler.store.store import Store
from osler.store.writer import Committed
from tests.store import samples

FIRST, SECOND = (
    AskedRow(row.n, row.seat, row.request, row.events, since=1.5) for row in samples.exchanges(0)[:2]
)


def left(store: Store) -> int:
    with store.connected() as connection:
        return len(connection.execute(asked.select()).all())


def test_a_question_stands_in_the_store_until_it_is_answered(store: Store) -> None:
    run = store.begin_run(None, {}, 1)
    writer = store.writer(run.id)
    writer.asked(0, FIRST)
    writer.asked(0, SECOND)
    writer.close()
    assert store.asked(run.id, 0) == [FIRST, SECOND]
    assert store.asked(run.id, 1) == []
    writer.exchange(0, samples.exchanges(0)[1])
    writer.close()
    assert store.asked(run.id, 0) == [FIRST], "seats asked at once are answered in any order"
    writer.exchange(0, samples.exchanges(0)[0])
    writer.close()
    assert left(store) == 0


def test_a_question_that_is_answered_before_the_commit_is_never_written(store: Store) -> None:
    run = store.begin_run(None, {}, 1)
    with store.writer(run.id) as writer:
        writer.asked(0, FIRST)
        writer.exchange(0, samples.exchanges(0)[0])
    assert left(store) == 0


def test_asked_again_after_a_crash_the_newer_question_replaces_the_older(store: Store) -> None:
    run = store.begin_run(None, {}, 1)
    for since in (1.0, 2.0):
        with store.writer(run.id) as writer:
            writer.asked(0, FIRST._replace(since=since))
    assert store.asked(run.id, 0) == [FIRST._replace(since=2.0)]


def test_what_a_dead_process_left_is_not_read_and_goes_with_the_end(store: Store) -> None:
    run = store.begin_run(None, {}, 1)
    with store.writer(run.id) as dead:
        dead.asked(0, FIRST)
    with store.writer(run.id) as another:
        another.exchange(0, samples.exchanges(0)[0])
        another.close()
        assert store.asked(run.id, 0) == []
    samples.play(store, run.id, range(1))
    assert left(store) == 0


def test_forgetting_and_deleting_know_open_questions(store: Store) -> None:
    run = store.begin_run("r", {}, 1)
    with store.writer(run.id) as writer:
        writer.exchange(0, samples.exchanges(0)[0])
        writer.asked(0, SECOND)
    store.forget(run.id, 0, after=2)
    assert store.asked(run.id, 0) == [SECOND]
    store.forget(run.id, 0, after=1)
    assert left(store) == 0
    with store.writer(run.id) as writer:
        writer.asked(0, SECOND)
    store.delete_run("r")
    assert left(store) == 0


def test_listeners_are_told_of_each_commit_after_it_has_happened(store: Store) -> None:
    run = store.begin_run(None, {}, 2)
    heard: list[Committed] = []

    def listen(what: Committed) -> None:
        assert store.asked(run.id, 0) or store.recorded(run.id, 1)
        heard.append(what)

    stop = store.listen(listen)
    with store.writer(run.id) as writer:
        writer.asked(0, FIRST)
    samples.play(store, run.id, range(1, 2))
    stop()
    samples.play(store, run.id, range(1))
    assert heard == [
        Committed(run.id, frozenset({0}), frozenset()),
        Committed(run.id, frozenset({1}), frozenset({1})),
    ]
