"""What a third attacker met, tried again: places in rooms, learners who were removed, work of others."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from osler.store.rooms import NOT_IN, Rooms
from osler.web.house import House
from osler.web.practise.sittings import Sittings
from osler.web.rights import ALL
from osler.web.teach.codes import FLOOD_A_MINUTE
from tests.attack.test_second_findings import joined, told
from tests.web.conftest import serving
from tests.web.teaching import CASE, Hall, Person
from tests.web.test_shared_rounds import joined as sits_down
from tests.web.test_shared_rounds import opened, own
from tests.web.test_taking_back import Browser, ends


async def learners(teacher: Person, room: dict[str, Any]) -> dict[str, str]:
    """The learners of a room as its teacher sees them, by pseudonym."""
    state = await teacher.get(f"/rooms/{room['id']}/state")
    return {one["pseudonym"]: one["id"] for one in state["learners"]}


def test_nobody_pushes_an_assessor_out(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("osler.web.teach.learners.MOST_LEARNERS", 2)

    async def story(people: Hall) -> None:
        teacher, room = await opened(people)
        for name in ("Idle", "Eve"):
            await (await people.stranger()).joins(room, name)
        at, eve = f"/rooms/{room['id']}", (await learners(teacher, room))["Eve"]
        await teacher.put(f"{at}/learners/{eve}/assesses", {"on": True})
        await (await people.stranger()).joins(room, "Late")
        assert set(await learners(teacher, room)) == {"Eve", "Late"}

    told(house, story)


def test_newcomers_to_a_full_room_do_not_push_each_other_out(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("osler.web.teach.learners.MOST_LEARNERS", 3)

    async def story(people: Hall) -> None:
        teacher, _, room = await joined(people)
        for n in range(2):
            await (await people.stranger()).joins(room, f"Idle {n}")
        with house.store.writing() as connection:
            connection.exec_driver_sql("update room_members set joined = joined - 1000")
        for name in ("Ben", "Cleo"):  # they read what they agree to, and then begin
            await (await people.stranger()).joins(room, name)
        assert set(await learners(teacher, room)) == {"Alma", "Ben", "Cleo"}

    told(house, story)


def test_what_a_learner_deleted_is_not_forgotten_by_making_place(house: House) -> None:
    async def story(people: Hall) -> None:
        _, _, room = await joined(people)
        with house.store.writing() as connection:
            connection.exec_driver_sql("update room_members set deleted = 1")
        assert not Rooms(house.store).make_room(room["id"])

    told(house, story)


def test_a_removed_learner_begins_nothing_more_in_the_room(house: House) -> None:
    async def story(people: Hall) -> None:
        teacher, learner, room = await joined(people)
        ended = await learner.sits(room)
        await learner.concludes(ended)
        going_on = await learner.sits(room)
        await learner.turn(going_on)
        alma = (await learners(teacher, room))["Alma"]
        removed = await teacher.ask("DELETE", f"/rooms/{room['id']}/learners/{alma}")
        assert removed.status_code == 200
        await learner.post(f"/sittings/{ended}/again", {"keep": 0}, 400)
        await teacher.post(f"/rooms/{room['id']}/release", {})
        assert (await learner.get(f"/sittings/{going_on}"))["status"] == "paused"

    told(house, story)


def test_who_made_place_meanwhile_is_told_so(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(people: Hall) -> None:
        _, learner, room = await joined(people)
        begin = Rooms.begin

        def late(self: Rooms, *given: Any, **more: Any) -> bool:
            assert self.make_room(room["id"])
            return begin(self, *given, **more)

        monkeypatch.setattr(Rooms, "begin", late)
        refused = await learner.post(f"/rooms/{room['id']}/sittings", {"case": "c1"}, 400)
        assert refused["what"] == NOT_IN

    told(house, story)


def test_whoever_leaves_takes_no_seat_at_the_same_moment(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the seat is nobody's, and the group's round can never begin."""

    async def story(people: Hall) -> None:
        teacher, room = await opened(people)
        at, learner = f"/rooms/{room['id']}", await people.stranger()
        await learner.joins(room, "Alma")
        take = Rooms.take_seat

        def late(self: Rooms, room: str, group: int, seat: str, member: str) -> bool:
            self.leave(room, member)
            return take(self, room, group, seat, member)

        monkeypatch.setattr(Rooms, "take_seat", late)
        await learner.post(f"{at}/seat", {"group": 1, "seat": "tutor"}, 400)
        monkeypatch.undo()
        groups = (await teacher.get(f"{at}/state"))["groups"]
        assert not any(seat["learner"] for seat in groups[0]["seats"])

    told(house, story)


