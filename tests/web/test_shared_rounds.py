"""A round that several people share: seats, what each is told, leaving, assessing, the questionnaire."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

import pytest

from osler.protocols.ward_round.monologue import Thought, render_thought
from osler.store import practice
from osler.store.store import open_store
from osler.web.house import House
from tests.web.teaching import PATIENCE_S, Hall, Person, hall

SEATS: Final = ["tutor", "student_1", "student_2"]
GROUP: Final = {"students": 3, "seats": SEATS}
ANSWERED: Final = {"iq": 8, "ie": 7, "or": None}


class Member(Person):
    """A learner whose browser keeps everything that the server ever answered."""

    def __init__(self, person: Person, name: str) -> None:
        super().__init__(person.client)
        self.name, self.heard = name, list[str]()

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        answer = await super().ask(method, path, body)
        self.heard.append(answer.text)
        return answer


async def cases(teacher: Person) -> list[dict[str, str]]:
    shelf = await teacher.get("/shelf")
    return [
        {"case": one["id"], "protocol": "ward_round"}
        for one in shelf["cases"]
        if one["protocol"] == "ward_round"
    ]


async def opened(found: Hall, count: int = 1, **more: Any) -> tuple[Person, dict[str, Any]]:
    """A teacher with a room for a group."""
    teacher = await found.teacher()
    plan = {"cases": (await cases(teacher))[:count], "asks": ["practice", "teacher"], "group": GROUP}
    return teacher, await teacher.opens(**{**plan, **more})


async def joined(found: Hall, room: dict[str, Any], name: str, seat: str = "", group: int = 0) -> Member:
    """A learner who has joined, and chosen a seat if one is named."""
    member = Member(await found.stranger(), name)
    await member.joins(room, name, "teacher", *(["share"] if "share" in room["asks"] else []))
    if seat:
        await member.post(f"/rooms/{room['id']}/seat", {"seat": seat, "group": group})
    return member


async def own(member: Member, room: dict[str, Any]) -> str:
    """The member's own sitting in the latest round of the group."""
    groups = await member.get(f"/rooms/{room['id']}/groups")
    return str(groups["groups"][groups["mine"] - 1]["sitting"])


def reply(member: Member, state: dict[str, Any], round: int) -> dict[str, Any]:
    """A reply that is marked as this person's, in the words that only some may hear."""
    match state["wanted"]["act"]:
        case "exam":
            exam = next(e for e in reversed(state["feed"]) if e["event"] and e["event"]["kind"] == "exam")
            asked = exam["event"]["items"]
            return {"answers": {one["id"]: next(iter(one["options"] or {}), "unsure") for one in asked}}
        case "analyse":
            return {"analysis_for_teacher": f"thought-of-{member.name} in round {round}"}
        case "act":
            return {}
    view, secret = state["view"], f"secret-of-{member.name}"
    thought = Thought(
        history=secret,
        question=secret,
        students=tuple((name, secret) for name in view["students"]),
        group=secret,
        image=secret if view["images"] else None,
    )
    return {
        "internal_monologue": render_thought(thought),
        "guidance": "What would you look at next, and why?",
        "covered_steps": [],
    }


async def plays(member: Member, sitting: str, until: Callable[[dict[str, Any]], bool] | None = None) -> Any:
    """Reply whenever asked, until the round has ended or something else is so."""
    deadline, turn = time.monotonic() + PATIENCE_S, 0
    while True:
        state = await member.get(f"/sittings/{sitting}")
        if state["status"] in ("ended", "paused") or (until and until(state)):
            return state
        if state["status"] == "yours":
            turn += 1
            move = {"ticket": state["ticket"], "move": reply(member, state, turn)}
            answer = await member.ask("POST", f"/sittings/{sitting}/moves", move)
            while answer.status_code == 429:  # a browser waits, too
                await asyncio.sleep(0.5)
                answer = await member.ask("POST", f"/sittings/{sitting}/moves", move)
            assert answer.status_code == 202, answer.text
        assert time.monotonic() < deadline, state
        await asyncio.sleep(0.05)


