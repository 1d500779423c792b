"""docs/educators.md: the patient answers as the page says, and the debriefing is the one it describes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from osler.web.house import House
from tests.web.conftest import calling
from tests.web.test_practise import Person, said

PAGE = (Path(__file__).parents[2] / "docs" / "educators.md").read_text("utf-8")
TALK = re.findall(r"^You +(.*)\nPatient +(.*)$", PAGE, re.MULTILINE)


@pytest.mark.anyio
async def test_the_tutorial_is_what_a_reader_meets(house: House) -> None:
    assert len(TALK) >= 3
    diagnosis, *plan = re.findall(r"`([^`]+)`", PAGE.partition("## 5. Conclude")[2].partition("## 6.")[0])
    async with calling(house) as client:
        shelf = (await client.get("/api/shelf")).json()["cases"]
        title = "Chest ache in a woman of 58"
        assert f"*{title}*" in PAGE
        [case] = [one for one in shelf if one["title"] == title and one["protocol"] == "consultation"]
        person = Person(client)
        state = await person.sits("consultation", case["id"])
        for question, answer in TALK:
            state = await person.replies({"action": "ASK", "question": question}, state)
            assert said(state)[-1] == answer
        for name in ("Vital signs", "Electrocardiogram"):
            state = await person.replies({"action": "REQUEST_TEST", "test_name": name}, state)
        assert "98/62" in " ".join(said(state))
        state = await person.replies({"action": "WAIT"}, state)
        await person.posts("readings", {"item": state["unread"][0], "words": "ST up"})
        state = await person.state()
        assert "ST elevation in II, III and aVF" in " ".join(said(state))
        state = await person.replies({"action": "FINALIZE", "diagnosis": diagnosis, "plan": plan}, state)
        debrief = (await client.get(f"/api/sittings/{person.id}/debrief")).json()
    assert debrief["sentence"].startswith("Right")
    assert "you named a decisive step" in debrief["sentence"]
    assert "right-sided electrocardiogram" in debrief["next_time"][0].lower()
    assert debrief["scores"]["supporting_evidence"] == 0
    assert any(one["quote"] in dict(TALK) for one in debrief["moments"])
