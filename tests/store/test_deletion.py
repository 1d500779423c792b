"""Deleting a person's words from every table, every branch and the file; a tombstone stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import sqlalchemy as sa

from osler.core.trace import ExchangeRow, InnerRow
from osler.errors import BadInput, Status
from osler.store import practice
from osler.store.connect import address
from osler.store.deletion import AT_WISH, WORDS, delete_words, deleted_episodes
from osler.store.permissions import grant, permitted
from osler.store.records import RunInfo
from osler.store.schema import metadata
from osler.store.store import Store, open_store
from tests.store.samples import BODY, CASE, key, outcome
from tests.store.test_permissions import begun, branched

SECRET = "quokka-lantern"  # what the person said; found nowhere once it is deleted


def spoken(store: Store, count: int = 2) -> RunInfo:
    """A run whose every episode holds the secret words wherever an episode holds words."""
    run = store.begin_run(None, {"configuration": {"doctor": "person", "patient": "model:m"}}, count)
    said = json.dumps([{"kind": "said", "minute": 1, "to": [], "by": "doctor", "text": SECRET}])
    call = {"messages": SECRET, "text": SECRET}
    with store.writer(run.id, keep_prompts=True) as writer:
        writer.case(CASE, BODY)
        for ordinal in range(count):
            reply, attempts = json.dumps({"answer": SECRET}), json.dumps([{"at": "form", "reply": SECRET}])
            writer.exchange(ordinal, ExchangeRow(1, "doctor", "1", said, reply, attempts, (call,)))
            writer.exchange(ordinal, ExchangeRow(2, "patient", "2", said, reply, "[]", (call,)))
            inner = InnerRow(2, "1", "patient", "m", "3", said, reply, attempts, (call,))
            writer.inner(ordinal, inner)
            ended = outcome()._replace(exchanges=2, tail=said, reason=SECRET)
            marked = ("history", "h1", json.dumps({"quote": SECRET}))
            writer.end(ordinal, key(ordinal), CASE, "case-1", ended, [marked])
    for ordinal in range(count):
        verdict = (ordinal, "model", "m1", json.dumps({"quote": SECRET}))
        store.put_judgements(run.id, [verdict], [{"messages": SECRET}])
    grant(store, run.id, range(count), ["research"], pseudonym=SECRET)
    beside = {"readings": {"1.2": SECRET}}
    seat = ("consultation", "doctor", "Case 1", False, "")
    practice.put(store, practice.PersonSitting("id", "code", run.id, 0, "owner", "", *seat, beside))
    return run


def held(store: Store) -> list[str]:
    """The tables in which the secret words are."""
    with store.connected() as connection:
        return [
            table.name
            for table in metadata.sorted_tables
            if any(SECRET in str(value) for row in connection.execute(sa.select(table)) for value in row)
        ]


def test_the_words_are_gone_from_every_table(store: Store) -> None:
    run = spoken(store)
    # Open questions go with the end of an episode, scores are numbers, and nobody has searched.
    assert {*held(store)} == {table.name for table in WORDS} - {"asked", "scores", "search_lines"} | {
        "episodes",
        "practice",
    }
    found = delete_words(store, run.id, [0, 1])
    assert found.episodes == ((run.name, 0), (run.name, 1))
    assert held(store) == []


def test_a_tombstone_says_that_it_was_deleted_and_when(store: Store) -> None:
    run = spoken(store)
    delete_words(store, run.id, [0])
    assert list(deleted_episodes(store, run.id)) == [0]
    gone, there = store.episodes(run.id)
    assert gone.status is Status.DELETED
    assert gone.reason == AT_WISH
    assert gone.outcome.tail == "[]"
    assert there.status is Status.COMPLETED
    assert gone.case_id == "case-1", "a case is nobody's words"
    assert store.info(run.id).done == 2, "it is not played again"
    assert [len(trace.rows) for _, trace in store.traces(run.id)] == [0, 2]


def test_what_was_deleted_permits_nothing_more_and_withholds_nothing(store: Store) -> None:
    run = spoken(store)
    delete_words(store, run.id, [0])
    assert "research" in permitted(store, run.id, 0), "there is nothing left to withhold"
    with pytest.raises(BadInput, match="were deleted"):
        grant(store, run.id, [0], ["research"])


def test_branches_lose_their_copies(store: Store) -> None:
    run = spoken(store)
    child = branched(store, run, 0)
    grandchild = branched(store, child, 0)
    other = branched(store, run, 1)
    found = delete_words(store, run.id, [0])
    assert found.episodes == ((run.name, 0), (child.name, 0), (grandchild.name, 0))
    assert [row.status for row in store.episodes(grandchild.id)] == [Status.DELETED]
    assert [row.status for row in store.episodes(other.id)] == [Status.COMPLETED]
    assert len(store.recorded(other.id, 0)) > 0


def test_a_copy_is_found_when_the_run_between_is_gone(store: Store) -> None:
    run = spoken(store, 1)
    child = branched(store, run, 0)
    grandchild = branched(store, child, 0, earlier=child.manifest["branch_of"])
    store.delete_run(child.name)
    delete_words(store, run.id, [0])
    assert held(store) == []
    assert list(deleted_episodes(store, grandchild.id)) == [0]


def test_an_encounter_that_has_not_ended_is_deleted_too(store: Store) -> None:
    run = store.begin_run(None, {"configuration": {"doctor": "person"}}, 1)
    with store.writer(run.id) as writer:
        writer.exchange(0, ExchangeRow(1, "doctor", "1", "[]", json.dumps({"answer": SECRET}), "[]"))
    delete_words(store, run.id, [0])
    assert held(store) == []
    assert store.partial(run.id) == set()
    assert list(deleted_episodes(store, run.id)) == [0]


def test_deleting_twice_or_nothing_is_said_in_words(store: Store) -> None:
    run = spoken(store, 1)
    delete_words(store, run.id, [0])
    with pytest.raises(BadInput, match="deleted already, on 20"):
        delete_words(store, run.id, [0])
    with pytest.raises(BadInput, match="was not played"):
        delete_words(store, run.id, [7])
    with pytest.raises(BadInput, match="played by programs"):
        delete_words(store, begun(store, configuration={"doctor": "baseline"}).id, [0])


def test_nothing_is_deleted_while_it_is_played(store: Store) -> None:
    run = spoken(store, 1)
    with store.claims(run.id), pytest.raises(BadInput, match="is being played"):
        delete_words(store, run.id, [0])
    child = branched(store, run, 0)
    with store.claims(child.id), pytest.raises(BadInput, match="is being played"):
        delete_words(store, run.id, [0])
    assert len(store.recorded(run.id, 0)) == 2


def test_the_bytes_are_gone_from_the_file(store: Store, url: str) -> None:
    if not url.startswith("sqlite"):
        pytest.skip("a server keeps its files itself")
    run = spoken(store, 40)
    store.put_judgements(run.id, [(0, "model", "m1", json.dumps({"quote": f"{SECRET} again"}))])
    store.forget(run.id, 3, after=1)  # rows deleted earlier leave their bytes behind
    path = Path(address(url).database or "")
    files = [path, *(path.with_name(path.name + end) for end in ("-wal", "-journal"))]

    def anywhere() -> bool:
        return any(SECRET.encode() in one.read_bytes() for one in files if one.exists())

    assert anywhere()
    found = delete_words(store, run.id, range(40))
    assert found.erased
    assert not anywhere()


def test_a_reader_beside_keeps_traces_in_the_file_and_that_is_said(store: Store, url: str) -> None:
    if not url.startswith("sqlite"):
        pytest.skip("a server keeps its files itself")
    run = spoken(store, 1)
    with open_store(f"{url}?timeout=0.1") as hasty, store.connected() as beside:
        beside.execute(sa.text("SELECT count(*) FROM exchanges")).scalar()
        found = delete_words(hasty, run.id, [0])
    assert not found.erased
    assert held(store) == []