def at_the_table(state: dict[str, Any]) -> bool:
    """Whether the first exam is over for this seat: it is asked for more, or waits for others."""
    return state["status"] == "thinking" or in_the_first_round(state)


def in_the_first_round(state: dict[str, Any]) -> bool:
    return bool(state["wanted"]) and state["wanted"]["act"] != "exam"


async def play_all(room: dict[str, Any], *members: Member) -> list[Any]:
    """Everybody plays the group's latest round to its end."""
    return list(await asyncio.gather(*[plays(one, await own(one, room)) for one in members]))


def run(story: Callable[[], Awaitable[Any]]) -> Any:
    return asyncio.run(story())  # type: ignore[arg-type]


def test_two_people_cannot_have_a_seat_and_neither_sees_the_others_sitting(house: House) -> None:
    async def story() -> None:
        async with hall(house) as found:
            teacher, room = await opened(found)
            at = f"/rooms/{room['id']}"
            ada, bo = await joined(found, room, "Ada", "student_1"), await joined(found, room, "Bo")
            taken = await bo.ask("POST", f"{at}/seat", {"seat": "student_1"})
            assert taken.status_code == 400, taken.text
            assert (await bo.ask("POST", f"{at}/seat", {"seat": "patient"})).status_code == 400
            chosen = await bo.post(f"{at}/seat", {"seat": "student_2"})
            assert [(one["seat"], one["who"], one["you"]) for one in chosen["groups"][0]["seats"]] == [
                ("tutor", "", False),
                ("student_1", "Ada", False),
                ("student_2", "Bo", True),
            ]
            assert not any(one["learner"] for one in chosen["groups"][0]["seats"])
            left = await bo.ask("DELETE", f"{at}/seat")
            assert left.json()["mine"] == 0
            await bo.post(f"{at}/seat", {})  # the first that is free
            state = await teacher.post(f"{at}/groups/1/begin", {})
            assert state["groups"][0]["status"] == "going_on"
            again = await teacher.ask("POST", f"{at}/groups/1/begin", {})
            assert again.status_code == 400
            assert (await bo.ask("DELETE", f"{at}/seat")).status_code == 400
            hers = await own(ada, room)
            state = await ada.turn(hers)
            for method, path, body in (
                ("GET", "", None),
                ("POST", "/moves", {"ticket": state["ticket"], "move": {"answers": {}}}),
                ("POST", "/hand-back", {}),
                ("GET", "/questions", None),
                ("DELETE", "", None),
            ):
                answer = await bo.ask(method, f"/sittings/{hers}{path}", body)
                assert answer.status_code == 404, (method, path, answer.text)
            assert hers not in "".join(bo.heard)

    run(story)


def test_a_round_by_three_people_tells_each_only_what_the_seat_is_told(house: House) -> None:
    async def story() -> None:
        async with hall(house) as found:
            teacher, room = await opened(found)
            tutor = await joined(found, room, "Tess", "tutor")
            ada = await joined(found, room, "Ada", "student_1")
            bo = await joined(found, room, "Bo", "student_2")  # the last seat: the round begins by itself
            eve = await joined(found, room, "Eve")
            states = await play_all(room, tutor, ada, bo)
            assert {state["status"] for state in states} == {"ended"}
            assert states[1]["disclosure"]["plays"]["student_1"] == "you"
            assert states[1]["disclosure"]["plays"]["student_2"] == "another person"
            for member in (tutor, ada, bo):
                await member.get(f"/sittings/{await own(member, room)}/debrief")
                await member.get(f"/rooms/{room['id']}/groups")
                await member.get(f"/join/{room['code']}")
            heard = {one.name: "".join(one.heard) for one in (tutor, ada, bo, eve)}
            assert "thought-of-Ada" in heard["Tess"]  # said to the teacher alone
            assert "thought-of-Ada" in heard["Ada"]
            assert "thought-of-Bo" in heard["Tess"]
            assert "thought-of-Ada" not in heard["Bo"] + heard["Eve"]
            assert "thought-of-Bo" not in heard["Ada"] + heard["Eve"]
            assert "secret-of-Tess" not in heard["Ada"] + heard["Bo"] + heard["Eve"]
            state = await teacher.get(f"/rooms/{room['id']}/state")
            assert state["groups"][0]["status"] == "over"

    run(story)


