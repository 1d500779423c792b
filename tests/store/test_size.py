"""What runs take, and what a branch keeps, on both databases."""

from __future__ import annotations

import pytest

from osler.errors import BadInput
from osler.store.records import KeptPart
from osler.store.size import compact, file_of, run_size, store_bytes
from osler.store.store import Store, open_store
from tests.store import samples


def test_a_run_takes_more_the_more_it_holds_and_shared_cases_are_nobodys(store: Store) -> None:
    small = store.begin_run("small", {}, 10)
    samples.play(store, small.id, range(10))
    assert run_size(store, store.run("small")).cases > 0
    large = store.begin_run("large", {}, 300)
    samples.play(store, large.id, range(300))
    one, other = run_size(store, store.run("small")), run_size(store, store.run("large"))
    assert one.cases == other.cases == 0
    assert 28.5 < other.total / one.total < 31.5
    assert run_size(store, store.begin_run("none", {}, 5)).total == 0


def test_what_is_deleted_is_given_back_to_the_disk(store: Store) -> None:
    run = store.begin_run("large", {}, 1000)
    samples.play(store, run.id, range(1000))
    compact(store)
    before, run = store_bytes(store), store.run("large")
    foreseen = run_size(store, run).total
    store.delete_run("large")
    compact(store)
    if file_of(store.label):  # a server does it in its own time
        assert 0.7 < foreseen / (before - store_bytes(store)) < 1.4


def test_what_a_branch_keeps_is_its_own_and_begins_every_episode(store: Store, url: str) -> None:
    parent = store.begin_run("parent", {}, 2)
    samples.play(store, parent.id, range(2))
    kept = KeptPart(parent.id, 1, 2, samples.CASE)
    branch = store.begin_run("branch", {}, 3, kept)
    store.delete_run("parent")
    with open_store(url) as again:
        assert again.case(samples.CASE) == samples.BODY
        for ordinal in range(3):
            assert again.recorded(branch.id, ordinal) == samples.exchanges(1)[:2]
    assert store.run("branch").done == 0
    store.begin_run("empty", {}, 1, kept._replace(at=0))


def test_a_branch_of_a_case_that_is_gone_is_not_begun(store: Store) -> None:
    parent = store.begin_run("parent", {}, 1)
    samples.play(store, parent.id, range(1))
    store.delete_run("parent")
    with pytest.raises(BadInput, match="deleted in the meantime"):
        store.begin_run("branch", {}, 1, KeptPart(parent.id, 0, 2, samples.CASE))
    assert store.runs() == []
