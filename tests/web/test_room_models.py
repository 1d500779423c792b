"""A room with a language model behind a real endpoint: tried first, limited, paused when it fails."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from osler.models.faults import Retry
from osler.models.manners import Manners
from osler.models.open_models import Models
from osler.runs.seating import ModelOptions
from osler.store.rooms import Rooms
from osler.testing.endpoint import FakeEndpoint
from osler.web.house import House
from tests.web.teaching import CASE, Hall, hall

PATIENT = {"players": {"patient": "model:tiny"}}
HASTY = Manners(retry=Retry(tries=2, base_s=0.001, cap_s=0.01))


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up an endpoint that is gone at once, as nobody needs to wait for it here."""
    usual: Any = Models.__init__.__kwdefaults__
    monkeypatch.setattr(Models.__init__, "__kwdefaults__", {**usual, "manners": HASTY})


def tried(
    house: House, folder: Path, story: Callable[[Hall, FakeEndpoint], Awaitable[None]], lines: str = ""
) -> None:
    async def told() -> None:
        async with FakeEndpoint() as endpoint:
            table = f'[endpoints.tiny]\nbase_url = "{endpoint.base_url}"\nmodel = "tiny-2"\n{lines}'
            (folder / "osler.toml").write_text(table)
            house.models = ModelOptions(folder / "osler.toml")
            async with hall(house) as found:
                await story(found, endpoint)

    asyncio.run(told())


def test_a_model_takes_one_real_turn_before_the_room_opens(house: House, tmp_path: Path) -> None:
    async def story(found: Hall, endpoint: FakeEndpoint) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        assert await teacher.get("/rooms/models") == ["model:tiny"]
        trial = await teacher.post("/rooms/try", {"model": "model:tiny"})
        assert trial["ok"]
        assert trial["said"]
        assert trial["sitting_price"] > 0
        assert "estimate for 50 questions" in trial["basis"]
        room = await teacher.opens(**PATIENT)
        assert [one["seat"] for one in room["trials"]] == ["patient"]
        page = await learner.get(f"/join/{room['code']}")
        host = endpoint.base_url.removeprefix("http://").removesuffix("/v1")
        assert page["disclosure"]["hosts"] == [host]
        assert "tiny-2" in page["disclosure"]["plays"]["patient"]
        await learner.joins(room, "Ada")
        sitting = await learner.sits(room)
        assert (await learner.turn(sitting))["disclosure"]["hosts"] == [host]

    tried(house, tmp_path, story, "price_in = 1.0\nprice_out = 2.0\n")


def test_a_model_that_cannot_play_opens_no_room(house: House, tmp_path: Path) -> None:
    async def story(found: Hall, endpoint: FakeEndpoint) -> None:
        teacher = await found.teacher()
        gone = "http://127.0.0.1:1/v1"
        (tmp_path / "osler.toml").write_text(f'[endpoints.tiny]\nbase_url = "{gone}"\nmodel = "m"\n')
        told = await teacher.post("/rooms", {"name": "a", "cases": [CASE], **PATIENT}, 400)
        assert "could not take one turn as patient" in told["what"]
        assert told["mend"]
        assert await teacher.get("/rooms") == []

    tried(house, tmp_path, story)


