"""Passes in both databases: an earlier store's, secrets renewed once though two ask, and what is revoked."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from osler.store import connect
from osler.store.passes import Belongings, Holder, Passes, by_link, by_room
from osler.store.rooms import Rooms
from osler.store.store import Store, open_store
from tests.store.test_opening import MIGRATIONS

LATER = time.time() + 3600
ALL = frozenset(("learn", "teach", "watch", "run"))


def test_what_was_let_in_before_keeps_its_id_and_its_rights(url: str) -> None:
    engine = connect._engine(connect.address(url), "")
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    earlier = {"digest": "a" * 40, "rights": "learn watch", "until": LATER}
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0021")
        connection.execute(sa.text("INSERT INTO passes VALUES (:digest, :rights, :until)"), earlier)
    engine.dispose()
    with open_store(url) as store:
        passes = Passes(store)
        assert passes.of_secret("a" * 40) == Holder("a" * 40, frozenset(("learn", "watch")))
        link = passes.link("a" * 40)
        assert link is not None, "it is not known whether it was a link"
        assert (link.since, link.until) == (None, LATER)
        grown = passes.grant("a" * 40, ["teach"], LATER, source="", digest="b" * 40)
        assert grown == Holder("a" * 40, frozenset(("learn", "watch", "teach")), renewed=True)
        assert passes.of_secret("a" * 40) is None


@pytest.fixture
def passes(store: Store) -> Passes:
    return Passes(store)


def granted(passes: Passes, visitor: str, *rights: str, source: str = "", digest: str) -> Holder:
    found = passes.grant(visitor, rights, LATER, source=source, digest=digest)
    assert found is not None
    return found


def test_rights_are_the_union_of_their_sources(passes: Passes) -> None:
    passes.add_link("t", ALL, LATER)
    visitor = granted(passes, "", "learn", source=by_room("r"), digest="1").visitor
    both = granted(passes, visitor, *ALL, source=by_link("t"), digest="2")
    assert both == Holder(visitor, ALL, renewed=True)
    assert (passes.of_secret("1"), passes.of_secret("2")) == (None, Holder(visitor, ALL))
    passes.revoke_link("t")
    assert passes.of_visitor(visitor) == Holder(visitor, frozenset(("learn",)))
    assert passes.grant("", ALL, LATER, source=by_link("t"), digest="3") is None
    assert passes.of_secret("3") is None


def test_rights_that_have_expired_are_none(passes: Passes) -> None:
    visitor = granted(passes, "", "learn", source=by_room("r"), digest="1").visitor
    passes.grant(visitor, ["watch"], time.time() - 1, source=by_room("over"), digest="2")
    assert passes.of_visitor(visitor) == Holder(visitor, frozenset(("learn",)))


@pytest.mark.parametrize("source", [by_link("t"), by_room("other")])
def test_a_browser_that_asks_twice_at_once_has_one_new_secret(passes: Passes, source: str) -> None:
    visitor = granted(passes, "", "learn", source=by_room("r"), digest="first").visitor
    passes.add_link("t", ALL, LATER)

    def asks(digest: str) -> Holder | None:
        return passes.grant(visitor, ALL, LATER, source=source, digest=digest)

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(asks, map(str, range(8))))
    renewed = [str(n) for n, one in enumerate(answers) if one and one.renewed]
    assert len(renewed) == 1
    assert passes.of_secret(renewed[0]) == Holder(visitor, ALL)
    assert passes.of_secret("first") is None


def test_a_revoked_visitors_open_rooms_are_closed_and_counted(store: Store, passes: Passes) -> None:
    rooms = Rooms(store)
    visitor = granted(passes, "", *ALL, digest="1").visitor
    own, other = rooms.open(visitor, "{}", None), rooms.open("somebody", "{}", None)
    assert passes.belongings()[visitor] == Belongings(sittings=0, rooms=1)
    passes.revoke_visitor(visitor)
    assert passes.of_secret("1") is None
    left, kept = rooms.room(own.id), rooms.room(other.id)
    assert left is not None
    assert kept is not None
    assert left.closed is not None
    assert kept.closed is None
