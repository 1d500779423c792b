"""A teacher's marks: answers to what is contested, a sheet by a person, marks by a model."""

from __future__ import annotations

import asyncio
import csv
import io
import re
from collections.abc import Awaitable, Callable
from math import floor
from pathlib import Path
from typing import Any

import pytest

from osler.runs.seating import ModelOptions
from osler.store import practice
from osler.store.store import Store
from osler.testing.endpoint import FakeEndpoint
from osler.web.house import House
from osler.web.practise.clocks import CLOCK
from osler.web.teach.judging import ModelMarks
from tests.web.teaching import Hall, Person, hall

STATION = {"protocol": "scenario", "case": "st01"}


def tried(house: House, story: Callable[[Hall], Awaitable[None]]) -> None:
    async def told() -> None:
        async with hall(house) as found:
            await story(found)

    asyncio.run(told())


async def played(found: Hall, **more: Any) -> tuple[Person, Person, dict[str, Any], str]:
    """A teacher, a learner who permits the teacher, their room, and the learner's ended sitting."""
    teacher, learner = await found.teacher(), await found.stranger()
    room = await teacher.opens(**more)
    await learner.joins(room, "Ada", "teacher")
    sitting = await learner.sits(room)
    if room["cases"][0]["protocol"] == "consultation":
        await learner.concludes(sitting)
    else:
        await learner.moves(sitting, speak="Hello, I am Dr Morgan. May I examine you?", actions=[], eos=False)
        over = dict.fromkeys(("reading_ends", "bell", "ends"), 0.0)
        practice.change(found.house.store, sitting, more={CLOCK: over})
        while (await learner.turn(sitting))["status"] != "ended":
            pass
    return teacher, learner, room, sitting


async def missed(learner: Person, sitting: str) -> str:
    """The id of an item of the debriefing that can be contested."""
    found = await learner.get(f"/sittings/{sitting}/debrief")
    parts = [part for part in found["sections"] if part["kind"] == "missed"]
    return next(str(one["item"]) for part in parts for one in part["entries"] if one["item"])