def test_two_learners_play_and_a_model_that_fails_pauses_them_in_words(house: House, tmp_path: Path) -> None:
    async def story(found: Hall, endpoint: FakeEndpoint) -> None:
        teacher, ada, bo = await found.teacher(), await found.stranger(), await found.stranger()
        room = await teacher.opens(**PATIENT)
        sittings: dict[str, str] = {}
        for learner, name in ((ada, "Ada"), (bo, "Bo")):
            await learner.joins(room, name, "teacher")
            sittings[name] = await learner.sits(room)
            await learner.moves(sittings[name], action="ASK", question="What brings you here?")
        port = endpoint.port
        await endpoint.__aexit__(None, None, None)
        held = await ada.moves(sittings["Ada"], action="ASK", question="When did it begin?")
        assert held["status"] == "paused"
        assert "does not answer" in held["pause"]["what"]
        assert "teacher" in held["pause"]["mend"]
        state = await teacher.get(f"/rooms/{room['id']}/state")
        seen = state["learners"][0]["sittings"][0]
        assert seen["status"] == "paused"
        assert "tiny" in seen["pause"]["where"]
        assert state["learners"][1]["sittings"][0]["status"] == "yours"
        async with FakeEndpoint(port=port):
            await teacher.post(f"/rooms/{room['id']}/release", {"sitting": sittings["Ada"]})
            again = await ada.turn(sittings["Ada"])
            assert again["status"] == "yours", "it goes on where it stood"
            said = [item["reply"]["question"] for item in again["feed"] if item["reply"]]
            assert said == ["What brings you here?", "When did it begin?"], "nothing is lost or doubled"

    tried(house, tmp_path, story)


def test_a_teacher_lets_a_built_in_player_go_on_and_says_so(house: House, tmp_path: Path) -> None:
    async def story(found: Hall, endpoint: FakeEndpoint) -> None:
        teacher, ada = await found.teacher(), await found.stranger()
        room = await teacher.opens(**PATIENT)
        await ada.joins(room, "Ada", "teacher")
        sitting = await ada.sits(room)
        await ada.moves(sitting, action="ASK", question="What brings you here?")
        await endpoint.__aexit__(None, None, None)
        assert (await ada.moves(sitting, action="ASK", question="When did it begin?"))["status"] == "paused"
        wrong = {"sitting": sitting, "players": {"doctor": "baseline"}}
        await teacher.post(f"/rooms/{room['id']}/release", wrong, 400)
        other = {"sitting": sitting, "players": {"patient": "baseline"}}
        await teacher.post(f"/rooms/{room['id']}/release", other)
        state = await ada.turn(sitting)
        assert state["status"] == "yours"
        assert "Patient: a built-in player" in state["changed"]
        assert "built-in" in state["disclosure"]["plays"]["patient"]
        said = [item["reply"]["question"] for item in state["feed"] if item["reply"]]
        assert said == ["What brings you here?", "When did it begin?"]
        ended = await ada.concludes(sitting)
        assert ended["status"] == "ended"
        results = await teacher.get(f"/rooms/{room['id']}/results")
        assert results["rows"][0]["marks"], "what the learner permitted holds in the run that goes on"
        assert results["rows"][0]["substitutes"] == "patient: a built-in player", "no swap is silent"
        assert (await teacher.get(f"/rooms/{room['id']}/state"))["used_tokens"] > 0

    tried(house, tmp_path, story)


def test_a_ceiling_holds_for_all_sittings_of_a_room_together(house: House, tmp_path: Path) -> None:
    async def story(found: Hall, endpoint: FakeEndpoint) -> None:
        teacher, ada, bo = await found.teacher(), await found.stranger(), await found.stranger()
        room = await teacher.opens(**PATIENT, ceiling={"tokens": 8_000})
        await ada.joins(room, "Ada", "teacher")
        await bo.joins(room, "Bo", "teacher")
        first, second = await ada.sits(room), await bo.sits(room)
        states: list[dict[str, Any]] = []
        for turn in range(6):
            question = f"Question {turn}: does it hurt?"
            for learner, sitting in ((ada, first), (bo, second)):
                if (await learner.turn(sitting))["status"] == "yours":
                    states.append(await learner.moves(sitting, action="ASK", question=question))
        assert {"paused"} < {one["status"] for one in states} | {"x"}
        state = await teacher.get(f"/rooms/{room['id']}/state")
        paused = [one["pause"] for each in state["learners"] for one in each["sittings"] if one["pause"]]
        assert {one["what"] for one in paused} == {"what the models may use is used up"}
        assert "Raise the ceiling" in paused[0]["mend"]
        used = state["used_tokens"]
        assert 0 < used <= 8_000
        await teacher.patch(f"/rooms/{room['id']}", {"ceiling": {"tokens": 1_000_000}})
        await teacher.post(f"/rooms/{room['id']}/release", {})
        assert (await ada.turn(first))["status"] == "yours"

    tried(house, tmp_path, story)


