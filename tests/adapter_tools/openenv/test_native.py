"""The same model plays the same encounters natively and through the adapter, to the letter.

A fake endpoint plays natively, and its answers are recorded with their prompts. Through the adapter a policy
gives the same answers, if it is asked to the letter what the endpoint was asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import osler
from osler.core.trace import Trace
from osler.testing.endpoint import running
from tests.adapter_tools.openenv.serving import Policy, served, to_the_end

TOML = """
[endpoints.fake]
base_url = "{url}"
model = "fake"
capabilities = {{ json_schema = false, json_object = false }}
"""
CASES: dict[str, dict[str, Any]] = {
    "consultation": {"limit": 4, "moves": "text"},
    "consultation in JSON": {"limit": 2, "moves": "json"},
    "ward_round": {"limit": 2, "moves": "text"},
    "ward_round in JSON": {"limit": 2, "moves": "json"},
    "scenario": {"limit": 2},
}
SPOILT = [{"match": {"nth": 2}, "reply": "{}"}]


def answers(calls: Iterator[dict[str, Any]]) -> Policy:
    """The recorded answers in order; each prompt has to be the recorded one, to which the schema is added."""

    def answer(said: int, messages: Sequence[dict[str, Any]]) -> str:
        call = next(calls)
        rules, *rest = ({"role": one["role"], "content": one["text"]} for one in call["messages"])
        assert messages[0]["content"].startswith(rules["content"])
        assert list(messages[1:]) == rest
        return str(call["text"])

    return answer


def rows_of(trace: Trace) -> list[tuple[Any, ...]]:
    """What was asked, told and replied, and what was refused; not what it cost."""
    found = []
    for row in trace.rows:
        refused = [one for one in json.loads(row.attempts) if one["at"] != "used"]
        found.append((row.n, row.seat, row.request, row.events, row.reply, refused))
    return found


@pytest.mark.parametrize("spoilt", [(), SPOILT], ids=["well", "with a refused answer"])
@pytest.mark.parametrize("name", CASES)
def test_every_row_is_the_one_that_the_same_model_plays_natively(
    name: str, spoilt: Any, tmp_path: Path
) -> None:
    protocol, fields = name.partition(" ")[0], CASES[name]
    seat, at = osler.configure(protocol).plays.under_test, tmp_path / "osler.db"
    with running(script=spoilt) as url:
        file = tmp_path / "osler.toml"
        file.write_text(TOML.format(url=url))
        run = osler.run(
            protocol, seats={seat: "model:fake"}, store=at, config=file, keep_prompts=True, **fields
        )
    native = list(run.episodes())
    assert len(native) == fields["limit"]
    with (
        osler.open_store(at) as store,
        served(osler.configure(protocol, **fields)) as server,
        server.client() as env,
    ):
        ends = []
        for row in range(len(native)):
            calls = (call.body for call in list(store.calls(store.run(run.name).id, row)))
            ends.append(to_the_end(env, answers(calls), row=row))
            assert next(calls, None) is None
    for (_, mine), theirs, end in zip(server.played, native, ends, strict=True):
        assert rows_of(mine.trace) == rows_of(theirs.trace)
        assert mine.trace.outcome._replace(counts={}) == theirs.trace.outcome._replace(counts={})
        assert json.loads(mine.judgement)["scores"] == theirs.judgements[mine.grader]["scores"]
        assert end.status == theirs.status
    assert max(len(mine.trace.rows) for _, mine in server.played) > 2
