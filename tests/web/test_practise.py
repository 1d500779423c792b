"""Practising at the server: people take seats, leave them and come back, and see only what they earned."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from osler.cases.sources import open_source
from osler.store import practice
from osler.store.permissions import permitted
from osler.store.writer import Writer
from osler.web.house import House
from osler.web.practise.orderables import COMMON, orderables
from tests.web.conftest import calling

PATIENCE = 400
JSON = {"content-type": "application/json"}
ASK = {"action": "ASK", "question": "Where is the pain?"}
CONCLUDE = {"action": "FINALIZE", "diagnosis": "Inferior myocardial infarction", "plan": ["aspirin 300 mg"]}


class Person:
    """A person at a browser: sits down, and replies to what is asked."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client, self.id, self.code = client, "", ""

    async def sits(self, protocol: str, case: str, seat: str = "", **more: Any) -> dict[str, Any]:
        """Sit down, and return the state when the first question is open."""
        asked = {"protocol": protocol, "case": case, "seat": seat, **more}
        answer = await self.client.post("/api/sittings", json=asked)
        assert answer.status_code == 201, answer.text
        self.id, self.code = answer.json()["id"], answer.json()["code"]
        return await self.state()

    async def state(self, *wanted: str) -> dict[str, Any]:
        """The state once it is this person's turn again, or it has ended."""
        for _ in range(PATIENCE):
            answer = await self.client.get(f"/api/sittings/{self.id}")
            assert answer.status_code == 200, answer.text
            state: dict[str, Any] = answer.json()
            if state["status"] in (wanted or ("yours", "ended")):
                return state
            await asyncio.sleep(0.02)
        raise AssertionError(f"still {state['status']}: {state['pause']}")

    async def replies(self, move: Mapping[str, Any], state: Mapping[str, Any]) -> dict[str, Any]:
        """Reply to the open question, and return the state when the next one is open."""
        given = {"ticket": state["ticket"], "move": move}
        answer = await self.client.post(f"/api/sittings/{self.id}/moves", json=given)
        assert answer.status_code == 202, answer.text
        return await self.state()

    async def posts(self, path: str, given: Mapping[str, Any]) -> httpx.Response:
        """Post to a path of the sitting."""
        return await self.client.post(f"/api/sittings/{self.id}/{path}", json=given)


def said(state: Mapping[str, Any]) -> list[str]:
    """The texts of the events in a feed."""
    return [item["event"]["text"] for item in state["feed"] if item["event"] and "text" in item["event"]]


@pytest.mark.anyio
async def test_the_shelf_gives_no_case_away(house: House) -> None:
    async with calling(house) as client:
        text = (await client.get("/api/shelf")).text
    cases = json.loads(text)["cases"]
    assert {one["protocol"] for one in cases} == {"consultation", "scenario", "ward_round"}
    assert len({one["id"] for one in cases}) == len(cases)
    for case in open_source("library"):
        assert case.id not in text
        assert case.title
        assert case.title not in text
        assert case.diagnosis is None or f'"{case.diagnosis.name}"' not in text


