"""Taking back: open streams end with the permission, deletion leaves nothing, and a learner leaves a room."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import httpx
import pytest
import sqlalchemy as sa

from osler.runs import branching
from osler.store import practice
from osler.store.practice import PersonSitting
from osler.store.schema import permissions, room_members
from osler.web.house import House
from osler.web.rights import STRANGER, Right, Visitor
from osler.web.watch import stream as streaming
from osler.web.watch.hub import Signals, hub_of
from tests.web.conftest import calling, serving
from tests.web.teaching import CASE, Hall, Person
from tests.web.test_rights import everything
from tests.web.test_shared_rounds import joined, opened, own
from tests.web.test_stream import Said, _messages
from tests.web.test_whose_marks import UNTIL, run_of, tried

SHARED = {"uses": ["share"], "until": UNTIL}
KEPT: dict[str, Any] = {"uses": [], "until": ""}
WORD = "marmoset"
ENDS = [("reset", True), ("end", False)]
"""The last frames of a stream of one topic that was taken back: its event, and whether it names the topic."""


class Browser(httpx.Client):
    """Somebody's browser at a real server, let in by a link."""

    def __init__(self, house: House, address: str, *rights: Right) -> None:
        super().__init__(base_url=address, headers={"origin": address}, timeout=20)
        self._token = house.visitors.link(rights)

    def __enter__(self) -> Self:
        opened = super().__enter__()
        opened.done("POST", "/enter", {"token": self._token})
        return opened

    def done(self, method: str, path: str, body: Any = None) -> Any:
        answer = self.request(method, f"/api{path}", json=body)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def asks(self, sitting: str, question: str = "How are you?") -> None:
        """Take a turn, and wait for the next."""
        state = self.turn(sitting)
        move = {"ticket": state["ticket"], "move": {"action": "ASK", "question": question}}
        self.done("POST", f"/sittings/{sitting}/moves", move)
        self.turn(sitting)

    def turn(self, sitting: str) -> Any:
        deadline = time.monotonic() + 60
        while (state := self.done("GET", f"/sittings/{sitting}"))["status"] != "yours":
            assert time.monotonic() < deadline, state
        return state

    @contextmanager
    def follows(self, *topics: str, silences: int = 0) -> Iterator[Iterator[Said]]:
        """The messages of a stream, until it ends or has been silent so often."""
        with self.stream("GET", "/api/stream", params={"topics": ",".join(topics)}) as answer:
            assert answer.status_code == 200
            yield _messages(until_silent(answer.iter_lines(), silences))


def until_silent(lines: Iterator[str], silences: int) -> Iterator[str]:
    for line in lines:
        silences -= line == ": nothing new"
        if silences < 0:
            return
        yield line


def ends(messages: Iterator[Said], topic: str) -> bool:
    """Whether a stream of one topic ends without another word of it: at most what was said before was on its
    way."""
    frames = list(messages)
    assert WORD not in str(frames)
    return [(one.get("event"), topic in one["data"]) for one in frames[-2:]] == ENDS


@pytest.mark.parametrize("kind", ["episode", "run"])
def test_an_open_stream_ends_when_the_person_takes_the_permission_back(shared: House, kind: str) -> None:
    with (
        serving(shared) as address,
        Browser(shared, address, "learn") as learner,
        Browser(shared, address, "watch") as watcher,
    ):
        id_ = learner.done("POST", "/sittings", {"case": CASE["case"]})["id"]
        learner.turn(id_)
        learner.done("PUT", f"/sittings/{id_}/permission", SHARED)
        run = shared.store.info(taken_of(shared, id_).run).name
        topic = f"run:{run}" if kind == "run" else f"episode:{run}:0:doctor"
        with watcher.follows(topic) as messages:
            if kind == "episode":
                learner.asks(id_)
                assert next(messages).data["items"], "as long as it is permitted"
            learner.done("PUT", f"/sittings/{id_}/permission", KEPT)
            learner.asks(id_, f"Does a {WORD} live with you?")
            assert ends(messages, topic)
        refused = watcher.get("/api/stream", params={"topics": topic})
        assert (refused.status_code, refused.json()["what"]) == (404, "there is no such run here")


def taken_of(house: House, sitting: str) -> PersonSitting:
    taken = practice.sitting(house.store, sitting)
    assert taken is not None
    return taken


