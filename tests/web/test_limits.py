"""What one visitor, or one address, may ask of a shared server, and what it costs nobody else."""

from __future__ import annotations

import asyncio
import threading
import time
from functools import partial
from ipaddress import ip_network
from typing import Any

import httpx
import pytest

from osler.errors import InfrastructureFault
from osler.store.rooms import Rooms
from osler.web.door import door
from osler.web.house import House
from osler.web.limits import BEGINNINGS, ENTRIES, LONG_WORK_EACH, STRANGE, LongWork
from osler.web.practise.reception import MOST_UNFINISHED
from osler.web.problems import TooMany
from osler.web.rights import ALL
from osler.web.teach.codes import FLOOD_A_MINUTE, WRONG_A_MINUTE
from tests.web.conftest import HERE, ask
from tests.web.teaching import Hall, Person, hall
from tests.web.test_rooms import tried

PROXY = (ip_network("127.0.0.1"), ip_network("10.0.0.0/8"))


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("203.0.113.7", ["198.51.100.1"], "203.0.113.7"),  # no proxy that is named
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", ["203.0.113.9, 198.51.100.1"], "198.51.100.1"),  # what the visitor wrote stands before
        ("127.0.0.1", ["203.0.113.9", "198.51.100.1, 10.1.2.3"], "198.51.100.1"),  # by two proxies of ours
        ("127.0.0.1", ["<script>, 198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", ["198.51.100.1, nobody"], "127.0.0.1"),
        ("127.0.0.1", [""], "127.0.0.1"),
        ("127.0.0.1", ["10.1.2.3"], "10.1.2.3"),
        ("127.0.0.1", ["2001:db8:1:2:3:4:5:6"], "2001:db8:1:2::/64"),
        ("::ffff:127.0.0.1", ["::ffff:198.51.100.1"], "198.51.100.1"),
        ("", ["198.51.100.1"], ""),
    ],
)
def test_the_address_is_the_last_hop_that_is_no_proxy_of_ours(
    peer: str, forwarded: list[str], address: str
) -> None:
    assert door(80, proxies=PROXY).visitor_address(peer, forwarded) == address


def forwarded_for(address: str) -> dict[str, str]:
    return {"x-forwarded-for": address}


@pytest.mark.parametrize(("proxies", "limited"), [((), True), ((ip_network("127.0.0.1"),), False)])
def test_strangers_behind_a_proxy_share_a_pace_unless_it_is_named(
    house: House, proxies: tuple[Any, ...], limited: bool
) -> None:
    async def story() -> None:
        async with hall(house, proxies=proxies) as found:
            stranger = await found.stranger()
            for n in range(STRANGE.burst + 20):
                last = await stranger.client.post(
                    "/api/nothing", json={}, headers=forwarded_for(f"198.51.100.{n}")
                )
            assert (last.status_code == 429) is limited, last.text

    asyncio.run(story())