@pytest.mark.anyio
async def test_a_consultation_from_the_first_word_to_again_from_here(house: House) -> None:
    async with calling(house) as client:
        person = Person(client)
        state = await person.sits("consultation", "cardiology-01")
        assert (state["turn"], state["ticket"], state["seat"]) == (1, "0.0", "doctor")
        assert state["disclosure"]["plays"]["patient"] == "a built-in player (rules, no language model)"
        assert state["disclosure"]["uses"] == ["practice"]

        state = await person.replies(ASK, state)
        own = [item for item in state["feed"] if item["reply"]]
        assert [item["reply"]["question"] for item in own] == ["Where is the pain?"]
        state = await person.replies({"action": "REQUEST_TEST", "test_name": "ECG"}, state)
        state = await person.replies({"action": "WAIT"}, state)

        (unread,) = state["unread"]
        shown = next(item for item in state["feed"] if item["id"] == unread)
        assert shown["event"]["text"] == "", "the report waits for the reader's own words"
        assert shown["event"]["picture"] is None, "its data would say what is to be seen"
        picture = await client.get(shown["picture"])
        assert picture.content.startswith(b"\x89PNG")
        assert (await person.posts("readings", {"item": unread, "words": "inferior"})).status_code == 204
        state = await person.state()
        assert state["unread"] == []
        assert state["readings"] == {unread: "inferior"}, "also on another device"
        assert any("ST elevation" in text for text in said(state))

        state = await person.replies(CONCLUDE, state)
        assert state["status"] == "ended"
        debrief = (await client.get(f"/api/sittings/{person.id}/debrief")).json()
        ids = {item["id"] for item in debrief["log"]}
        quoted = [one for one in debrief["moments"] if one["quote"]]
        assert quoted
        assert all(one["at"] in ids for one in quoted)
        assert debrief["readings"] == {unread: "inferior"}

        (item, *_) = [e["item"] for part in debrief["sections"] for e in part["entries"] if e["item"]]
        assert (await person.posts("contests", {"item": item, "words": "I said so"})).status_code == 204
        debrief = (await client.get(f"/api/sittings/{person.id}/debrief")).json()
        entries = [e for part in debrief["sections"] for e in part["entries"] if e["item"] == item]
        assert entries[0]["contested"]["words"] == "I said so"

        fresh = (await person.posts("again", {"keep": 2})).json()
        again = Person(client)
        again.id = fresh["id"]
        state = await again.state()
        assert state["turn"] == 2
        assert [item["reply"]["question"] for item in state["feed"] if item["reply"]] == [
            "Where is the pain?"
        ]


@pytest.mark.anyio
async def test_a_stale_or_impossible_reply_changes_nothing(house: House) -> None:
    async with calling(house) as client:
        person = Person(client)
        first = await person.sits("consultation", "cardiology-01")
        await person.replies(ASK, first)
        again = await person.posts("moves", {"ticket": first["ticket"], "move": ASK})
        assert again.status_code == 409
        assert again.json()["mend"] == "now 1.0 is"
        wrong = await person.posts("moves", {"ticket": "1.0", "move": {"action": "DANCE"}})
        assert wrong.status_code == 422
        assert wrong.json()["what"]
        now = await person.state()
        assert (now["ticket"], sum(1 for item in now["feed"] if item["reply"])) == ("1.0", 1)


@pytest.mark.anyio
async def test_two_tabs_give_one_reply(house: House) -> None:
    async with calling(house) as client:
        person = Person(client)
        state = await person.sits("consultation", "cardiology-01")
        given = {"ticket": state["ticket"], "move": ASK}
        answers = await asyncio.gather(*(person.posts("moves", given) for _ in range(5)))
        assert sorted(one.status_code for one in answers) == [202, 409, 409, 409, 409]
        state = await person.state()
        assert sum(1 for item in state["feed"] if item["reply"]) == 1


@pytest.mark.anyio
async def test_the_same_turn_is_asked_again_after_the_server_was_gone(house: House) -> None:
    async with calling(house) as client:
        person = Person(client)
        before = await person.replies(ASK, await person.sits("consultation", "cardiology-01"))
    async with calling(House(house.store)) as client:
        person.client = client
        after = await person.state()
        assert (after["ticket"], after["feed"], after["view"]) == (
            before["ticket"],
            before["feed"],
            before["view"],
        )
        assert (await person.replies(CONCLUDE, after))["status"] == "ended"