def test_an_open_stream_ends_when_its_encounter_is_deleted_or_permitted_no_longer(
    shared: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "SILENCE_S", 0.05)
    with (
        serving(shared) as address,
        Browser(shared, address, "learn") as learner,
        Browser(shared, address, "watch") as watcher,
    ):
        for expires in (True, False):
            id_ = learner.done("POST", "/sittings", {"case": CASE["case"]})["id"]
            learner.turn(id_)
            learner.done("PUT", f"/sittings/{id_}/permission", SHARED)
            taken = taken_of(shared, id_)
            topic = f"episode:{shared.store.info(taken.run).name}:0:doctor"
            with watcher.follows(topic, silences=200) as messages:
                if expires:
                    over = sa.update(permissions).values(expires=time.time() - 1)
                    with shared.store.writing() as connection:
                        connection.execute(over.where(permissions.c.run == taken.run))
                else:
                    learner.done("DELETE", f"/sittings/{id_}")
                assert ends(messages, topic)


def test_an_open_stream_ends_when_a_learner_joins_again_and_shares_no_more(shared: House) -> None:
    with (
        serving(shared) as address,
        Browser(shared, address, "teach", "watch") as teacher,
        Browser(shared, address, "learn") as learner,
    ):
        plan = {"name": "Monday", "cases": [CASE], "asks": ["practice", "share"], "hours": 1}
        room = teacher.done("POST", "/rooms", {**plan, "share_until": time.time() + 3600})
        learner.done("POST", f"/join/{room['code']}", {"pseudonym": "Alma", "uses": ["share"]})
        id_ = learner.done("POST", f"/rooms/{room['id']}/sittings", {"case": "c1"})["sitting"]
        learner.turn(id_)
        topic = f"episode:{shared.store.info(taken_of(shared, id_).run).name}:0:doctor"
        with teacher.follows(topic) as messages:
            learner.done("POST", f"/join/{room['code']}", {"pseudonym": "Alma", "uses": []})
            assert ends(messages, topic)