def test_each_debrief_is_of_the_seat_that_reads_it(house: House) -> None:
    async def story() -> None:
        async with hall(house) as found:
            _, room = await opened(found)
            people = [await joined(found, room, name, seat) for name, seat in zip("TAB", SEATS, strict=True)]
            await play_all(room, *people)
            tutor, ada, _ = [await one.get(f"/sittings/{await own(one, room)}/debrief") for one in people]
            assert "Your round" in [one["heading"] for one in tutor["sections"]]
            assert "Your round" not in [one["heading"] for one in ada["sections"]]
            assert not ada["again"]

    run(story)


def test_a_person_leaves_and_comes_back_on_another_device(house: House) -> None:
    async def story() -> None:
        async with hall(house) as found:
            _, room = await opened(found)
            people = [await joined(found, room, name, seat) for name, seat in zip("TAB", SEATS, strict=True)]
            ada = people[1]
            hers = await own(ada, room)
            state = await ada.turn(hers)
            await ada.post(f"/sittings/{hers}/leave", {}, 204)
            assert (await ada.turn(hers))["ticket"] == state["ticket"]
            phone = Member(await found.stranger(), "A")
            await phone.joins(room, "Somebody")
            back = await phone.post("/sittings/resume", {"code": state["code"]})
            assert back["id"] == hers
            groups = await phone.get(f"/rooms/{room['id']}/groups")
            assert groups["mine"] == 1
            assert groups["groups"][0]["sitting"] == hers
            assert (await ada.ask("GET", f"/sittings/{hers}")).status_code == 404
            people[1] = phone
            states = await play_all(room, *people)
            assert {one["status"] for one in states} == {"ended"}

    run(story)


@pytest.mark.parametrize("seat", ["student_1", "tutor"])
def test_a_seat_is_handed_back_and_the_others_go_on(house: House, seat: str) -> None:
    async def story() -> None:
        async with hall(house) as found:
            teacher, room = await opened(found)
            people = [await joined(found, room, name, one) for name, one in zip("TAB", SEATS, strict=True)]
            leaver = people.pop(SEATS.index(seat))
            his = await own(leaver, room)
            others = asyncio.gather(*[plays(one, await own(one, room)) for one in people])
            await plays(leaver, his, in_the_first_round)
            if seat == "tutor":
                await teacher.post(f"/rooms/{room['id']}/hand-back/{his}", {})
            else:
                await leaver.post(f"/sittings/{his}/hand-back", {}, 204)
            ended = await others
            assert {one["status"] for one in ended} == {"ended"}
            assert "has left this round" in ended[0]["changed"]
            his_now = await leaver.get(f"/sittings/{his}")
            assert his_now["status"] == "paused"
            assert "left to a built-in player" in his_now["pause"]["what"]
            await leaver.post(f"/sittings/{his}/hand-back", {}, 400)
            await leaver.get(f"/sittings/{his}/questions", 404)
            table = await teacher.get(f"/rooms/{room['id']}/answers")
            assert table["left"] == 1
            assert len(table["rows"]) == 2

    run(story)


def test_two_who_hand_back_at_once_leave_the_third_in_the_round(house: House) -> None:
    async def story() -> None:
        async with hall(house) as found:
            _, room = await opened(found)
            people = [await joined(found, room, name, one) for name, one in zip("TAB", SEATS, strict=True)]
            sittings = [await own(one, room) for one in people]
            there = list(zip(people, sittings, strict=True))
            await asyncio.gather(*[plays(one, sitting, at_the_table) for one, sitting in there])
            leavers = there[1:]
            answers = await asyncio.gather(
                *[one.ask("POST", f"/sittings/{sitting}/hand-back", {}) for one, sitting in leavers]
            )
            assert {answer.status_code for answer in answers} <= {204, 409}
            for (one, sitting), answer in zip(leavers, answers, strict=True):
                if answer.status_code == 409:
                    await one.post(f"/sittings/{sitting}/hand-back", {}, 204)
            assert (await plays(people[0], sittings[0]))["status"] == "ended"
            assert len({one.run for one in practice.sittings_in(house.store, room["id"])}) == 3

    run(story)


