"""The raw calls to models, kept beside the episodes: what is recorded, and that the episodes are the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from osler.models.calls import MOST_KEPT, call_of, prompt_hash
from osler.models.faults import Fault, Kind, ModelAnswerError
from osler.models.types import Attempt, Completion, CompletionRequest, Message, Usage
from osler.protocols.consultation.config import RunConfig
from osler.runs import branching
from osler.runs import run as runs
from osler.store.export import call_lines, export_lines
from osler.store.records import RunInfo
from osler.store.store import Store, open_store
from tests.endpoints import running
from tests.runs.test_model_faults import KEY, VARIABLE, begun, endpoint, sit
from tests.store.conftest import store as store
from tests.store.conftest import url as url

DOCTOR = RunConfig(doctor="model:fake", limit=2)
SLOW_START: list[dict[str, Any]] = [{"match": {"nth": 1}, "status": 503}]
"""The first request of each prompt is turned away."""


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, KEY)


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with running() as found:
        yield found


def played(store: Store, base_url: str, config: RunConfig = DOCTOR) -> RunInfo:
    found = endpoint(base_url)
    run = begun(config, store, found)
    sitting = sit(run, store, found)
    assert sitting.status == "done", sitting.why
    return sitting.run


def test_every_answer_of_a_model_is_kept_raw_beside_its_exchange(store: Store, base_url: str) -> None:
    run = played(store, base_url)
    for ordinal in (0, 1):
        asked = [row for row in store.recorded(run.id, ordinal) if row.seat == "doctor"]
        kept = list(store.calls(run.id, ordinal))
        assert [row.n for row in kept] == [row.n for row in asked], "one call for each answer"
        for row, exchange in zip(kept, asked, strict=True):
            body = row.body
            assert json.loads(body["text"])["move"]["action"] == json.loads(exchange.reply)["action"]
            assert (body["seat"], body["endpoint"], body["outcome"]) == ("doctor", "fake", "ok")
            assert (body["finish_reason"], body["rung"], body["tries"]) == ("stop", "json_schema", [])
            assert (body["latency_s"], body["calls"]) > (0, 0)
            assert len(body["prompt"]) == 16
            assert "messages" not in body, "prompts are kept only where that is asked for"


def test_the_export_of_a_run_holds_no_calls_and_the_calls_have_one_of_their_own(
    store: Store, base_url: str
) -> None:
    run = played(store, base_url)
    before = list(export_lines(store, run.id))
    lines = [json.loads(line) for line in call_lines(store, run.id)]
    assert len(lines) == len(list(store.calls(run.id))) > 0
    assert {"ordinal", "n", "path", "call", "text", "prompt"} <= lines[0].keys()
    with store.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM calls")
    assert list(export_lines(store, run.id)) == before
    assert "latency_s" not in "".join(before)


def test_what_was_tried_before_an_answer_is_kept_with_it(tmp_path: Path) -> None:
    with running(script=SLOW_START) as base_url, open_store(tmp_path / "s.db") as store:
        found = endpoint(base_url)
        run = begun(DOCTOR.model_copy(update={"limit": 1}), store, found)
        sit(run, store, found)
        tries = [one for row in store.calls(run.id) for one in row.body["tries"]]
    assert tries
    assert {one["outcome"] for one in tries} == {"server_error"}


def test_a_deleted_run_leaves_no_calls_and_a_branch_keeps_those_it_kept(store: Store, base_url: str) -> None:
    run = played(store, base_url)
    at = [row.n for row in store.calls(run.id, 0)][1]
    branch = branching.branch(store, run.id, 0, at, seats={"doctor": "baseline"})
    begun_there = branching.begin(branch, store, branch.config)
    kept = [(row.n, row.body) for row in store.calls(run.id, 0) if row.n <= at]
    assert [(row.n, row.body) for row in store.calls(begun_there.id)] == kept
    store.delete_run(run.name)
    assert not list(store.calls(run.id))
    assert [(row.n, row.body) for row in store.calls(begun_there.id)] == kept


def test_no_key_comes_near_the_store(tmp_path: Path, base_url: str) -> None:
    with open_store(tmp_path / "s.db") as store:
        run = played(store, base_url)
        assert runs.config_of(run).models or list(store.calls(run.id))
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"fake" in held
    assert KEY.encode() not in held
    assert b"Bearer" not in held


# One record


REQUEST = CompletionRequest(messages=(Message(role="user", text="Well?"),), seat="doctor")


def test_a_long_text_is_cut_and_says_so() -> None:
    text = "x" * (MOST_KEPT + 7)
    call = call_of("one", REQUEST, Completion(text=text, reasoning=text))
    for kept in (call["text"], call["reasoning"]):
        assert kept == "x" * MOST_KEPT + " [cut here: 7 more characters]"


def test_a_refused_answer_is_kept_with_its_thought() -> None:
    last = Attempt(outcome="unparsable", detail="no object", text="Hm.", reasoning="I think", latency_s=0.25)
    first = Attempt(outcome="timeout", latency_s=9.0)
    error = ModelAnswerError(Fault(Kind.UNPARSABLE, "no object"), (first, last))
    call = call_of("one", REQUEST, error)
    assert (call["outcome"], call["text"], call["reasoning"]) == ("unparsable", "Hm.", "I think")
    assert (call["latency_s"], [one["outcome"] for one in call["tries"]]) == (0.25, ["timeout"])


def test_what_a_provider_says_it_cost_is_kept_and_a_cached_answer_costs_nothing() -> None:
    paid = Attempt(outcome="ok", text="Yes.", usage=Usage(prompt_tokens=3, completion_tokens=1, cost=0.002))
    answer = Completion(text="Yes.", attempts=(paid,), usage=paid.usage)
    assert call_of("one", REQUEST, answer)["cost"] == 0.002
    again = call_of("one", REQUEST, answer._replace(from_cache=True))
    assert "cost" not in again
    assert (again["from_cache"], again["calls"], again["prompt_tokens"]) == (True, 0, 0)


def test_the_hash_of_a_prompt_is_over_every_word_role_and_order() -> None:
    one, two = Message(role="user", text="a"), Message(role="assistant", text="b")
    hashes = [
        prompt_hash(each) for each in ((one, two), (two, one), (one,), (one, two._replace(role="user")))
    ]
    assert len(set(hashes)) == 4
    assert prompt_hash((one, two)) == hashes[0]