def test_an_open_stream_ends_when_the_visitor_s_rights_do(
    shared: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = hub_of(shared)
    Signals(hub, "note", lambda visitor, name: visitor.may("watch"))
    with serving(shared) as address, Browser(shared, address, "watch") as watcher:
        with watcher.follows("note:1") as messages:
            hub.changed("note:1")
            assert next(messages).data["topic"] == "note:1"
            asked: list[Visitor] = []

            def revoked(asking: Visitor) -> Visitor:
                asked.append(asking)
                return STRANGER

            monkeypatch.setattr(shared.visitors, "now", revoked)
            hub.changed("note:1")
            assert ends(messages, "note:1")
        assert {one.rights for one in asked} == {frozenset({"watch"})}


def test_deleting_an_encounter_takes_what_was_begun_from_it_along(house: House) -> None:
    async def story(found: Hall) -> None:
        learner = await found.let_in("learn")
        first = (await learner.post("/sittings", {"case": CASE["case"]}, 201))["id"]
        await learner.moves(first, action="ASK", question=f"Is a {WORD} involved?")
        await learner.concludes(first)
        second = (await learner.post(f"/sittings/{first}/again", {"keep": 1}, 201))["id"]
        await learner.concludes(second)
        third = (await learner.post(f"/sittings/{second}/again", {"keep": 2}, 201))["id"]
        for open_ in (second, third):
            await learner.turn(open_)
        hub = hub_of(house)
        before = {one: hub.count(f"sitting:{one}") for one in (first, second, third)}
        assert (await learner.ask("DELETE", f"/sittings/{first}")).status_code == 204
        for one in (first, second, third):
            assert (await learner.get(f"/sittings/{one}", 410))["what"].startswith("its words and marks")
            assert hub.count(f"sitting:{one}") > before[one], "whoever looks at it is told"
        shelf = await learner.get("/shelf")
        assert (shelf["going_on"], shelf["ended"]) == ([], [])
        assert WORD not in str(everything(house.store))

    tried(house, story)


def test_nothing_is_deleted_while_a_program_plays_on_and_no_machine_is_named(house: House) -> None:
    async def story(found: Hall) -> None:
        learner = await found.let_in("learn")
        sitting = (await learner.post("/sittings", {"case": CASE["case"]}, 201))["id"]
        await learner.concludes(sitting)
        again = (await learner.post(f"/sittings/{sitting}/again", {"keep": 0}, 201))["id"]
        await learner.turn(again)
        store = house.store
        run = run_of(found, sitting)
        seats = {"doctor": "always-conclude"}
        made = await asyncio.to_thread(branching.branch, store, run.id, 0, 1, seats=seats)
        branch = branching.begin(made, store, made.config)
        with store.claims(branch.id):
            refused = await learner.ask("DELETE", f"/sittings/{sitting}")
            assert refused.status_code == 409
            assert refused.json()["what"] == "a program plays on from it at this moment"
        assert (await learner.get(f"/sittings/{sitting}/debrief"))["sections"]
        assert (await learner.turn(again))["status"] == "yours"
        assert (await learner.ask("DELETE", f"/sittings/{sitting}")).status_code == 204

    tried(house, story)


def test_of_a_deleted_encounter_no_figure_is_left_at_once(house: House) -> None:
    async def told() -> None:
        async with calling(house) as client:
            client.headers["origin"] = str(client.base_url)
            learner = Person(client)
            sitting = (await learner.post("/sittings", {"case": CASE["case"]}, 201))["id"]
            await learner.concludes(sitting)
            run = house.store.info(taken_of(house, sitting).run).name

            async def figures() -> list[Any]:
                found = (await learner.get(f"/runs/{run}/figures"))["measures"]
                facets = await learner.get(f"/runs/{run}/facets")
                return [*(one["value"] for one in found if one["value"] is not None), *facets["scores"]]

            assert await figures()
            assert (await learner.ask("DELETE", f"/sittings/{sitting}")).status_code == 204
            assert await figures() == []
            kept = (one for one in house.rooms.values() if hasattr(one, "_held"))
            assert all(not one._held for one in kept)

    asyncio.run(told())


def test_a_learner_leaves_a_room_and_takes_along_what_is_theirs(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens(cases=[CASE, {"case": "cardiology-02"}])
        of = f"/rooms/{room['id']}"
        await learner.joins(room, "Alma", "teacher")
        sitting, deleted = await learner.sits(room), await learner.sits(room, "c2")
        await learner.concludes(sitting)
        assert (await learner.ask("DELETE", f"/sittings/{deleted}")).status_code == 204
        (member,) = (await teacher.get(f"{of}/state"))["learners"]
        await (await found.let_in("learn")).post(f"{of}/leave", {}, 404)
        await learner.post(f"{of}/leave", {}, 204)

        state = await teacher.get(f"{of}/state")
        assert (state["learners"], state["left"]) == ([], 1)
        assert [one["learners"] for one in await teacher.get("/rooms")] == [0]
        await teacher.get(f"{of}/read/{sitting}", 404)
        await teacher.put(f"{of}/learners/{member['id']}/extra", {"per_cent": 25}, 400)
        results = await teacher.get(f"{of}/results")
        assert (results["rows"], results["hidden"]) == ([], 0)
        with house.store.connected() as connection:
            (row,) = connection.execute(sa.select(room_members)).all()
        assert (row.pseudonym, row.uses, row.deleted) == ("", "", 1)

        assert (await learner.get(f"/join/{room['code']}"))["joined"] is None
        assert (await learner.get(f"/sittings/{sitting}/debrief"))["sections"], "it stays their own"
        await learner.post(f"{of}/leave", {}, 404)
        assert (await learner.ask("DELETE", f"/sittings/{sitting}")).status_code == 204
        assert "Alma" not in str(everything(house.store))

        await learner.joins(room, "Bea")
        state = await teacher.get(f"{of}/state")
        assert ([one["pseudonym"] for one in state["learners"]], state["left"]) == (["Bea"], 0)

    tried(house, story)


def test_a_teacher_removes_a_learner_who_keeps_what_is_theirs(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens()
        of = f"/rooms/{room['id']}"
        await learner.joins(room, "Alma", "teacher")
        sitting = await learner.sits(room)
        await learner.concludes(sitting)
        (member,) = (await teacher.get(f"{of}/state"))["learners"]
        removed = await teacher.ask("DELETE", f"{of}/learners/{member['id']}")
        assert (removed.json()["learners"], removed.json()["left"]) == ([], 1)
        assert (await teacher.ask("DELETE", f"{of}/learners/{member['id']}")).status_code == 400
        assert (await learner.get(f"/join/{room['code']}"))["joined"] is None
        assert (await learner.get(f"/sittings/{sitting}/debrief"))["sections"], "it stays their own"

    tried(house, story)


def test_a_learner_leaves_no_round_that_goes_on(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, room = await opened(found)
        of = f"/rooms/{room['id']}"
        members = [await joined(found, room, name, seat) for name, seat in (("Ada", "tutor"), ("Ben", ""))]
        await members[1].post(f"{of}/leave", {}, 204)  # who has no seat may go
        ben = await joined(found, room, "Ben", "student_1")
        await joined(found, room, "Cleo", "student_2")
        refused = await ben.post(f"{of}/leave", {}, 400)
        assert refused["what"] == "you sit in a round that goes on"
        await ben.post(f"/sittings/{await own(ben, room)}/hand-back", {}, 204)
        await ben.post(f"{of}/leave", {}, 204)
        groups = (await teacher.get(f"{of}/state"))["groups"]
        assert "Ben" not in str(groups)
        assert [one["learner"] != "" for one in groups[0]["seats"]] == [True, False, True]

    tried(house, story)
