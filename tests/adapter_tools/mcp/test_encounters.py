"""A consultation, a station and a ward round, each driven to its end by a real MCP client."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from osler.core.registry import protocol_named
from osler.store.store import open_store
from tests.adapter_tools.mcp.agents import Agent, osler, over_stdio, state_of, text_of

ROOT = Path(__file__).parents[3]
STATION = ROOT / "tests" / "protocols" / "scenario" / "small.yaml"


async def a_consultation(agent: Agent) -> Any:
    tools = await agent.tools()
    assert {"open_case", "status", "ask", "request_test", "wait", "finalize"} <= set(tools)
    assert tools["ask"].input_schema["properties"]["question"]["maxLength"] == 4000
    opened = await agent.call("open_case")
    assert "chest" in text_of(opened).lower()
    asked = await agent.call("ask", question="When did it start?")
    assert "Patient:" in text_of(asked)
    empty = await agent.call("ask", question="")
    assert empty.is_error
    assert "no try" in text_of(empty)
    stale = await agent.client.call_tool("ask", {"question": "And then?", "ticket": "0.0"})
    assert stale.is_error
    assert "0.0 is not open" in text_of(stale)
    await agent.call("request_test", test_name="ECG")
    refused = await agent.call("call_mdt", question="What is it?")
    assert refused.is_error
    assert refused.structured_content["tries_left"] == 2
    assert "2 tries left" in text_of(refused)
    result = await agent.call("wait")
    images = [one for one in result.content if one.type == "image"]
    assert [one.mime_type for one in images] == ["image/png"]
    together = await asyncio.gather(
        *(agent.client.call_tool("ask", {"question": f"Does it hurt {n}?", **agent.at}) for n in range(5))
    )
    (done,) = [one for one in together if not one.is_error]
    agent.at["ticket"] = done.structured_content["ticket"]
    status = await agent.call("status")
    assert "When did it start?" in text_of(status)
    return await agent.call("finalize", diagnosis="Inferior myocardial infarction", confidence=0.9)


async def a_station(agent: Agent) -> Any:
    now = await agent.call("open_case")
    while state_of(now) == "yours":
        now = await agent.call("examinee_move", speak="How are you?", actions=["take the pulse"], eos=True)
        assert not now.is_error, text_of(now)
    return now


async def a_round_as_tutor(agent: Agent) -> Any:
    now = await agent.call("open_case")
    assert "The answer:" in text_of(now)
    while state_of(now) == "yours":
        now = await agent.call("guidance", guidance="What do you make of the chart so far, and why?")
        assert not now.is_error, text_of(now)
    return now


async def a_round_as_student(agent: Agent) -> Any:
    now, calls = await agent.call("open_case"), []
    while state_of(now) == "yours":
        wanted = text_of(now).rpartition("Now yours: ")[2].partition(".")[0]
        calls.append(wanted)
        if wanted == "exam":
            ids = [line.split("id: ")[1] for line in text_of(now).splitlines() if "- id: " in line]
            assert ids
            now = await agent.call("exam", answers=dict.fromkeys(ids, "A"))
        elif wanted == "analysis":
            now = await agent.call("analysis", analysis_for_teacher="I think of the heart first.")
        else:
            assert wanted == "action"
            now = await agent.call("action", query_for_patient="Where is the pain?")
        assert not now.is_error, text_of(now)
    assert set(calls) == {"exam", "analysis", "action"}
    return now


@pytest.mark.parametrize(
    ("arguments", "play"),
    [
        pytest.param(("consultation", "library", "--limit", "1"), a_consultation, marks=pytest.mark.smoke),
        (("scenario", str(STATION)), a_station),
        (("ward_round", "library", "--limit", "1", "--set", "settings.max_rounds=2"), a_round_as_tutor),
        (
            ("ward_round", "library", "--limit", "1", "--set", "settings.max_rounds=1", "--as", "student_1"),
            a_round_as_student,
        ),
    ],
    ids=["consultation", "station", "round as tutor", "round as student"],
)
def test_a_whole_encounter_is_played_stored_and_judged(tmp_path: Path, arguments: Any, play: Any) -> None:
    async def whole() -> Agent:
        async with over_stdio(tmp_path, *arguments) as agent:
            ended = await play(agent)
            assert state_of(ended) == "ended"
            assert "scores" not in ended.structured_content
            assert (await agent.call("open_case", another=True)).is_error, "there is no other"
            return agent

    agent = asyncio.run(whole())
    with open_store(tmp_path / "osler.db") as store:
        (run,) = store.runs()
        assert run.manifest["people"] == []
        (row,) = store.episodes(run.id)
        _, trace, judgements = store.record(run.id, row.ordinal)
        assert row.status in ("completed", "out_of_turns")
        assert judgements
        assert sum(one.seat in (*agent_seats(arguments),) for one in trace.rows) > 1
    seen = "".join(agent.seen)
    for never in (run.name, str(tmp_path), row.case_id):
        assert never not in seen
    assert "Traceback" not in (tmp_path / "stderr").read_text() + seen
    if play is not a_consultation:
        return
    code, shown, said = osler(tmp_path, "show", f"{run.name}:{row.ordinal}")
    assert code == 0, said
    assert shown
    code, _, said = osler(tmp_path, "export", run.name, "--out", "out.jsonl")
    assert code == 0, said
    assert json.loads((tmp_path / "out.jsonl").read_text().splitlines()[0])


def agent_seats(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """The seat that the agent takes."""
    if "--as" in arguments:
        return (arguments[arguments.index("--as") + 1],)
    return (protocol_named(arguments[0]).under_test,)