def test_bad_guesses_of_strangers_lock_out_neither_members_nor_teachers(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, member, stranger = await found.teacher(), await found.stranger(), await found.stranger()
        room = await teacher.opens()
        await member.joins(room, "Ada")
        for _ in range(FLOOD_A_MINUTE + 1):
            await stranger.ask("GET", "/join/BBBBBB")
        for _ in range(STRANGE.burst + 20):
            last = await stranger.ask("POST", "/nothing", {})
        assert last.status_code == 429
        await stranger.get(f"/join/{room['code']}", 429)
        await member.get(f"/join/{room['code']}")
        await member.joins(room, "Ada B.")
        await found.teacher()  # by a link, with no cookie yet

    tried(house, story)


def test_a_member_who_guesses_is_limited_as_well(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, member, other = await found.teacher(), await found.stranger(), await found.stranger()
        room = await teacher.opens()
        await member.joins(room, "Ada")
        await other.joins(room, "Bo")
        for _ in range(WRONG_A_MINUTE):
            await member.get("/join/BBBBBB", 404)
        await member.get("/join/BBBBBB", 429)
        await other.get("/join/BBBBBB", 404)

    tried(house, story)


def test_wrong_tokens_are_slowed_down_only_when_they_flood(house: House) -> None:
    async def story(found: Hall) -> None:
        stranger = await found.stranger()
        for _ in range(ENTRIES.burst // 2):
            await stranger.post("/enter", {"token": "wrong"}, 403)
        await stranger.post("/enter", {"token": house.visitors.link(ALL)})

    tried(house, story)


async def ended(person: Person, room: dict[str, Any]) -> str:
    """A sitting of a room that has ended."""
    sitting = await person.sits(room)
    await person.concludes(sitting)
    return sitting


@pytest.mark.parametrize("change", [{"closed": 1.0}, {"expires": 1.0}])
def test_nobody_begins_again_in_a_room_that_is_closed(house: House, change: dict[str, Any]) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens()
        await learner.joins(room, "Ada")
        sitting = await ended(learner, room)
        Rooms(house.store).change(room["id"], **change)
        refused = await learner.post(f"/sittings/{sitting}/again", {"keep": 0}, 400)
        assert refused["what"] == "this room is closed"

    tried(house, story)


def test_nobody_begins_again_while_the_teacher_holds_the_room_or_the_encounter(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens()
        await learner.joins(room, "Ada")
        sitting = await ended(learner, room)
        again = (await learner.post(f"/sittings/{sitting}/again", {"keep": 0}, 201))["id"]
        await learner.turn(again)
        await teacher.post(f"/rooms/{room['id']}/hold", {"words": "Wait.", "sitting": again})
        refused = await learner.post(f"/sittings/{again}/again", {"keep": 0}, 400)
        assert refused["what"] == "Wait."
        await teacher.post(f"/rooms/{room['id']}/hold", {"words": "All wait."})
        refused = await learner.post(f"/sittings/{sitting}/again", {"keep": 0}, 400)
        assert refused["what"] == "All wait."
        await teacher.post(f"/rooms/{room['id']}/release", {})
        await learner.post(f"/sittings/{sitting}/again", {"keep": 0}, 201)

    tried(house, story)


def test_beginning_again_counts_as_beginning(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens()
        await learner.joins(room, "Ada")
        sitting = await ended(learner, room)
        for _ in range(MOST_UNFINISHED):
            await learner.post(f"/sittings/{sitting}/again", {"keep": 0}, 201)
        refused = await learner.post(f"/sittings/{sitting}/again", {"keep": 0}, 429)
        assert refused["what"] == f"you have begun {MOST_UNFINISHED} already"
        refused = await learner.post("/sittings", {"case": "cardiology-01"}, 429)
        assert refused["what"] == f"you have begun {MOST_UNFINISHED} already"

    tried(house, story)


def test_beginnings_have_a_pace_of_their_own(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens()
        await learner.joins(room, "Ada")
        for _ in range(BEGINNINGS.burst):
            await learner.post("/sittings", {"case": "nowhere"}, 400)
        refused = await learner.ask("POST", "/sittings", {"case": "nowhere"})
        assert refused.status_code == 429
        assert 1 <= int(refused.headers["retry-after"]) <= 10
        await learner.post("/sittings/none/again", {"keep": 0}, 429)
        await learner.put("/sittings/none/permission", {"uses": []}, 404)  # other changes have their own

    tried(house, story)


def test_long_work_is_limited_by_visitor_and_in_all() -> None:
    end, begun = threading.Event(), threading.Semaphore(0)

    def work() -> str:
        begun.release()
        end.wait(60)
        return "done"

    async def story() -> None:
        there = LongWork(LONG_WORK_EACH, most=3)
        under_way = [asyncio.ensure_future(there.run("ann", work)) for _ in range(LONG_WORK_EACH)]
        await asyncio.sleep(0)
        with pytest.raises(TooMany):
            await there.run("ann", work)
        under_way.append(asyncio.ensure_future(there.run("ben", work)))
        await asyncio.sleep(0)
        with pytest.raises(InfrastructureFault, match="too many wait"):
            await there.run("cid", work)
        for _ in range(3):
            await asyncio.to_thread(begun.acquire)
        under_way[0].cancel()  # its visitor has left; it goes on, and counts until it ends
        await asyncio.sleep(0)
        with pytest.raises(TooMany):
            await there.run("ann", work)
        end.set()
        assert await asyncio.gather(*under_way[1:]) == ["done"] * 2
        assert await there.run("ben", work) == "done"

    asyncio.run(story())


def test_on_ones_own_machine_long_work_is_not_limited(house: House) -> None:
    async def story() -> list[int]:
        return await asyncio.gather(*[house.long_work.run("local", partial(int, n)) for n in range(30)])

    assert asyncio.run(story()) == list(range(30))


def test_too_much_long_work_is_answered_with_a_time_to_wait(house: House) -> None:
    house.door = door(80, until=time.time() + 3600)
    house.long_work = LongWork(0)
    token = house.visitors.link(ALL)
    headers = {"origin": HERE}
    entered = ask(house, "POST", "/api/enter", json={"token": token}, headers=headers)
    cookie = {"cookie": entered.headers["set-cookie"].partition(";")[0]}
    for path in ("/api/models/turn", "/api/rooms/try"):
        wanted = {"model": "model:none", "protocol": "consultation", "seat": "patient"}
        refused: httpx.Response = ask(house, "POST", path, json=wanted, headers=headers | cookie)
        assert refused.status_code == 429, path
        assert refused.headers["retry-after"]
