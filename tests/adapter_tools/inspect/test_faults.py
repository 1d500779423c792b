"""Dead, wrong and half-dead endpoints never end in a score, and never in exit 0."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import EvalLog

from osler.adapters.inspect_ai.importing import UNREADABLE, import_log
from osler.adapters.inspect_ai.reading import read_log
from osler.errors import BadInput
from osler.runs.totals import totals
from osler.store.store import open_store
from tests.adapter_tools.inspect.conftest import Inspect, metric, samples, scored

REFUSED = "http://127.0.0.1:9/v1"
FAULTS: dict[str, dict[str, Any]] = {
    "404": {"at": "/nothing-here"},
    "refused": {"at": REFUSED},
    "500": {"model": "openai-api/fake/broken"},
    "breaks off": {"model": "openai-api/fake/breaks"},
    "prose": {"model": "openai-api/fake/prose"},
    "no words": {"model": "openai-api/fake/mute"},
    "a page": {"model": "openai-api/fake/page"},
    "no stream": {"model_args": {"stream": True}},
}


def without_a_score(log: EvalLog) -> None:
    assert scored(log) == 0
    for one in samples(log):
        for score in (one.scores or {}).values():
            assert score.value != score.value, "a score that is a number"


@pytest.mark.parametrize(
    ("fault", "tolerant"), [*((fault, False) for fault in FAULTS), ("breaks off", True), ("prose", True)]
)
def test_a_fault_is_an_error_and_no_score(
    fault: str, tolerant: bool, inspect: Inspect, endpoint: str
) -> None:
    more = dict(FAULTS[fault])
    if at := more.pop("at", ""):
        inspect.at(at if at.startswith("http") else f"{endpoint}{at}")
    log = inspect.eval("consultation", fail_on_error=not tolerant, score_on_error=tolerant, **more)
    assert all(one.error is not None for one in samples(log))
    assert log.status == ("success" if tolerant else "error")
    without_a_score(log)
    with open_store(inspect.folder / "its.db") as store, pytest.raises(BadInput, match="has a score") as why:
        import_log(read_log(Path(log.location)), store)
    assert (UNREADABLE in str(why.value)) == (fault in ("prose", "no words", "a page"))


@pytest.mark.parametrize("protocol", ["scenario", "ward_round"])
def test_prose_is_no_score_in_any_protocol(protocol: str, inspect: Inspect) -> None:
    log = inspect.eval(protocol, model="openai-api/fake/prose")
    assert log.status == "error"
    without_a_score(log)


def test_a_fault_of_another_seat_is_an_error_and_imported_as_unscored(inspect: Inspect) -> None:
    given = {"limit": 1, "patient": "model:actor"}
    log = inspect.eval("consultation", given, model_roles={"actor": "openai-api/fake/prose"})
    assert log.status == "error"
    without_a_score(log)
    with open_store(inspect.folder / "its.db") as store:
        run, left_out = import_log(read_log(Path(log.location)), store)
        assert [row.status for row in store.episodes(run.id)] == ["simulator_fault"]
        assert left_out == {}
        headline = totals(run, store).measures["correct"]
        assert (headline.n, headline.unscored) == (0, 1)


def test_a_model_that_plays_badly_in_valid_moves_is_scored_as_natively(inspect: Inspect) -> None:
    log = inspect.eval("consultation", model="openai-api/fake/rambles")
    assert log.status == "success"
    assert [one.store["osler"]["status"] for one in samples(log)] == ["invalid_play"] * 2
    assert metric(log, "correct", "mean") == 0.0
    assert metric(log, "turns", "mean") >= 2


def test_the_command_exits_1_without_scores(inspect: Inspect) -> None:
    """That it exits 0 with them is told by the documentation's test."""
    usual = ("eval", "osler/consultation", "-T", "limit=1", "--display", "plain", "--max-retries", "0")
    prose = (*usual, "--model", "openai-api/fake/prose", "--no-fail-on-error")
    dead = (*usual, "--model", "openai-api/fake/fake", "--model-base-url", REFUSED)
    for done in inspect.commands(prose, dead):
        assert done.code == 1, done.said
        assert "osler: 1 of 1 encounters have no score" in done.said
