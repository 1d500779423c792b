"""What a second attacker met, tried again: work that was not counted, codes, rooms, cookies, streams."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import Any

import httpx
import pytest

from osler.web.house import House
from osler.web.limits import Streams
from osler.web.problems import TooMany
from osler.web.rights import ALL
from osler.web.teach.codes import FLOOD_A_MINUTE, MEMBERS_A_MINUTE, Guesser, Guesses
from osler.web.visitors import COOKIE, HOST_COOKIE
from tests.web.conftest import HERE
from tests.web.teaching import CASE, Hall, Person, hall


def told(house: House, story: Any) -> None:
    async def inside() -> None:
        async with hall(house) as people:
            await story(people)

    asyncio.run(inside())


async def joined(people: Hall, **plan: Any) -> tuple[Person, Person, dict[str, Any]]:
    teacher, learner = await people.teacher(), await people.stranger()
    room = await teacher.opens(**plan)
    await learner.joins(room, "Alma")
    return teacher, learner, room


def test_a_learner_has_two_debriefs_made_at_once_and_no_more(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, begun = threading.Event(), threading.Semaphore(0)

    def debriefing(*given: Any) -> Any:
        begun.release()
        assert go_on.wait(30)
        raise TooMany("made")

    async def story(people: Hall) -> None:
        _, learner, room = await joined(people)
        sitting = await learner.sits(room)
        await learner.concludes(sitting)
        monkeypatch.setattr("osler.web.practise.reception.debriefing", debriefing)
        asked = [asyncio.create_task(learner.ask("GET", f"/sittings/{sitting}/debrief")) for _ in range(2)]
        for _ in range(2):
            await asyncio.to_thread(begun.acquire)
        refused = await learner.ask("GET", f"/sittings/{sitting}/debrief")
        assert (refused.status_code, refused.json()["mend"]) == (429, "wait for the first answer")
        go_on.set()
        await asyncio.gather(*asked)

    told(house, story)


def test_many_visitors_of_one_address_guess_no_more_codes_together_than_one_class_mistypes() -> None:
    guesses = Guesses(lambda: 0.0)
    each = FLOOD_A_MINUTE - 1
    for n in range(0, MEMBERS_A_MINUTE, each):
        by = Guesser(f"visitor {n}", "members at 10.0.0.1")
        guesses.check(by)
        for _ in range(each):
            with suppress(TooMany):
                guesses.wrong(by)
    with pytest.raises(TooMany):
        guesses.check(Guesser("visitor new", "members at 10.0.0.1"))
    guesses.check(Guesser("visitor new", "members at 10.0.0.2"))
    guesses.check(Guesser("10.0.0.1"))


def test_nobody_fills_a_room_for_good(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("osler.web.teach.learners.MOST_LEARNERS", 2)

    async def story(people: Hall) -> None:
        teacher, learner, room = await joined(people)
        await learner.sits(room)
        for name in ("Idle", "Late"):
            await (await people.stranger()).joins(room, name)
        state = await teacher.get(f"/rooms/{room['id']}/state")
        assert [one["pseudonym"] for one in state["learners"]] == ["Alma", "Late"]

    told(house, story)


def test_no_other_cookie_holds_one_of_ours(house: House) -> None:
    async def story(people: Hall) -> None:
        victim, attacker = await people.teacher(), await people.teacher()
        secret, other = (one.client.cookies[COOKIE] for one in (victim, attacker))
        transport = victim.client._transport
        for line, rights in (
            (f"{HOST_COOKIE}={secret}; zz=1 {HOST_COOKIE}={other}", ALL),
            (f"zz=1 {HOST_COOKIE}={other}", ()),
            (f"{HOST_COOKIE}={secret}; {HOST_COOKIE}={other}", ()),
        ):
            async with httpx.AsyncClient(transport=_kept(transport), base_url=HERE) as client:
                me = await client.get("/api/me", headers={"cookie": line})
                assert me.json()["rights"] == sorted(rights), line

    told(house, story)


def _kept(transport: httpx.AsyncBaseTransport) -> httpx.AsyncBaseTransport:
    assert isinstance(transport, httpx.ASGITransport)
    return httpx.ASGITransport(app=transport.app)


def test_streams_count_for_the_visitor_and_for_the_address() -> None:
    streams = Streams()
    with streams.one_more("ann", "at 10.0.0.1"), streams.one_more("ben", "at 10.0.0.1"):
        assert (streams.of("ann"), streams.of("at 10.0.0.1"), streams.all) == (1, 2, 2)
    assert (streams.of("ann"), streams.of("at 10.0.0.1"), streams.all) == (0, 0, 0)


def test_leaving_a_room_opens_no_case_that_it_holds_back(house: House) -> None:
    async def story(people: Hall) -> None:
        _, learner, room = await joined(people, held_back=True)
        await learner.post("/sittings", CASE, 403)
        await learner.post(f"/rooms/{room['id']}/leave", None, 204)
        await learner.post("/sittings", CASE, 403)

    told(house, story)


def test_a_station_is_taken_once_also_by_who_leaves_and_comes_back(house: House) -> None:
    async def story(people: Hall) -> None:
        _, learner, room = await joined(people, clock={"minutes": 10, "reading_s": 0})
        await learner.concludes(await learner.sits(room))
        await learner.post(f"/rooms/{room['id']}/sittings", {"case": "c1"}, 400)
        await learner.post(f"/rooms/{room['id']}/leave", None, 204)
        await learner.joins(room, "Alma again")
        await learner.post(f"/rooms/{room['id']}/sittings", {"case": "c1"}, 400)

    told(house, story)