def test_money_is_not_limited_without_prices(house: House, tmp_path: Path) -> None:
    async def story(found: Hall, endpoint: FakeEndpoint) -> None:
        teacher = await found.teacher()
        plan = {"name": "a", "cases": [CASE], **PATIENT, "ceiling": {"money": 1.0}}
        assert "no prices" in (await teacher.post("/rooms", plan, 400))["what"]
        room = await teacher.opens(**PATIENT)
        told = await teacher.patch(f"/rooms/{room['id']}", {"ceiling": {"money": 1.0}}, 400)
        assert "no prices" in told["what"]

    tried(house, tmp_path, story)


def test_a_model_in_a_team_is_tried_disclosed_and_kept_from_marking(house: House, tmp_path: Path) -> None:
    team = {"cases": [{**CASE, "seat": "patient"}], "players": {"doctor": "baseline+ensemble:model:tiny"}}

    async def story(found: Hall, endpoint: FakeEndpoint) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        plan = {"name": "Monday", **team}
        told = await teacher.post("/rooms", {**plan, "ceiling": {"money": 1.0}}, 400)
        assert "no prices" in told["what"]
        told = await teacher.post("/rooms", {**plan, "marks": ["model:tiny"]}, 400)
        assert told["what"] == "model:tiny plays here, so it cannot mark"
        room = await teacher.opens(**team)
        assert [(one["model"], one["seat"]) for one in room["trials"]] == [("model:tiny", "doctor")]
        host = endpoint.base_url.removeprefix("http://").removesuffix("/v1")
        assert room["disclosure"]["hosts"] == [host]
        plays = room["disclosure"]["plays"]["doctor"]
        assert "built-in player" in plays
        assert "the language model tiny-2" in plays
        await learner.joins(room, "Ada")
        state = await learner.turn(await learner.sits(room))
        assert state["disclosure"]["hosts"] == [host]
        assert "a language model (tiny)" in state["disclosure"]["plays"]["doctor"]

    tried(house, tmp_path, story)


def test_a_learner_names_no_model_in_a_team(house: House, tmp_path: Path) -> None:
    async def story(found: Hall, endpoint: FakeEndpoint) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        await learner.joins(await teacher.opens(), "Ada")
        for name in ("model:tiny", "baseline+discuss:model:tiny", "baseline+ensemble:baseline/model:tiny"):
            body = {**CASE, "seat": "patient", "players": {"doctor": name}}
            told = await learner.post("/sittings", body, 403)
            assert told["what"] == "models are chosen by teachers"
        assert endpoint.stats["requests"] == 0

    tried(house, tmp_path, story)


def test_a_stored_room_that_names_code_is_not_played(house: House, tmp_path: Path) -> None:
    """As an earlier version, which looked at the innermost name alone, may have kept it."""

    async def story(found: Hall, endpoint: FakeEndpoint) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens(cases=[{**CASE, "seat": "patient"}])
        rooms = Rooms(found.house.store)
        row = rooms.room(room["id"])
        assert row is not None
        rooms.change(
            row.id, plan=row.plan.replace('"doctor":"baseline"', '"doctor":"baseline+ensemble:python:this:s"')
        )
        await learner.joins(room, "Ada")
        told = await learner.post(f"/rooms/{room['id']}/sittings", {"case": "c1"}, 403)
        assert "owner at a terminal" in told["what"]
        assert "this" not in sys.modules

    tried(house, tmp_path, story)
