"""What is written is what is read, on both databases."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from osler.core.trace import Trace
from osler.errors import BadInput, Status
from osler.store.records import Judgement, Ordinals
from osler.store.schema import cases, episodes, metadata
from osler.store.store import Store, open_store
from tests.store import samples


def test_an_episode_comes_back_as_it_was_written(store: Store) -> None:
    run = store.begin_run("first", {"configuration": {"seed": 1}}, 2)
    samples.play(store, run.id, range(2))

    assert store.recorded(run.id, 1) == samples.exchanges(1)
    assert store.trace(run.id, 1) == Trace(tuple(samples.exchanges(1)), samples.outcome())
    assert store.case(samples.CASE) == samples.BODY
    assert store.case("unknown") is None
    row = list(store.episodes(run.id))[1]
    assert (row.ordinal, row.key, row.case_hash, row.case_id) == (1, samples.key(1), samples.CASE, "case-1")
    assert row.status is Status.COMPLETED
    assert row.outcome == samples.outcome()
    assert [(j.grader, j.version, j.body) for j in store.judgements(run.id)] == 2 * samples.JUDGED


def test_streams_are_in_order_whatever_the_order_of_writing_and_the_length_of_a_page(store: Store) -> None:
    run = store.begin_run(None, {}, 700)
    samples.play(store, run.id, range(650, 700))
    samples.play(store, run.id, range(0, 650, 2))
    expected = [*range(0, 650, 2), *range(650, 700)]

    assert [row.ordinal for row in store.episodes(run.id)] == expected
    assert [row.ordinal for row, _ in store.traces(run.id)] == expected
    assert all(trace.rows == tuple(samples.exchanges(row.ordinal)) for row, trace in store.traces(run.id))
    graders = sorted(grader for grader, _, _ in samples.JUDGED)
    assert [(j.ordinal, j.grader) for j in store.judgements(run.id)] == [
        (ordinal, grader) for ordinal in expected for grader in graders
    ]
    done = store.done(run.id)
    assert list(done) == expected
    assert len(done) == len(expected)


def test_what_has_begun_and_not_ended_is_partial(store: Store) -> None:
    run = store.begin_run(None, {}, 100)
    samples.play(store, run.id, range(10, 20))
    with store.writer(run.id) as writer:
        for ordinal in (3, 9, 20, 55):
            writer.exchange(ordinal, samples.exchange(1))

    assert store.partial(run.id) == {3, 9, 20, 55}
    assert 3 not in store.done(run.id)
    pending = store.trace(run.id, 3)
    assert pending.outcome.status is Status.PENDING
    assert pending.rows == (samples.exchange(1),)
    assert [row.ordinal for row in store.episodes(run.id)] == list(range(10, 20))


def test_runs_are_listed_newest_first_with_their_progress(store: Store) -> None:
    before = datetime.now(UTC)
    first = store.begin_run("first", {"configuration": {"a": 1}}, 4)
    second = store.begin_run(None, {}, 5)
    samples.play(store, first.id, range(2))
    with store.claims(first.id) as claims:
        claims.leave("paused")

    listed = store.runs()
    assert [run.name for run in listed] == [second.name, "first"]
    assert listed[1]._replace(created_at=before) == (
        ("first", first.id, "paused", 4, 2, {"configuration": {"a": 1}}, before)
    )
    assert before <= listed[1].created_at + timedelta(milliseconds=1)
    assert listed[1].created_at.utcoffset() == timedelta(0)
    assert second.name.startswith("r-20")
    assert store.info(second.id) == store.run("last")


def test_a_run_is_found_by_its_name_or_the_beginning_of_it(store: Store) -> None:
    for name in ("asthma-1", "asthma-10", "gout"):
        store.begin_run(name, {}, 1)

    assert store.run("gout").name == store.run("g").name == store.run("last").name == "gout"
    assert store.run("asthma-1").name == "asthma-1", "a whole name wins over being the beginning of another"
    with pytest.raises(BadInput, match="asthma-10, asthma-1"):
        store.run("asth")
    with pytest.raises(BadInput, match="did you mean gout"):
        store.run("guot")
    with pytest.raises(BadInput, match="there is no run ''"):
        store.run("")


def test_no_runs_no_such_run(store: Store) -> None:
    with pytest.raises(BadInput, match="no runs yet"):
        store.run("last")
    with pytest.raises(BadInput):
        store.info(7)
    with pytest.raises(BadInput):
        store.delete_run("none")


def test_names_that_could_be_mistaken_for_something_else_are_refused(store: Store) -> None:
    for name in ("", "last", "a b", "../up", "a:1", "-x", "x" * 101, "naïve", "a\n"):
        with pytest.raises(BadInput, match="cannot be the name"):
            store.begin_run(name, {}, 1)
    assert store.runs() == []


def test_a_name_is_given_once(store: Store) -> None:
    store.begin_run("twice", {}, 1)
    with pytest.raises(BadInput, match="already a run"):
        store.begin_run("twice", {}, 1)


def test_an_episode_is_found_by_key_prefix_or_number_and_newest_first(store: Store) -> None:
    old = store.begin_run("old", {}, 3)
    new = store.begin_run("new", {}, 3)
    samples.play(store, old.id, range(3))
    samples.play(store, new.id, range(2))

    assert store.find_episode(samples.key(1)) == (new.id, 1)
    assert store.find_episode(samples.key(1)[:8].upper()) == (new.id, 1)
    assert store.find_episode(samples.key(2)) == (old.id, 2)
    assert store.find_episode("old:1") == (old.id, 1)
    assert store.find_episode("last:1") == (new.id, 1)


def test_what_names_no_episode_is_bad_input(store: Store) -> None:
    samples.play(store, store.begin_run("run", {}, 1).id, range(1))
    odd = [
        "",
        "xyz",
        "f" * 33,
        "feed",
        "run:",
        "run:x",
        "run:²",
        "run:-1",
        "run:99999999999",
        "run:7",
        "no:1",
    ]
    for wanted in odd:
        with pytest.raises(BadInput):
            store.find_episode(wanted)


def test_a_beginning_shared_by_several_keys_is_bad_input(store: Store) -> None:
    run = store.begin_run("run", {}, 2)
    with store.writer(run.id) as writer:
        for ordinal, key in enumerate(("ab" + "0" * 30, "ab" + "1" * 30)):
            writer.end(ordinal, key, samples.CASE, "case-1", samples.outcome())
    with pytest.raises(BadInput, match="several episodes begin with 'ab'"):
        store.find_episode("ab")


def test_deleting_a_run_takes_its_rows_and_the_cases_nobody_else_uses(store: Store) -> None:
    keep, drop = store.begin_run("keep", {}, 2), store.begin_run("drop", {}, 2)
    samples.play(store, drop.id, range(2), case="shared")
    samples.play(store, drop.id, range(2, 4), case="own")
    samples.play(store, keep.id, range(1), case="shared")
    # A run needs a case from the moment it is written, although no episode on it has ended.
    with store.writer(keep.id) as writer:
        writer.case("own-later", samples.BODY)

    store.delete_run("drop")

    assert [run.name for run in store.runs()] == ["keep"]
    assert store.case("own") is None
    assert store.case("shared") == store.case("own-later") == samples.BODY
    assert len(list(store.traces(keep.id))) == 1
    store.delete_run("keep")
    with store._engine.connect() as connection:
        for table in metadata.tables.values():
            assert connection.execute(sa.select(sa.func.count()).select_from(table)).scalar() == 0


def test_a_run_is_deleted_while_another_begins_to_use_its_cases(store: Store) -> None:
    keep, drop = store.begin_run("keep", {}, 1), store.begin_run("drop", {}, 1)
    with store.writer(drop.id) as writer:
        writer.case("shared", samples.BODY)
    late = store.writer(keep.id)
    late.case("shared", samples.BODY)
    with ThreadPoolExecutor() as beside:
        with store._writing() as connection:
            late._write(connection)
            deletion = beside.submit(store.delete_run, "drop")
            wait([deletion], timeout=0.3)  # time enough to come upon what is not committed yet
        deletion.result()
    assert store.case("shared") == samples.BODY


def test_the_number_of_a_deleted_run_is_not_given_again(store: Store) -> None:
    old = store.begin_run("old", {}, 1)
    store.delete_run("old")
    assert store.begin_run("new", {}, 1).id > old.id


def test_a_forgotten_episode_can_be_played_again(store: Store) -> None:
    run = store.begin_run(None, {}, 3)
    samples.play(store, run.id, range(3))
    store.forget(run.id, 1)
    assert list(store.done(run.id)) == [0, 2]
    assert store.recorded(run.id, 1) == []
    assert {j.ordinal for j in store.judgements(run.id)} == {0, 2}
    samples.play(store, run.id, range(1, 2))
    assert store.recorded(run.id, 1) == samples.exchanges(1)


def test_judging_again_replaces_the_same_grader_only(store: Store) -> None:
    run = store.begin_run(None, {}, 1)
    samples.play(store, run.id, range(1))
    store.put_judgements(run.id, [(0, "diagnosis", "d2", '{"score":0.0}')])
    assert list(store.judgements(run.id)) == [
        Judgement(0, "diagnosis", "d2", '{"score":0.0}'),
        Judgement(0, "history", "h1", '{"score":null}'),
    ]


def test_judgements_are_of_ended_episodes_all_or_none(store: Store) -> None:
    run = store.begin_run(None, {}, 2)
    samples.play(store, run.id, range(1))
    with pytest.raises(BadInput, match="only ended episodes"):
        store.put_judgements(run.id, [(0, "new", "1", "{}"), (1, "new", "1", "{}")])
    assert "new" not in {j.grader for j in store.judgements(run.id)}


def test_a_case_is_stored_once_for_all_runs(store: Store) -> None:
    for name in ("a", "b"):
        samples.play(store, store.begin_run(name, {}, 1).id, range(1))
    with store._engine.connect() as connection:
        assert connection.execute(sa.select(sa.func.count()).select_from(cases)).scalar() == 1
        assert connection.execute(sa.select(sa.func.count()).select_from(episodes)).scalar() == 2


@given(st.sets(st.integers(0, 200)))
def test_ordinals_are_a_set_with_gaps(numbers: set[int]) -> None:
    found = Ordinals()
    for number in numbers:
        found.add(number)
    assert list(found) == sorted(numbers)
    assert len(found) == len(numbers)
    assert {n for n in range(-1, 300) if n in found} == numbers
    outside = set[int]()
    for first, last in found.gaps():
        outside |= set(range(first, 300 if last is None else last + 1))
    assert outside == set(range(300)) - numbers


def test_two_runs_of_one_second_that_are_given_the_same_name_get_two(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = iter(["aaaa", "aaaa", "bbbb"])
    monkeypatch.setattr("osler.store.store.secrets.token_hex", lambda size: next(drawn))
    monkeypatch.setattr("osler.store.store.time.time", lambda: 1_800_000_000.0)
    with open_store(url) as store:
        names = [store.begin_run(None, {}, 1).name for _ in range(2)]
        assert [name[-4:] for name in names] == ["aaaa", "bbbb"]
        with pytest.raises(BadInput, match="already a run"):
            store.begin_run(names[0], {}, 1)