def test_the_last_person_cannot_hand_back(house: House) -> None:
    async def story() -> None:
        async with hall(house) as found:
            teacher, room = await opened(found)
            ada = await joined(found, room, "Ada", "student_1")
            await teacher.post(f"/rooms/{room['id']}/groups/1/begin", {})
            hers = await own(ada, room)
            await ada.post(f"/sittings/{hers}/hand-back", {}, 400)
            assert (await plays(ada, hers))["status"] == "ended"

    run(story)


def test_assessors_see_everything_and_nobody_else_does(house: House) -> None:
    async def story() -> None:
        async with hall(house) as found:
            teacher, room = await opened(found)
            at = f"/rooms/{room['id']}"
            people = [await joined(found, room, name, seat) for name, seat in zip("TAB", SEATS, strict=True)]
            eve = await joined(found, room, "Eve")
            state = await teacher.get(f"{at}/state")
            by_name = {one["pseudonym"]: one["id"] for one in state["learners"]}
            await eve.get(f"{at}/groups/1/assess", 403)
            await people[1].get(f"{at}/groups/1/assess", 403)
            await teacher.put(f"{at}/learners/{by_name['A']}/assesses", {"on": True}, 400)  # has a seat
            await teacher.put(f"{at}/learners/{by_name['Eve']}/assesses", {"on": True})
            assert (await eve.get(f"{at}/groups"))["assesses"]
            await play_all(room, *people)
            whole = await eve.get(f"{at}/groups/1/assess")
            assert whole["ended"]
            assert whole["seats"]["tutor"] == "T"
            assert "secret-of-T" in json.dumps(whole["log"])
            assert "thought-of-A" in json.dumps(whole["log"])
            hers = await own(people[1], room)
            assert (await teacher.get(f"{at}/assess/{hers}"))["log"] == whole["log"]
            await eve.get(f"{at}/groups/1/follow", 403)  # this room lets nobody follow
            await people[1].ask("PUT", f"/sittings/{hers}/permission", {"uses": ["practice"], "until": ""})
            await eve.get(f"{at}/groups/1/assess", 403)
            await teacher.get(f"{at}/assess/{hers}", 403)
            await teacher.put(f"{at}/learners/{by_name['Eve']}/assesses", {"on": False})
            assert not (await eve.get(f"{at}/groups"))["assesses"]

    run(story)


def test_those_who_follow_are_told_what_is_open(house: House) -> None:
    async def story() -> None:
        async with hall(house) as found:
            watched = {**GROUP, "watch": True}
            teacher = await found.teacher()
            await teacher.post(
                "/rooms", {"name": "x", "cases": (await cases(teacher))[:1], "group": watched}, 400
            )
            asks: dict[str, Any] = {"asks": ["practice", "teacher", "share"]}
            _, room = await opened(found, group=watched, share_until=time.time() + 3600, **asks)
            people = [await joined(found, room, name, seat) for name, seat in zip("TAB", SEATS, strict=True)]
            eve = await joined(found, room, "Eve")
            await play_all(room, *people)
            told = json.dumps(await eve.get(f"/rooms/{room['id']}/groups/1/follow"))
            assert "What would you look at next" in told
            assert "secret-of" not in told
            assert "thought-of" not in told

    run(story)


