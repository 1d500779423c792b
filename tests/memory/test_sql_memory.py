"""Memories on both databases: what is kept comes back, never changes, and can be gone back to."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa

from osler.errors import BadInput, BadStore
from osler.memory.collection import memory_of
from osler.memory.exclusion import Retrieval
from osler.memory.sql_memory import SqlKeeper, metadata
from tests.memory.cards import card

CARDS = metadata.tables["memory_cards"]
SERVER = os.environ.get("OSLER_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/test")


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[sa.Engine]:
    """A database with the tables of memory and nothing else."""
    if request.param == "sqlite":
        made = sa.create_engine(f"sqlite:///{tmp_path / 'memory.db'}", connect_args={"timeout": 30})
        metadata.create_all(made)
        yield made
        made.dispose()
        return
    address = sa.make_url(SERVER).set(drivername="postgresql+psycopg")
    server = sa.create_engine(address, connect_args={"connect_timeout": 2})
    name = f"osler_memory_test_{secrets.token_hex(6)}"
    try:
        with server.begin() as connection:
            connection.execute(sa.schema.CreateSchema(name))
    except sa.exc.OperationalError:
        pytest.skip(f"no PostgreSQL server answers at {address.host}:{address.port}")
    made = sa.create_engine(address, connect_args={"options": f"-csearch_path={name}"})
    try:
        metadata.create_all(made)
        yield made
    finally:
        made.dispose()
        with server.begin() as connection:
            connection.execute(sa.schema.DropSchema(name, cascade=True))
        server.dispose()


@pytest.fixture
def keeper(engine: sa.Engine) -> SqlKeeper:
    return SqlKeeper(engine)


def test_a_memory_comes_back_as_it_was(keeper: SqlKeeper) -> None:
    memory = memory_of([card(n) for n in range(1200)], capacity=2000)
    memory = memory.after_use([card(5).id], True).after_use([card(6).id], False).without_harmful(1, 0.4)
    held = keeper.save("doctor", memory, "first block")
    again = keeper.load(held, 2000)
    assert held == memory.snapshot == again.snapshot
    assert dict(again.cards) == dict(memory.cards)
    assert again.cards[card(6).id].state == "retired"


def test_the_log_grows_and_the_same_state_is_no_new_step(keeper: SqlKeeper) -> None:
    first, second = memory_of([card(1)]), memory_of([card(1), card(2)], 9)
    for memory in (first, first, second):
        keeper.save("doctor", memory, "a block")
    keeper.save("another", first)
    assert [(s.n, s.snapshot, s.capacity) for s in keeper.steps("doctor")] == [
        (0, first.snapshot, None),
        (1, second.snapshot, 9),
    ]
    assert keeper.steps("nobody") == []


def test_rolling_back_forgets_what_came_after_and_keeps_the_log(keeper: SqlKeeper) -> None:
    early = memory_of([card(1)], 5)
    late = early.with_cards([card(2)]).after_use([card(1).id], True)
    keeper.save("doctor", early)
    keeper.save("doctor", late)
    back = keeper.roll_back("doctor", early.snapshot)
    assert (back.snapshot, back.capacity) == (early.snapshot, 5)
    assert [step.snapshot for step in keeper.steps("doctor")] == [
        early.snapshot,
        late.snapshot,
        early.snapshot,
    ]
    assert keeper.steps("doctor")[-1].why == "rolled back to step 0"
    assert keeper.load(late.snapshot).snapshot == late.snapshot


def test_a_memory_goes_back_only_to_where_it_was(keeper: SqlKeeper) -> None:
    keeper.save("another", memory_of([card(1)]))
    with pytest.raises(BadInput, match="was never at"):
        keeper.roll_back("doctor", memory_of([card(1)]).snapshot)
    with pytest.raises(BadInput, match="no snapshot"):
        keeper.load("0" * 32)


def test_hostile_text_is_kept_as_it_is(keeper: SqlKeeper) -> None:
    hostile = card(1, content="'); DROP TABLE memory_cards; --\0 \U0001f480 {{ 7 * 7 }}")
    held = keeper.save("doctor", memory_of([hostile]), "why\0\ud800not")
    assert keeper.load(held).cards[hostile.id].content == hostile.content
    assert keeper.steps("doctor")[0].why == "why��not"
    for name in ("", "a b", "x'; --", "\0", "../x", "ä" * 3):
        with pytest.raises(BadInput, match="not a valid memory name"):
            keeper.save(name, memory_of([hostile]))


def test_an_empty_memory_can_be_kept(keeper: SqlKeeper) -> None:
    assert not keeper.load(keeper.save("doctor", memory_of([]))).cards


def test_what_was_changed_behind_our_back_is_refused(keeper: SqlKeeper, engine: sa.Engine) -> None:
    held = keeper.save("doctor", memory_of([card(1), card(2)]))
    with engine.begin() as connection:
        other = sa.select(CARDS.c.body).where(CARDS.c.id == card(2).id).scalar_subquery()
        connection.execute(sa.update(CARDS).where(CARDS.c.id == card(1).id).values(body=other))
    with pytest.raises(BadStore, match="was changed"):
        keeper.load(held)
    with engine.begin() as connection:
        connection.execute(sa.delete(CARDS).where(CARDS.c.id == card(1).id))
    with pytest.raises(BadStore, match="missing"):
        keeper.load(held)


def test_several_may_save_at_once(keeper: SqlKeeper) -> None:
    with ThreadPoolExecutor(8) as pool:
        held = list(pool.map(lambda n: keeper.save("doctor", memory_of([card(n), card(0)])), range(1, 25)))
    steps = keeper.steps("doctor")
    assert [step.n for step in steps] == list(range(24))
    assert {step.snapshot for step in steps} == set(held)


def test_retrievals_are_kept_for_the_audit(keeper: SqlKeeper) -> None:
    held = keeper.save("doctor", memory_of([card(1)]))
    given = [Retrieval("b", held, 2, ("x", "y")), Retrieval("a", held, 1, ())]
    keeper.record("run", given)
    keeper.record("run", [Retrieval("a", held, 9, ("z",))])
    assert list(keeper.retrieved("run")) == sorted(given)
    assert list(keeper.retrieved("other")) == []