def test_what_a_teacher_accepts_makes_a_second_figure_and_changes_no_verdict(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner, room, sitting = await played(found)
        before = (await teacher.get(f"/rooms/{room['id']}/results"))["rows"][0]
        assert before["second"] == []
        item = await missed(learner, sitting)
        await learner.post(f"/sittings/{sitting}/contests", {"item": item, "words": "<b>I did</b>"}, 204)
        assert (await teacher.get(f"/rooms/{room['id']}/state"))["waiting"] == 1
        (question,) = await teacher.get(f"/rooms/{room['id']}/contests")
        assert (question["pseudonym"], question["answer"]) == ("Ada", "")
        given = {"sitting": sitting, "item": item, "answer": "accept", "comment": "Yes", "by": "Dr Lind"}
        answered = await teacher.post(f"/rooms/{room['id']}/contests", given)
        assert (answered["answer"], answered["by"]) == ("accept", "Dr Lind")
        nameless = await teacher.post(f"/rooms/{room['id']}/contests", {**given, "by": " "})
        assert nameless["by"] == "your teacher"
        await teacher.post(f"/rooms/{room['id']}/contests", given)
        after = (await teacher.get(f"/rooms/{room['id']}/results"))["rows"][0]
        assert after["marks"] == before["marks"]
        (first, second) = after["second"]
        assert first["by"] == "rules"
        assert first["name"] == second["name"]
        assert second["value"] > first["value"]
        debrief = await learner.get(f"/sittings/{sitting}/debrief")
        contested = [one["contested"] for part in debrief["sections"] for one in part["entries"]]
        (one,) = filter(None, contested)
        assert (one["answer"], one["comment"], one["by"]) == ("accept", "Yes", "Dr Lind")
        await teacher.post(f"/rooms/{room['id']}/contests", {**given, "item": "nothing"}, 400)

    tried(house, story)


def test_nothing_is_contested_where_the_teacher_is_not_permitted(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner, room, sitting = await played(found)
        item = await missed(learner, sitting)
        await learner.post(f"/sittings/{sitting}/contests", {"item": item, "words": "I did"}, 204)
        await learner.joins(room, "Ada")
        assert await teacher.get(f"/rooms/{room['id']}/contests") == []
        given = {"sitting": sitting, "item": item, "answer": "accept", "by": "Dr Lind"}
        await teacher.post(f"/rooms/{room['id']}/contests", given, 403)
        assert (await teacher.get(f"/rooms/{room['id']}/state"))["waiting"] == 0

    tried(house, story)


def test_a_person_marks_with_the_sheet_under_a_name_of_their_own(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner, room, sitting = await played(found, marks=["person"])
        path = f"/rooms/{room['id']}/sheet/{sitting}"
        sheet = await teacher.get(f"{path}?by=Dr%20Lind")
        assert sheet["score"] is None
        assert sheet["log"]
        assert any(item["critical"] for item in sheet["items"])
        told = await teacher.put(path, {"by": "Dr Lind", "items": []}, 400)
        assert "no item is marked" in told["what"]
        unmarked = [{"id": one["id"], "met": None, "comment": "?"} for one in sheet["items"]]
        await teacher.put(path, {"by": "Dr Lind", "items": unmarked}, 400)
        state = await teacher.get(f"/rooms/{room['id']}/state")
        (seen,) = state["learners"][0]["sittings"]
        assert (seen["may_mark"], seen["marks"]) == (True, []), "marked first by a person"
        first = [{"id": sheet["items"][0]["id"], "met": True, "comment": "well put"}]
        kept = await teacher.put(path, {"by": "Dr Lind", "items": first})
        assert kept["score"]["value"] is None
        assert "1 of" in kept["score"]["why"], "an open item leaves the sheet unscored"
        half = len(sheet["items"]) // 2
        all_of_them = [{"id": one["id"], "met": at < half} for at, one in enumerate(sheet["items"])]
        kept = await teacher.put(path, {"by": "Dr Lind", "items": all_of_them})
        assert kept["score"]["value"] == half / len(all_of_them)
        assert (await teacher.get(f"{path}?by=Another"))["score"] is None
        debrief = await learner.get(f"/sittings/{sitting}/debrief")
        shown = {
            part["heading"]: part["entries"] for part in debrief["sections"] if "Dr Lind" in part["heading"]
        }
        assert shown["Marked by Dr Lind"][0]["text"] == f"{half} of {len(all_of_them)} items met."
        assert len(shown["Dr Lind: met"]) == half
        assert len(shown["Dr Lind: not met"]) == len(all_of_them) - half
        taken = practice.sitting(house.store, sitting)
        assert taken
        graders = {one.grader for one in house.store.record(taken.run, taken.ordinal)[2]}
        assert graders == {"baseline", "person:sheet:Dr Lind"}, "beside the examiner by rule"
        marks = (await teacher.get(f"/rooms/{room['id']}/results"))["rows"][0]["marks"]
        assert [mark["by"] for mark in marks] == ["Dr Lind"], "the room is set up without marks by rule"
        await teacher.put(path, {"by": "Dr Lind", "items": [{"id": "nothing", "met": True}]}, 400)
        await teacher.put(path, {"by": "\u200b", "items": []}, 400)

    tried(house, story)


def test_a_person_marks_blind_and_sees_the_rules_verdict_once_ones_own_is_kept(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, _, room, sitting = await played(found, cases=[STATION], marks=["rules", "person"])
        path = f"/rooms/{room['id']}/sheet/{sitting}"
        blind = await teacher.get(f"{path}?by=Lind")
        assert {one["rules"] for one in blind["items"]} == {""}
        first, second, *_ = blind["items"]
        kept = await teacher.put(path, {"by": "Lind", "items": [{"id": first["id"], "met": True}]})
        told = {one["id"]: one["rules"] for one in kept["items"]}
        assert told[first["id"]]
        assert told[second["id"]] == "", "what is still open is marked blind"
        assert {one["rules"] for one in (await teacher.get(f"{path}?by=Another"))["items"]} == {""}
        everything = [{"id": one["id"], "met": True} for one in blind["items"]]
        kept = await teacher.put(path, {"by": "Lind", "items": everything})
        assert {one["rules"] for one in kept["items"]} >= {"could not tell"}

    tried(house, story)


def test_a_figure_over_all_is_a_range_as_that_of_a_sitting_is(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, *_, room, _ = await played(found, cases=[STATION])
        results = await teacher.get(f"/rooms/{room['id']}/results")
        marks = {one["name"]: one for one in results["rows"][0]["marks"]}
        for name in ("net", "completion_macro", "completion_micro"):
            assert marks[name]["most"] > marks[name]["value"], "every figure by these rules is a range"
        for one in results["averages"]:
            for end in ("value", "most"):
                assert one[end] == pytest.approx(marks[one["name"]][end], abs=1e-5)
            assert one["n"] + one["unscored"] == 1

    tried(house, story)


def test_a_teacher_and_a_learner_read_the_same_figure_in_the_same_words(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner, room, sitting = await played(found, cases=[STATION])
        mark = (await teacher.get(f"/rooms/{room['id']}/results"))["rows"][0]["marks"][0]
        ends = [f"{floor(100 * mark[end] + 0.5)}\u00a0%" for end in ("value", "most")]
        debrief = await learner.get(f"/sittings/{sitting}/debrief")
        (score,) = (part for part in debrief["sections"] if part["kind"] == "score")
        assert score["entries"][0]["text"] == f"{mark['words']}: {ends[0]} to {ends[1]}: {mark['why']}"
        open_items, items = re.findall(r"\d+", mark["why"])
        assert mark["why"] == f"{open_items} of {items} items could not be told by rules"
        assert f"of {items} items were seen" in debrief["sentence"]
        assert f"; {open_items} could not be told by rules" in debrief["sentence"]

    tried(house, story)


def test_a_student_is_not_marked_for_how_the_built_in_tutor_taught(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens(cases=[{"protocol": "ward_round", "case": "cardiology-01"}])
        await learner.joins(room, "Ada", "teacher")
        sitting = await learner.sits(room)
        over = dict.fromkeys(("reading_ends", "bell", "ends"), 0.0)
        practice.change(found.house.store, sitting, more={CLOCK: over})
        while (await learner.turn(sitting))["status"] != "ended":
            pass
        results = await teacher.get(f"/rooms/{room['id']}/results")
        assert [(row["marks"], row["second"]) for row in results["rows"]] == [([], [])]
        assert results["rows"][0]["unmarked"] == "marks are of the tutor"
        assert "who is marked, not you" in room["disclosure"]["marks"]
        assert results["averages"] == []

    tried(house, story)


def test_the_table_names_who_marked_and_why_something_is_unscored(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, *_, room, _ = await played(found)
        text = (await teacher.ask("GET", f"/rooms/{room['id']}/results.csv")).text
        rows = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"))))
        assert rows[0][:2] == ["learner", "case"]
        assert {row[5] for row in rows[1:-1]} == {"rules"}
        assert all(row[9] for row in rows[1:-1] if row[7] == ""), "an unscored figure says why"
        assert {row[10] for row in rows[1:-1]} == {"0"}, "the learner's extra time"
        assert "formative" in rows[-1][0].lower()

    tried(house, story)


def test_a_model_of_which_the_learner_was_told_marks_once_it_has_ended(house: House, tmp_path: Path) -> None:
    async def told() -> None:
        async with FakeEndpoint() as endpoint:
            table = f'[endpoints.reader]\nbase_url = "{endpoint.base_url}"\nmodel = "reader-1"\n'
            (tmp_path / "osler.toml").write_text(table)
            house.models = ModelOptions(tmp_path / "osler.toml")
            async with hall(house) as found:
                _, learner, room, sitting = await played(found, marks=["rules", "model:reader"])
                page = await learner.get(f"/join/{room['code']}")
                assert "reader-1" in page["disclosure"]["marks"]
                taken = practice.sitting(house.store, sitting)
                assert taken
                failed = await asyncio.to_thread(ModelMarks(house).judge, taken)
                assert failed == []
                assert any(name != "baseline" for name, _ in graders(house.store, taken.run))

    asyncio.run(told())


def graders(store: Store, run: int) -> list[tuple[str, str]]:
    return [(one.grader, one.version) for one in store.judgements(run)]