def test_the_questionnaire_becomes_a_table(house: House) -> None:
    async def story() -> None:
        async with hall(house) as found:
            teacher, room = await opened(found)
            people = [await joined(found, room, name, seat) for name, seat in zip("TAB", SEATS, strict=True)]
            tutor, ada, _ = people
            hers = await own(ada, room)
            early = await ada.ask("GET", f"/sittings/{hers}/questions")
            assert early.status_code == 409
            await play_all(room, *people)
            asked = await ada.get(f"/sittings/{hers}/questions")
            assert [one["id"] for one in asked["questions"]] == ["iq", "ie", "or"]
            assert {(one["least"], len(one["levels"])) for one in asked["questions"]} == {(1, 10)}
            for wrong in ({"iq": 11}, {"iq": 0}, {"beauty": 3}):
                await ada.put(f"/sittings/{hers}/questions", {"marks": wrong}, 400)
            given = {"marks": ANSWERED, "comment": "=1+1"}
            kept = await ada.put(f"/sittings/{hers}/questions", given)
            assert kept["answered"]
            assert [one["given"] for one in kept["questions"]] == [8, 7, None]
            await tutor.put(f"/sittings/{await own(tutor, room)}/questions", {"marks": {"iq": 1}})
            table = await teacher.get(f"/rooms/{room['id']}/answers")
            assert [(one["pseudonym"], one["answered"]) for one in table["rows"]] == [
                ("A", True),
                ("B", False),
                ("T", True),
            ]
            iq = next(one for one in table["tutors"] if one["item"] == "iq")
            assert (iq["of"], iq["value"], iq["n"], iq["unanswered"]) == ("person", 8, 1, 1)
            assert table["periods"][0]["of"] == "round 1"
            text = (await teacher.ask("GET", f"/rooms/{room['id']}/answers.csv")).text
            rows = list(csv.DictReader(io.StringIO(text.lstrip("\ufeff"))))
            first = next(row for row in rows if row["learner"] == "A")
            assert (first["iq"], first["ie"], first["or"], first["tutor"]) == ("8", "7", "", "person")
            assert first["comment"] == "'=1+1"

    run(story)


def test_groups_meet_each_tutor_once_in_the_order_of_the_square(house: House) -> None:
    async def story() -> None:
        async with hall(house) as found:
            tutors = ["lecturer", "silent"]
            plan = {"students": 1, "seats": ["student_1"], "groups": 2, "tutors": tutors}
            teacher, room = await opened(found, 2, group=plan)
            at = f"/rooms/{room['id']}"
            people = [await joined(found, room, name, "student_1", n) for n, name in enumerate("AB", 1)]
            state = await teacher.get(f"{at}/state")
            orders = [one["order"] for one in state["groups"]]
            assert sorted(orders) == [["lecturer", "silent"], ["silent", "lecturer"]]
            for round in (1, 2):
                if round > 1:
                    for group in (1, 2):
                        await teacher.post(f"{at}/groups/{group}/begin", {})
                for one in people:
                    sitting = await own(one, room)
                    assert (await plays(one, sitting))["status"] == "ended"
                    await one.put(f"/sittings/{sitting}/questions", {"marks": {"iq": 4 + round}})
            moved = await people[0].ask("POST", f"{at}/seat", {"group": 2, "seat": "student_1"})
            assert moved.status_code == 400
            table = await teacher.get(f"{at}/answers")
            met: dict[int, list[tuple[int, str, str]]] = {}
            for row in table["rows"]:
                met.setdefault(row["group"], []).append((row["period"], row["tutor"], row["title"]))
            for group, order in enumerate(orders, 1):
                assert [tutor for _, tutor, _ in sorted(met[group])] == order
                assert len({title for *_, title in met[group]}) == 2
            assert [(one["of"], one["value"]) for one in table["periods"] if one["item"] == "iq"] == [
                ("round 1", 5),
                ("round 2", 6),
            ]
            for one in people:  # blinded: no answer says which tutor it was
                assert not any('"tutor":"silent"' in text or "lecturer" in text for text in one.heard)
            full = await teacher.ask("POST", f"{at}/groups/1/begin", {})
            assert full.status_code == 400

    run(story)


def test_a_person_who_is_compared_sits_out_the_rounds_of_others(house: House) -> None:
    async def story() -> None:
        async with hall(house) as found:
            plan = {"students": 1, "seats": ["tutor", "student_1"], "tutors": ["person", "lecturer"]}
            teacher, room = await opened(found, 2, group=plan)
            at = f"/rooms/{room['id']}"
            state = await teacher.get(f"{at}/state")
            order = state["groups"][0]["order"]
            tess = await joined(found, room, "Tess", "tutor")
            ada = await joined(found, room, "Ada", "student_1")
            for number, tutor in enumerate(order, 1):
                if number > 1:
                    await teacher.post(f"{at}/groups/1/begin", {})
                assert bool(await own(tess, room)) == (tutor == "person")
                await play_all(room, *([tess, ada] if tutor == "person" else [ada]))
            table = await teacher.get(f"{at}/answers")
            assert [(one["tutor"], one["seat"]) for one in table["rows"]] == [
                (tutor, seat)
                for tutor in order
                for seat in (["student_1", "tutor"] if tutor == "person" else ["student_1"])
            ]

    run(story)


