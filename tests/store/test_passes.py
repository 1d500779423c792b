"""Passes in both databases: secrets renewed once though two ask, and what is revoked."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from osler.store.passes import Belongings, Holder, Passes, by_link, by_room
from osler.store.rooms import Rooms
from osler.store.store import Store

LATER = time.time() + 3600
ALL = frozenset(("learn", "teach", "watch", "run"))


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