@pytest.mark.anyio
async def test_a_reply_that_the_server_accepts_is_in_the_store(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a power cut right after it takes nothing from a page that has emptied its box."""
    commit = Writer.flush

    async def slow(writer: Writer) -> None:
        await asyncio.sleep(0.2)
        await commit(writer)

    async with calling(house) as client:
        person = Person(client)
        state = await person.sits("consultation", "cardiology-01")
        taken = practice.sitting(house.store, person.id)
        assert taken
        monkeypatch.setattr(Writer, "flush", slow)
        answer = await person.posts("moves", {"ticket": state["ticket"], "move": ASK})
        assert answer.status_code == 202, answer.text
        said, *_ = house.store.trace(taken.run, taken.ordinal).rows
        assert json.loads(said.reply or "{}")["question"] == ASK["question"]
        await person.state()


@pytest.mark.anyio
async def test_a_code_goes_on_with_a_sitting(house: House) -> None:
    async with calling(house) as client:
        person = Person(client)
        await person.sits("consultation", "cardiology-01")
        found = await client.post("/api/sittings/resume", json={"code": f" {person.code.upper()} "})
        assert found.json()["id"] == person.id
        wrong = await client.post("/api/sittings/resume", json={"code": "nothing"})
        assert wrong.status_code == 404


@pytest.mark.anyio
async def test_words_that_sound_like_an_order_or_like_distress_are_asked_about(house: House) -> None:
    async with calling(house) as client:
        person = Person(client)
        state = await person.sits("consultation", "cardiology-01")

        async def concerns(**move: str) -> list[dict[str, Any]]:
            given = {"ticket": state["ticket"], "move": move}
            return list((await person.posts("moves/check", given)).json())

        (order,) = await concerns(action="ASK", question="ECG please")
        assert order["instead"]["action"] == "REQUEST_TEST"
        (distress,) = await concerns(action="ASK", question="I want to kill myself")
        assert distress["kind"] == "distress"
        assert await concerns(action="ASK", question="Where is the pain?") == []
        assert [one["kind"] for one in await concerns(action="FINALIZE", diagnosis="flu")] == ["conclude"]
        assert (await person.state())["turn"] == 1, "nothing was sent"


@pytest.mark.anyio
async def test_the_patient_s_chair_keeps_what_must_not_be_told_yet(house: House) -> None:
    async with calling(house) as client:
        person = Person(client)
        state = await person.sits("consultation", "gynaecology-01", "patient")
        early = next(fact for fact in state["view"]["facts"] if fact["told"] == "in_private")
        move = {"answer": early["spoken"] or early["text"]}
        given = {"ticket": state["ticket"], "move": move}
        assert (await person.posts("moves/check", given)).json()[0]["kind"] == "early"
        assert (await person.posts("moves", given)).status_code == 422
        assert (await person.replies({"answer": "It hurts low down."}, state))["status"] in ("yours", "ended")


@pytest.mark.anyio
async def test_a_station_ends_when_its_clock_runs_out(house: House) -> None:
    async with calling(house) as client:
        person = Person(client)
        state = await person.sits("scenario", "st01")
        state = await person.replies(
            {"speak": "Hello, my name is Dr Ali.", "actions": [], "eos": False}, state
        )
        assert any("Dr Ali" in json.dumps(item["reply"]) for item in state["feed"] if item["reply"])
        times = {"reading_ends": time.time() - 9, "bell": time.time() - 5, "ends": time.time() - 1}
        practice.change(house.store, person.id, more={"clock": times})
        state = await person.state("ended")
        assert state["ending"] == "Time, or another limit, has run out."
        debrief = (await client.get(f"/api/sittings/{person.id}/debrief")).json()
        met, items = re.findall(r"\d+", debrief["sentence"])[:2]
        (score,) = (part for part in debrief["sections"] if part["kind"] == "score")
        texts = [one["text"] for one in score["entries"]]
        assert re.fullmatch(
            rf"net score: \d+\s% to \d+\s%: \d+ of {items} items could not be told by rules", texts[0]
        )
        assert texts[1] == f"items seen: {met} of {items}"


@pytest.mark.anyio
@pytest.mark.parametrize("seat", ["student_1", "tutor"])
async def test_a_ward_round_to_its_debriefing(house: House, seat: str) -> None:
    async with calling(house) as client:
        person = Person(client)
        state = await person.sits("ward_round", "cardiology-01", seat)
        acts = []
        while state["status"] != "ended":
            acts.append(state["wanted"]["act"])
            assert len(acts) < 60
            state = await person.replies(in_the_round(state), state)
        assert {"guide"} <= set(acts) if seat == "tutor" else {"exam", "analyse", "act"} <= set(acts)
        debrief = (await client.get(f"/api/sittings/{person.id}/debrief")).json()
        assert debrief["sentence"]
        assert debrief["sections"]
        assert debrief["moments"]
        assert debrief["next_time"]


def in_the_round(state: Mapping[str, Any]) -> dict[str, Any]:
    """A reply to whatever a ward round asks."""
    match state["wanted"]["act"]:
        case "exam":
            exams = [
                item["event"] for item in state["feed"] if item["event"] and item["event"]["kind"] == "exam"
            ]
            items = exams[-1]["items"]
            return {"answers": {one["id"]: next(iter(one["options"] or {"?": ""})) for one in items}}
        case "analyse" | "answer":
            return {"analysis_for_teacher": "The pain came on at rest, so I think of the heart."}
        case "act":
            return {"query_for_patient": "When did it begin?"}
    return {"guidance": "What would you like to know next, and why?", "covered_steps": []}


@pytest.mark.anyio
async def test_what_a_person_permits_and_takes_back(house: House) -> None:
    async with calling(house) as client:
        person = Person(client)
        await person.sits("consultation", "cardiology-01", uses=["teacher"], pseudonym="Otter")
        taken = practice.sitting(house.store, person.id)
        assert taken
        assert permitted(house.store, taken.run, taken.ordinal) == {"practice", "teacher"}
        shared = {"uses": ["share"], "until": ""}
        refused = await client.put(f"/api/sittings/{person.id}/permission", json=shared)
        assert refused.status_code == 400
        assert "until a date" in refused.json()["what"]
        await client.put(f"/api/sittings/{person.id}/permission", json={"uses": []})
        assert permitted(house.store, taken.run, taken.ordinal) == {"practice"}


@pytest.mark.anyio
async def test_deleting_a_sitting_leaves_none_of_its_words(house: House) -> None:
    async with calling(house) as client:
        person = Person(client)
        state = await person.sits("consultation", "cardiology-01")
        await person.replies({"action": "ASK", "question": "Is a marmoset involved?"}, state)
        taken = practice.sitting(house.store, person.id)
        assert taken
        gone = await client.delete(f"/api/sittings/{person.id}", headers=JSON)
        assert gone.status_code == 204
        for path in ("", "/debrief"):
            answer = await client.get(f"/api/sittings/{person.id}{path}")
            assert answer.status_code == 410, "another tab is told, and nothing begins anew"
            assert "deleted" in answer.json()["what"]
        again = await client.post("/api/sittings/resume", json={"code": person.code})
        assert again.status_code == 404
        shelf = (await client.get("/api/shelf")).json()
        assert (shelf["going_on"], shelf["ended"]) == ([], [])
        assert house.store.recorded(taken.run, taken.ordinal) == []


@pytest.mark.anyio
async def test_what_stands_still_shows_the_same_view(house: House) -> None:
    async with calling(house) as client:
        person = Person(client)
        before = await person.sits("consultation", "cardiology-01")
        practice.change(house.store, person.id, stopped="Let us talk about this.")
        await person.posts("leave", {})
        stopped = await person.state("paused")
        assert stopped["view"] == before["view"]
        practice.change(house.store, person.id, stopped="")
        await person.posts("resume", {})
        assert (await person.state())["ticket"] == before["ticket"]


def test_what_can_be_ordered_is_one_list_with_the_commonest_first() -> None:
    found = orderables()
    assert (
        [one.name for one in found if one.common] == [*COMMON] == [one.name for one in found[: len(COMMON)]]
    )
    bloods = {one.name for one in found if any("bloods" in name for name in (*one.also, *one.within))}
    assert {"Blood tests", "Full blood count", "C-reactive protein"} <= bloods


@pytest.mark.anyio
async def test_what_does_not_exist_is_said_in_words(house: House) -> None:
    async with calling(house) as client:
        for given in (
            {"protocol": "consultation", "case": "../../etc/passwd"},
            {"protocol": "dance", "case": "cardiology-01"},
            {"protocol": "consultation", "case": "cardiology-01", "seat": "examination"},
            {"protocol": "consultation", "case": "cardiology-01", "players": {"patient": "nobody"}},
            {"protocol": "consultation", "case": "cardiology-01", "persona": "\u202egrumpy"},
        ):
            answer = await client.post("/api/sittings", json=given)
            assert answer.status_code == 400, (given, answer.text)
            assert answer.json()["what"]
        assert (await client.get("/api/sittings/nobody")).status_code == 404
    assert house.store.runs() == [], "nothing was begun"