@pytest.mark.parametrize("left_before", [False, True])
def test_what_one_deletes_is_deleted_for_all_and_may_be_begun_anew(house: House, left_before: bool) -> None:
    async def story() -> None:
        async with hall(house) as found:
            teacher, room = await opened(found)
            people = [await joined(found, room, name, seat) for name, seat in zip("TAB", SEATS, strict=True)]
            _, ada, bo = people
            sittings = [await own(one, room) for one in people]
            there = zip(people, sittings, strict=True)
            await asyncio.gather(*[plays(one, sitting, at_the_table) for one, sitting in there])
            if left_before:
                await ada.post(f"/sittings/{sittings[1]}/hand-back", {}, 204)
                await plays(bo, sittings[2], at_the_table)
            deleted = await ada.ask("DELETE", f"/sittings/{sittings[1]}")
            assert deleted.status_code == 204, deleted.text
            for one, sitting in zip(people, sittings, strict=True):
                assert (await one.ask("GET", f"/sittings/{sitting}")).status_code == 410
            board = await teacher.post(f"/rooms/{room['id']}/groups/1/begin", {})
            assert board["groups"][0]["round"] == 1
            assert await own(ada, room) not in ("", sittings[1])

    run(story)


def test_a_server_that_was_killed_goes_on_where_everybody_was(tmp_path: Path, house: House) -> None:
    at = tmp_path / "osler.db"

    async def before() -> tuple[dict[str, Any], dict[str, Any], list[Any]]:
        async with hall(house) as found:
            _, room = await opened(found)
            people = [await joined(found, room, name, seat) for name, seat in zip("TAB", SEATS, strict=True)]
            stood = {}
            for one in people:
                sitting = await own(one, room)
                state = await plays(one, sitting, lambda state: state["wanted"] is None or state["turn"] > 1)
                stood[one.name] = (sitting, state["feed"])
            cookies = [dict(one.client.cookies) for one in people]
            # As after a crash: whatever still plays is dropped without a word.
            reception = house.rooms["practise"]
            for encounter in list(reception.sittings._playing.values()):
                encounter.sitting = None
            return room, stood, cookies

    room, stood, cookies = run(before)

    async def after(fresh: House) -> None:
        async with hall(fresh) as found:
            people = []
            for name, jar in zip("TAB", cookies, strict=True):
                member = Member(await found.stranger(), name)
                member.client.cookies.update(jar)
                people.append(member)
            for one in people:
                sitting, feed = stood[one.name]
                assert await own(one, room) == sitting
                state = await one.get(f"/sittings/{sitting}")
                assert state["feed"][: len(feed)] == feed
            ended = await play_all(room, *people)
            assert {one["status"] for one in ended} == {"ended"}
            (run_id,) = {one.run for one in practice.sittings_in(fresh.store, room["id"])}
            assert set(fresh.store.done(run_id)) == {0}

    with open_store(at) as store:
        run(lambda: after(House(store, _sources=house._sources)))


def test_two_who_take_the_last_seats_at_one_time_begin_one_round(house: House) -> None:
    async def story() -> None:
        async with hall(house) as found:
            _, room = await opened(found)
            people = [await joined(found, room, name) for name in ("Heron", "Wren", "Robin")]
            seated = zip(people, SEATS, strict=True)
            answers = await asyncio.gather(
                *[
                    one.ask("POST", f"/rooms/{room['id']}/seat", {"seat": seat, "group": 1})
                    for one, seat in seated
                ]
            )
            assert [answer.status_code for answer in answers] == [200, 200, 200]
            assert len({await own(one, room) for one in people}) == 3
            assert len({one.run for one in practice.sittings_in(house.store, room["id"])}) == 1

    run(story)
