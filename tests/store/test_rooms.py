"""Rooms and their learners in both databases."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from osler.store.rooms import CODE_LENGTH, LETTERS, Rooms
from osler.store.schema import room_members
from osler.store.store import Store

HOSTILE = "\0<b>\ud800 Robert'); DROP TABLE rooms;--"


def test_a_room_is_found_by_its_id_its_code_and_its_owner(store: Store) -> None:
    rooms = Rooms(store)
    first, second = rooms.open("teacher", '{"name": "a"}', None), rooms.open("teacher", HOSTILE, 5.0)
    rooms.open("another", "{}", None)
    assert rooms.room(second.id) == second == rooms.by_code(second.code)
    assert second.plan == HOSTILE
    assert {one.id for one in rooms.of("teacher")} == {first.id, second.id}
    assert rooms.room("none") is None
    assert rooms.by_code("BBBBBB") is None


def test_a_code_is_of_letters_that_are_not_mistaken_and_never_used_twice(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not set(LETTERS) & set("AEIOUL")
    rooms = Rooms(store)
    first = rooms.open("teacher", "{}", None)
    drawn = iter([*first.code, *"BCDFGH"])
    monkeypatch.setattr("secrets.choice", lambda letters: next(drawn))
    assert rooms.open("teacher", "{}", None).code == "BCDFGH"
    assert len(first.code) == CODE_LENGTH


def test_joining_again_replaces_name_and_uses_and_keeps_the_place_and_the_time(store: Store) -> None:
    rooms = Rooms(store)
    room, other = rooms.open("teacher", "{}", None), rooms.open("teacher", "{}", None)
    first = rooms.join(room.id, "visitor", HOSTILE, ["practice", "teacher"])
    assert (first.pseudonym, first.uses, first.extra) == (HOSTILE, ("practice", "teacher"), 0)
    assert rooms.extend(room.id, first.id, 25)
    assert rooms.extend(other.id, first.id, 90) is None
    again = rooms.join(room.id, "visitor", "Ada", ["practice"])
    assert again == first._replace(pseudonym="Ada", uses=("practice",), extra=25)
    assert rooms.members(room.id) == [again]
    assert rooms.member(room.id, "visitor") == again
    assert rooms.member(other.id, "visitor") is None


def test_of_a_learner_who_left_a_room_only_that_is_kept(store: Store) -> None:
    rooms = Rooms(store)
    room, other = rooms.open("teacher", "{}", None), rooms.open("teacher", "{}", None)
    first = rooms.join(room.id, "visitor", HOSTILE, ["practice", "teacher"])
    second = rooms.join(room.id, "another", "Ben", ["practice"])
    rooms.join(other.id, "visitor", "Ada", ["practice"])
    assert {one.id for one in rooms.met_by("visitor")} == {room.id, other.id}
    assert rooms.take_seat(room.id, 1, "tutor", first.id)
    for member in (first, second):
        rooms.leave(room.id, member.id)
    assert (rooms.members(room.id), rooms.seats(room.id), rooms.count_left(room.id)) == ([], [], 2)
    assert rooms.member(room.id, "visitor") is None
    assert rooms.extend(room.id, first.id, 25) is None
    assert (len(rooms.members(other.id)), rooms.count_left(other.id)) == (1, 0)
    with store.connected() as connection:
        kept = connection.execute(sa.select(room_members).where(room_members.c.room == room.id)).all()
    assert all(HOSTILE not in row and "visitor" not in row.visitor for row in kept)
    assert {one.id for one in rooms.met_by("visitor")} == {room.id, other.id}, "what it holds back stays so"
    back = rooms.join(room.id, "visitor", "Bea", ["practice"])
    assert (back.id, back.pseudonym, rooms.count_left(room.id)) == (first.id, "Bea", 1)


def test_a_full_room_lets_go_who_has_begun_nothing(store: Store) -> None:
    rooms = Rooms(store)
    room = rooms.open("teacher", "{}", None)
    ada, ben, cy = (rooms.join(room.id, name, name, ["practice"]) for name in ("ada", "ben", "cy"))
    assert rooms.begin(ada.id, "c1", once=False)
    assert rooms.take_seat(room.id, 1, "tutor", ben.id)
    late = rooms.join(room.id, "late", "late", ["practice"])
    assert rooms.extend(room.id, cy.id, 25)
    assert rooms.make_room(room.id)
    assert {one.id for one in rooms.members(room.id)} == {ada.id, ben.id, cy.id}, late
    assert not rooms.make_room(room.id), "nobody who has a place, a case begun or extra time goes"


def test_a_room_is_closed_opened_and_changed(store: Store) -> None:
    rooms = Rooms(store)
    room = rooms.open("teacher", "{}", None)
    rooms.change(room.id, closed=3.0, plan='{"name": "b"}', expires=9.0)
    assert rooms.room(room.id) == room._replace(closed=3.0, plan='{"name": "b"}', expires=9.0)
