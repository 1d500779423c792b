"""Sittings where several seats are asked at the same time."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx

from osler.web.house import House
from tests.web.conftest import calling


async def _asked(client: httpx.AsyncClient, id: str) -> dict[str, Any]:
    """The state of a sitting once its person is asked, or it is over."""
    while True:
        state: dict[str, Any] = (await client.get(f"/api/sittings/{id}")).json()
        if state["status"] in ("yours", "ended"):
            return state
        await asyncio.sleep(0.05)


async def _student(client: httpx.AsyncClient) -> str:
    cases = (await client.get("/api/shelf")).json()["cases"]
    case = next(one["id"] for one in cases if one["protocol"] == "ward_round")
    wanted = {"protocol": "ward_round", "case": case, "seat": "student_1"}
    return str((await client.post("/api/sittings", json=wanted)).json()["id"])


def test_a_student_reads_the_exam_that_others_have_answered_already(house: House) -> None:
    async def state_of() -> dict[str, Any]:
        async with calling(house) as client:
            return await _asked(client, await _student(client))

    state = asyncio.run(state_of())
    assert state["wanted"]["act"] == "exam"
    (exam,) = [item["event"] for item in state["feed"] if item["event"]["kind"] == "exam"]
    assert exam["items"][0]["question"]


def test_the_view_stays_while_others_think_and_after_the_end(house: House) -> None:
    async def played() -> None:
        async with calling(house) as client:
            id = await _student(client)
            state = await _asked(client, id)
            view = state["view"]
            assert view["you"]["name"]
            while state["status"] == "yours":
                move: dict[str, Any] = {"answers": {}} if state["wanted"]["act"] == "exam" else {}
                if state["wanted"]["act"] == "analyse":
                    move = {"analysis_for_teacher": "I do not know yet."}
                given = {"ticket": state["ticket"], "move": move}
                assert (await client.post(f"/api/sittings/{id}/moves", json=given)).status_code == 202
                now = (await client.get(f"/api/sittings/{id}")).json()
                assert now["view"] == view, now["status"]
                state = await _asked(client, id)
            assert state["view"] == view
        async with calling(house) as client:  # a server that was not there when it ended
            assert (await _asked(client, id))["view"] == view

    asyncio.run(played())