def test_the_stream_of_a_removed_learner_ends_at_once(shared: House) -> None:
    with (
        serving(shared) as address,
        Browser(shared, address, *ALL) as teacher,
        Browser(shared, address, "learn") as learner,
    ):
        room = teacher.done("POST", "/rooms", {"name": "Monday", "cases": [CASE]})
        learner.done("POST", f"/join/{room['code']}", {"pseudonym": "Alma", "uses": []})
        (alma,) = teacher.done("GET", f"/rooms/{room['id']}/state")["learners"]
        with learner.follows(f"room:{room['id']}") as messages:
            teacher.done("DELETE", f"/rooms/{room['id']}/learners/{alma['id']}")
            assert ends(messages, f"room:{room['id']}")


def test_leaving_a_room_opens_no_record_that_it_holds_back(house: House) -> None:
    async def story(people: Hall) -> None:
        teacher, watcher, alma = await people.teacher(), await people.let_in("watch"), await people.stranger()
        asked = {"asks": ["practice", "share"], "share_until": 4_000_000_000}
        room = await teacher.opens(held_back=True, **asked)
        await alma.joins(room, "Alma", "share")
        await alma.concludes(await alma.sits(room))
        run = house.store.runs()[-1].name
        await watcher.joins(room, "Ben")
        await watcher.get(f"/episodes/{run}/0", 404)
        await watcher.post(f"/rooms/{room['id']}/leave", None, 204)
        await watcher.get(f"/episodes/{run}/0", 404)

    told(house, story)


def test_the_room_of_a_code_is_not_looked_for_beyond_the_limit(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the time of a refusal tells which codes there are; and a room's own learners come in all the
    same."""
    asked: list[str] = []
    by_code = Rooms.by_code

    def noted(self: Rooms, code: str) -> Any:
        asked.append(code)
        return by_code(self, code)

    async def story(people: Hall) -> None:
        teacher, learner, room = await joined(people)
        other = await teacher.opens()
        wrong = next(
            code for code in ("BBBBBB", "CCCCCC", "DDDDDD") if code not in (room["code"], other["code"])
        )
        for _ in range(FLOOD_A_MINUTE):
            await learner.ask("GET", f"/join/{wrong}")
        monkeypatch.setattr(Rooms, "by_code", noted)
        await learner.get(f"/join/{other['code']}", 429)
        assert not asked
        assert (await learner.get(f"/join/{room['code']}"))["joined"]["pseudonym"] == "Alma"

    told(house, story)


def test_a_room_opens_with_no_persona_that_there_is_not(house: House) -> None:
    async def story(people: Hall) -> None:
        plan = {"name": "Monday", "cases": [CASE], "persona": "python:this:s"}
        await (await people.teacher()).post("/rooms", plan, 400)

    told(house, story)


@pytest.mark.parametrize("both", [[("POST", "/resume")] * 2, [("POST", "/leave"), ("GET", "")]])
def test_an_encounter_that_is_opened_and_put_down_at_once_still_goes_on(
    house: House, both: list[tuple[str, str]]
) -> None:
    """As by a page that is loaded again. Else a sitting plays on unseen, and keeps everybody out."""

    async def story(people: Hall) -> None:
        _, learner, room = await joined(people)
        sitting = await learner.sits(room)
        await learner.turn(sitting)
        for _ in range(4):
            asked = [learner.ask(method, f"/sittings/{sitting}{verb}") for method, verb in both * 5]
            await asyncio.gather(*asked)
            assert (await learner.turn(sitting))["status"] == "yours"

    told(house, story)


def test_nobody_interrupts_the_others_in_a_shared_round(house: House) -> None:
    async def story(people: Hall) -> None:
        _, room = await opened(people)
        seats = ("tutor", "student_1", "student_2")
        members = [await sits_down(people, room, seat, seat, 1) for seat in seats]
        sittings = [await own(one, room) for one in members]
        await members[1].turn(sittings[1])
        closed: list[int] = []
        close = Sittings._close

        async def noted(self: Sittings, run: int) -> None:
            closed.append(run)
            await close(self, run)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(Sittings, "_close", noted)
            await members[0].post(f"/sittings/{sittings[0]}/resume", None)
            assert not closed

    told(house, story)
