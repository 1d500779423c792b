"""A ward round's branches: the same tutor goes on as before, another changes only what follows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from osler.core.trace import Trace
from osler.errors import BadInput
from osler.protocols.ward_round.config import RoundConfig
from osler.runs import branching
from osler.runs import run as runs
from osler.store.store import Store, open_store

CONFIG = RoundConfig(cases="library", limit=1, seed=3)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with open_store(tmp_path_factory.mktemp("store") / "osler.db") as opened:
        yield opened


@pytest.fixture(scope="module")
def parent(store: Store) -> int:
    run = runs.begin(CONFIG, store)
    assert runs.play(run, store).status == "done"
    return run.id


def branched(store: Store, parent: int, at: int, **seats: str) -> Trace:
    found = branching.branch(store, parent, 0, at, seats=seats)
    run = branching.begin(found, store, found.config)
    assert runs.play(run, store, source=found.source).status == "done"
    return next(trace for _, trace in store.traces(run.id))


@pytest.mark.parametrize("at", [0, 1, 7, 12, 20, 37])
def test_the_same_tutor_goes_on_as_it_did(store: Store, parent: int, at: int) -> None:
    whole = next(trace for _, trace in store.traces(parent))
    assert branched(store, parent, at) == whole


def test_another_tutor_changes_only_what_follows(store: Store, parent: int) -> None:
    whole = next(trace for _, trace in store.traces(parent))
    other = branched(store, parent, 12, tutor="lecturer")
    assert other.rows[:12] == whole.rows[:12]
    assert other.rows[12:] != whole.rows[12:]


def test_what_only_a_consultation_can_do_is_refused(store: Store, parent: int) -> None:
    with pytest.raises(BadInput, match="cannot be given words"):
        branching.branch(store, parent, 0, 3, say="Hello")
