"""A teacher's room: who may come in, what each may see, and what it keeps from them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from osler.store.rooms import Rooms
from osler.web.house import House
from osler.web.teach.codes import FLOOD_A_MINUTE, WRONG_A_MINUTE
from tests.web.teaching import CASE, Hall, hall

HOSTILE = '<img src=x onerror=alert(1)> \u202e=HYPERLINK("x")'


def tried(house: House, story: Callable[[Hall], Awaitable[None]]) -> None:
    async def told() -> None:
        async with hall(house) as found:
            await story(found)

    asyncio.run(told())


def test_a_room_is_open_within_three_clicks_and_its_link_leads_in(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens()
        assert room["open"]
        assert room["path"] == f"/join/{room['code'].replace('-', '')}"
        assert room["asks"] == ["practice", "teacher"]
        assert room["disclosure"]["hosts"] == []
        page = await learner.get(f"/join/{room['code'].lower()}")
        assert page["name"] == "Monday"
        assert page["joined"] is None
        assert "no language model" in page["disclosure"]["plays"]["patient"]
        joined = await learner.joins(room, "Ada", "teacher")
        assert joined["joined"]["uses"] == ["practice", "teacher"]
        sitting = await learner.sits(room)
        state = await learner.turn(sitting)
        assert (state["room"], f"/join/{state['door']}") == (room["id"], room["path"])
        assert await learner.sits(room) == sitting, "what is unfinished goes on"
        assert [line["learners"] for line in await teacher.get("/rooms")] == [1]

    tried(house, story)


def test_what_a_learner_reads_gives_no_case_away(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens()
        assert "infarction" in room["cases"][0]["real"]
        answer = await learner.ask("GET", f"/join/{room['code']}")
        joined = await learner.ask("POST", f"/join/{room['code']}", {"pseudonym": "Ada"})
        for text in (answer.text, joined.text):
            assert "infarction" not in text
            assert "cardiology" not in text

    tried(house, story)


def test_only_its_teacher_sees_a_room_and_a_learner_only_ones_own(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, other = await found.teacher(), await found.teacher()
        learner, neighbour = await found.stranger(), await found.stranger()
        room, elsewhere = await teacher.opens(), await teacher.opens(name="Tuesday")
        await learner.joins(room, "Ada", "teacher")
        await neighbour.joins(elsewhere, "Bo")
        sitting = await learner.sits(room)
        words = (f"/read/{sitting}", f"/show/{sitting}", f"/sheet/{sitting}")
        for path in ("", "/state", "/results", "/results.csv", "/contests", "/qr.svg", *words):
            await other.get(f"/rooms/{room['id']}{path}", 404)
            await learner.get(f"/rooms/{room['id']}{path}", 403)
        for path in words:
            await teacher.get(f"/rooms/{elsewhere['id']}{path}", 404)
        await neighbour.get(f"/sittings/{sitting}", 404)
        await neighbour.post(f"/rooms/{room['id']}/sittings", {"case": "c1"}, 404)
        await learner.post("/rooms", {"name": "Mine", "cases": [CASE]}, 403)
        await learner.get("/rooms", 403)
        assert [one["name"] for one in await other.get("/rooms")] == []

    tried(house, story)


def test_codes_are_not_guessed(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens()
        for _ in range(WRONG_A_MINUTE):
            await learner.get("/join/BBBBBB", 404)
        told = await learner.get("/join/BBBBBB", 429)
        assert "too many wrong codes" in told["what"]
        await learner.get(f"/join/{room['code']}")  # others at this address have the right one
        for _ in range(FLOOD_A_MINUTE - WRONG_A_MINUTE - 1):
            await learner.get("/join/BBBBBB", 429)
        told = await learner.get(f"/join/{room['code']}", 429)
        assert "too many wrong codes" in told["what"], "nobody can go on guessing"

    tried(house, story)


def test_the_same_words_for_every_wrong_address(house: House) -> None:
    async def story(found: Hall) -> None:
        learner = await found.stranger()
        told = [
            await learner.get(f"/join/{code}", 404) for code in ("BBBBBB", "AAAAAA", "B", "..B", "B" * 500)
        ]
        assert all(one == told[0] for one in told)

    tried(house, story)


@pytest.mark.parametrize("change", [{"closed": 1.0}, {"expires": 1.0}])
def test_a_room_that_is_closed_or_over_lets_nobody_sit_down(house: House, change: dict[str, Any]) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens()
        await learner.joins(room, "Ada")
        Rooms(house.store).change(room["id"], **change)
        assert not (await learner.get(f"/join/{room['code']}"))["open"]
        told = await learner.post(f"/rooms/{room['id']}/sittings", {"case": "c1"}, 400)
        assert "closed" in told["what"]
        await learner.post(f"/join/{room['code']}", {"pseudonym": "Bo"}, 400)
        await teacher.patch(f"/rooms/{room['id']}", {"open": True, "hours": 1})
        await learner.sits(room)

    tried(house, story)


def test_hostile_names_stay_text_and_are_no_formula(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens(name=HOSTILE)
        assert "\u202e" not in room["name"]
        await learner.joins(room, "=cmd|' /C calc'!A0", "teacher")
        await learner.sits(room)
        state = await teacher.get(f"/rooms/{room['id']}/state")
        assert state["learners"][0]["pseudonym"] == "=cmd|' /C calc'!A0"
        table = await teacher.ask("GET", f"/rooms/{room['id']}/results.csv")
        assert table.headers["content-type"].startswith("text/csv")
        assert "\"'=cmd|' /C calc'!A0\"" in table.text
        assert '"=cmd' not in table.text
        assert "<" not in table.headers["content-disposition"]
        await learner.post(f"/join/{room['code']}", {"pseudonym": "\u202e \u200b"}, 400)

    tried(house, story)


def test_a_teacher_sees_what_a_learner_permits_and_no_more(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher = await found.teacher()
        open_one, shy = await found.stranger(), await found.stranger()
        room = await teacher.opens(asks=["teacher", "share"], share_until=4e9)
        await open_one.joins(room, "Ada", "teacher", "share")
        await shy.joins(room, "Bo")
        for learner in (open_one, shy):
            sitting = await learner.sits(room)
            await learner.moves(sitting, action="ASK", question="What canary brings you here?")
            await learner.concludes(sitting)
        state = await teacher.get(f"/rooms/{room['id']}/state")
        ada, bo = state["learners"]
        assert [one["status"] for one in (*ada["sittings"], *bo["sittings"])] == ["ended", "ended"]
        assert ada["sittings"][0]["marks"]
        assert bo["sittings"][0]["marks"] == []
        assert "does not share" in bo["sittings"][0]["hidden"]
        shown = await teacher.get(f"/rooms/{room['id']}/show/{ada['sittings'][0]['id']}")
        assert any("canary" in line["text"] for item in shown["log"] for line in item["lines"])
        results = await teacher.get(f"/rooms/{room['id']}/results")
        assert [row["pseudonym"] for row in results["rows"]] == ["Ada"]
        assert results["hidden"] == 1
        assert results["averages"][0]["n"] == 1
        for path in ("read", "show", "sheet"):
            await teacher.get(f"/rooms/{room['id']}/{path}/{bo['sittings'][0]['id']}", 403)
        await shy.joins(room, "Bo", "teacher")
        refused = await teacher.get(f"/rooms/{room['id']}/show/{bo['sittings'][0]['id']}", 403)
        assert "shown to others" in refused["what"]
        read = await teacher.get(f"/rooms/{room['id']}/read/{bo['sittings'][0]['id']}")
        assert read["unshared"] == refused["what"], "it is for the teacher's own eyes, and says why"
        state = await teacher.get(f"/rooms/{room['id']}/state")
        told = [one["sittings"][0] for one in state["learners"]]
        assert [(one["hidden"], one["unshared"]) for one in told] == [("", ""), ("", refused["what"])]
        await shy.joins(room, "Bo", "teacher", "share")
        await teacher.get(f"/rooms/{room['id']}/show/{bo['sittings'][0]['id']}")

    tried(house, story)


@pytest.mark.parametrize(
    ("sees", "live", "after"), [("live", 200, 200), ("after", 403, 200), ("results", 403, 403)]
)
def test_words_are_seen_live_afterwards_or_never_as_the_room_says(
    house: House, sees: str, live: int, after: int
) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens(sees=sees, asks=["teacher", "share"], share_until=4e9)
        await learner.joins(room, "Ada", "teacher", "share")
        sitting = await learner.sits(room)
        await learner.moves(sitting, action="ASK", question="What brings you here?")
        for path in ("read", "show"):
            await teacher.get(f"/rooms/{room['id']}/{path}/{sitting}", live)
        await learner.concludes(sitting)
        for path in ("read", "show"):
            await teacher.get(f"/rooms/{room['id']}/{path}/{sitting}", after)
        more = await teacher.patch(f"/rooms/{room['id']}", {"sees": "results"})
        assert more["sees"] == "results"
        await teacher.patch(f"/rooms/{room['id']}", {"sees": "after"}, 400)

    tried(house, story)


def test_a_teacher_holds_the_room_with_words_and_lets_it_go_on(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, ada, bo = await found.teacher(), await found.stranger(), await found.stranger()
        room = await teacher.opens()
        sittings = {}
        for learner, name in ((ada, "Ada"), (bo, "Bo")):
            await learner.joins(room, name, "teacher")
            sittings[name] = await learner.sits(room)
        before = await ada.moves(sittings["Ada"], action="ASK", question="Does it hurt?")
        state = await teacher.post(
            f"/rooms/{room['id']}/hold", {"sitting": sittings["Ada"], "words": "Look here"}
        )
        assert [one["sittings"][0]["status"] for one in state["learners"]] == ["paused", "yours"]
        held = await ada.turn(sittings["Ada"])
        assert (held["status"], held["pause"]["what"]) == ("paused", "Look here")
        assert (await bo.turn(sittings["Bo"]))["status"] == "yours"
        assert (await teacher.post(f"/rooms/{room['id']}/hold", {}))["held"]
        assert (await bo.turn(sittings["Bo"]))["status"] == "paused"
        third = await found.stranger()
        await third.post(f"/join/{room['code']}", {"pseudonym": "Cy"}, 400)
        await teacher.post(f"/rooms/{room['id']}/release", {})
        again = await ada.turn(sittings["Ada"])
        assert (again["status"], again["ticket"]) == ("yours", before["ticket"]), (
            "the same turn is asked again"
        )
        assert (await bo.turn(sittings["Bo"]))["status"] == "yours"

    tried(house, story)


def test_the_clock_of_a_station_gives_each_candidate_their_time_and_ends_it(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, ada, bo = await found.teacher(), await found.stranger(), await found.stranger()
        room = await teacher.opens(clock={"reading_s": 60, "minutes": 8, "bell_s": 120})
        for learner, name in ((ada, "Ada"), (bo, "Bo")):
            await learner.joins(room, name, "teacher")
        learners = (await teacher.get(f"/rooms/{room['id']}/state"))["learners"]
        await teacher.put(f"/rooms/{room['id']}/learners/{learners[1]['id']}/extra", {"per_cent": 25})
        spans = []
        for learner in (ada, bo):
            clock = (await learner.turn(await learner.sits(room)))["clock"]
            spans.append(round(clock["ends"] - clock["reading_ends"]))
            assert clock["bell"] == pytest.approx(clock["ends"] - 120)
        assert spans == [8 * 60, 10 * 60]
        sitting = await ada.sits(room)
        await teacher.put(f"/rooms/{room['id']}/learners/{learners[0]['id']}/extra", {"per_cent": 50})
        clock = (await ada.turn(sitting))["clock"]
        assert round(clock["ends"] - clock["reading_ends"]) == 12 * 60
        await teacher.put(f"/rooms/{room['id']}/learners/nobody/extra", {"per_cent": 50}, 400)

    tried(house, story)


def test_what_cannot_be_played_is_refused_in_words(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher = await found.teacher()
        wrong: list[tuple[dict[str, Any], str]] = [
            ({"cases": [{"case": "nothing"}]}, "no such case"),
            ({"cases": [{**CASE, "seat": "nurse"}]}, "no person sits"),
            ({"cases": [CASE], "players": {"patient": "person"}}, "played here"),
            ({"cases": [CASE], "players": {"patient": "model:nobody"}}, "nobody"),
            ({"cases": [CASE], "marks": ["dice"]}, "cannot mark"),
            ({"cases": [CASE], "asks": ["share"]}, "until a date"),
            ({"cases": [CASE], "name": "\u202e"}, "no name"),
        ]
        for plan, words in wrong:
            status = 403 if "person" in plan.get("players", {}).values() else 400
            told = await teacher.post("/rooms", {"name": "Monday", **plan}, status)
            assert words in told["what"], told
        assert await teacher.get("/rooms") == []

    tried(house, story)


def test_a_qr_code_holds_the_link_by_which_the_server_is_reached(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher = await found.teacher()
        room = await teacher.opens()
        drawn = await teacher.ask("GET", f"/rooms/{room['id']}/qr.svg")
        assert drawn.headers["content-type"] == "image/svg+xml"
        assert "<svg xmlns=" in drawn.text

    tried(house, story)


def test_extra_uses_are_only_what_the_room_asks_for(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        until = time.time() + 3600
        room = await teacher.opens(asks=["teacher", "share"], share_until=until)
        page = await learner.get(f"/join/{room['code']}")
        assert page["asks"] == ["practice", "teacher", "share"]
        assert page["share_until"] == until
        await learner.post(f"/join/{room['code']}", {"pseudonym": "Ada", "uses": ["training"]}, 400)
        joined = await learner.joins(room, "Ada")
        assert joined["joined"]["uses"] == ["practice"]

    tried(house, story)


def test_a_learner_sees_how_far_each_case_of_the_room_is(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens(cases=[CASE, CASE], marks=["person"])

        async def own() -> dict[str, Any]:
            page = await learner.get(f"/join/{room['code']}")
            return {
                case: (one["status"], one["marked_by"]) for case, one in page["joined"]["sittings"].items()
            }

        await learner.joins(room, "Ada", "teacher")
        assert await own() == {}
        sitting = await learner.sits(room, "c2")
        assert await own() == {"c2": ("going_on", [])}
        await teacher.post(f"/rooms/{room['id']}/hold", {"sitting": sitting})
        assert await own() == {"c2": ("stopped", [])}
        await teacher.post(f"/rooms/{room['id']}/release", {"sitting": sitting})
        await learner.concludes(sitting)
        assert await own() == {"c2": ("ended", [])}, "the room marks by a person alone"
        path = f"/rooms/{room['id']}/sheet/{sitting}"
        items = [{"id": one["id"], "met": True} for one in (await teacher.get(path))["items"]]
        await teacher.put(path, {"by": "Dr Lind", "items": items})
        assert await own() == {"c2": ("marked", ["Dr Lind"])}
        await learner.sits(room, "c2")
        assert (await own())["c2"] == ("going_on", []), "the latest one counts"

    tried(house, story)


def test_debriefs_wait_for_the_teacher_where_the_room_holds_them_back(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens(held_back=True)
        await learner.joins(room, "Ada", "teacher")
        sitting = await learner.sits(room)
        assert (await learner.turn(sitting))["withheld"] == ""
        await learner.concludes(sitting)
        waits = "your teacher releases the debriefs once everybody is done"
        assert (await learner.turn(sitting))["withheld"] == waits
        assert (await learner.get(f"/sittings/{sitting}/debrief", 403))["what"] == waits
        await learner.post(f"/sittings/{sitting}/again", {"keep": 0}, 403)
        await learner.post(f"/sittings/{sitting}/contests", {"item": "i1", "words": "I did"}, 403)
        assert (await learner.get(f"/join/{room['code']}"))["held_back"]

        await teacher.patch(f"/rooms/{room['id']}", {"held_back": False})
        assert (await learner.turn(sitting))["withheld"] == ""
        assert (await learner.get(f"/sittings/{sitting}/debrief"))["sections"]

    tried(house, story)


ROUND = {"protocol": "ward_round", "case": "cardiology-01"}


@pytest.mark.parametrize(("asked", "seat"), [("", "student_1"), ("tutor", "tutor")])
def test_learners_of_a_ward_round_are_students_unless_their_teacher_says_tutors(
    house: House, asked: str, seat: str
) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens(cases=[{**ROUND, "seat": asked}])
        page = await learner.get(f"/join/{room['code']}")
        assert [one["seat"] for one in page["cases"]] == [seat]
        assert seat.partition("_")[0] not in page["disclosure"]["plays"], "that seat is the learner's"
        assert page["disclosure"]["plays"]
        await learner.joins(room, "Ada", "teacher")
        sitting = await learner.sits(room)
        assert (await learner.turn(sitting))["seat"] == seat
        text = (await learner.ask("GET", f"/sittings/{sitting}")).text
        assert ("key_question" in text) is (seat == "tutor"), "the plan is for the tutor alone"
        assert ("infarction" in text) is (seat == "tutor")

    tried(house, story)


def test_the_shelf_offers_first_the_seat_that_a_room_gives_its_learners(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher = await found.teacher()
        first = {one["protocol"]: one["seats"][0] for one in (await teacher.get("/shelf"))["cases"]}
        assert first == {"consultation": "doctor", "scenario": "examinee", "ward_round": "student_1"}
        for protocol, case in (("consultation", "cardiology-01"), ("scenario", "st01"), (*ROUND.values(),)):
            room = await teacher.opens(cases=[{"protocol": protocol, "case": case}])
            assert room["cases"][0]["seat"] == first[protocol]

    tried(house, story)


CLOCK_SET = {"reading_s": 0, "minutes": 8, "bell_s": 60}


def test_a_station_with_a_clock_is_taken_once_unless_the_teacher_lets_one_begin_again(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, ada, bo = await found.teacher(), await found.stranger(), await found.stranger()
        room = await teacher.opens(cases=[CASE, CASE], clock=CLOCK_SET)
        begin, own = f"/rooms/{room['id']}/sittings", f"/join/{room['code']}"
        for learner, name in ((ada, "Ada"), (bo, "Bo")):
            await learner.joins(room, name, "teacher")
            sitting = await learner.sits(room)
            assert await learner.sits(room) == sitting, "what is unfinished goes on"
            state = await teacher.get(f"/rooms/{room['id']}/state")
            assert state["learners"][-1]["used_up"] == [], "it is not over yet"
            await learner.concludes(sitting)
            told = await learner.post(begin, {"case": "c1"}, 400)
            assert "taken once" in told["what"]
            assert "your teacher" in told["mend"]
            assert (await learner.get(own))["joined"]["used_up"] == ["c1"]
            again = await learner.get(f"/sittings/{sitting}/debrief")
            assert again["again"] == [], "nor from an earlier moment"
            await learner.post(f"/sittings/{sitting}/again", {"keep": 0}, 400)
            await learner.concludes(await learner.sits(room, "c2"))
        first, second = (await teacher.get(f"/rooms/{room['id']}/state"))["learners"]
        assert first["used_up"] == second["used_up"] == ["c1", "c2"]
        path = f"/rooms/{room['id']}/learners/{first['id']}/again"
        await ada.post(path, {"case": "c1"}, 403)
        await teacher.post(path, {"case": "c9"}, 400)
        await teacher.post(f"/rooms/{room['id']}/learners/nobody/again", {"case": "c1"}, 400)
        for _ in range(2):  # pressed twice, it is one more all the same
            state = await teacher.post(path, {"case": "c1"})
        assert [one["used_up"] for one in state["learners"]] == [["c2"], ["c1", "c2"]]
        await ada.concludes(await ada.sits(room))
        await ada.post(begin, {"case": "c1"}, 400)
        await bo.post(begin, {"case": "c1"}, 400)
        rows = (await teacher.get(f"/rooms/{room['id']}/results"))["rows"]
        assert [row["pseudonym"] for row in rows].count("Ada") == 3, "what was taken before stays"

    tried(house, story)


@pytest.mark.parametrize("clock", [None, CLOCK_SET])
def test_of_a_deleted_encounter_a_teacher_learns_that_it_was_deleted_and_no_more(
    house: House, clock: dict[str, int] | None
) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens(clock=clock)
        joined = await learner.joins(room, "Ada", "teacher")
        assert any("sees only that you deleted one" in sentence for sentence in joined["kept"])
        sitting = await learner.sits(room)
        (before,) = (await teacher.get(f"/rooms/{room['id']}/state"))["learners"]
        assert not before["deleted"]
        await learner.concludes(sitting)
        answer = await learner.ask("DELETE", f"/sittings/{sitting}")
        assert answer.status_code == 204, answer.text
        (after,) = (await teacher.get(f"/rooms/{room['id']}/state"))["learners"]
        assert (after["deleted"], after["sittings"]) == (True, [])
        assert after["used_up"] == (["c1"] if clock else []), "deleting is no way to sit a station twice"
        assert (await teacher.get(f"/rooms/{room['id']}/results"))["rows"] == []
        begin = f"/rooms/{room['id']}/sittings"
        await learner.post(begin, {"case": "c1"}, 400 if clock else 201)

    tried(house, story)


def test_what_is_sent_of_a_learner_who_keeps_to_themselves_is_what_the_learner_read(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        for asks in (["teacher"], []):
            room = await teacher.opens(asks=asks)
            joined = await learner.joins(room, "Ada")
            told = " ".join(joined["kept"])
            for words in ("your cases", "at work", "number of your turns", "no words and no marks"):
                assert words in told
            sitting = await learner.sits(room)
            await learner.moves(sitting, action="ASK", question="Does the canary hurt?")
            await learner.concludes(sitting)
            answer = await teacher.ask("GET", f"/rooms/{room['id']}/state")
            assert "canary" not in answer.text
            (seen,) = answer.json()["learners"][0]["sittings"]
            assert (seen["status"], seen["turns"]) == ("ended", 2)
            assert (seen["marks"], seen["minutes"], seen["contests"], seen["may_mark"]) == ([], 0, 0, False)

    tried(house, story)
