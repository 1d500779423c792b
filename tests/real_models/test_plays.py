"""A real, small language model in every seat of every protocol. Nothing is said about how well it plays: only
that what came was read, or refused by a name; that the encounter ended, and how; that all of it is on record;
and that the record can be played again without asking anybody."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, get_args

import pytest

from osler.core.attempts import REFUSED
from osler.core.contract import Cause
from osler.core.registry import protocols
from osler.core.trace import ExchangeRow
from osler.errors import Status
from osler.models.embedded.server import LocalServer
from osler.models.faults import MODELS_OWN
from osler.runs import branching
from osler.runs import run as runs
from osler.runs.judging import JudgeOptions, judge_by_name
from osler.runs.rejudging import spoken
from osler.runs.seating import ModelOptions, open_cast
from osler.store.export import record_object
from osler.store.records import EpisodeRow, RunInfo
from osler.store.store import Store, open_store
from tests.real_models.plays import BLIND, JUDGED, MODEL, NAME, SEATS, TOGETHER, Play

ENDED: Final = {
    Status.COMPLETED,
    Status.OUT_OF_TURNS,
    Status.OUT_OF_BUDGET,
    Status.INVALID_PLAY,
    Status.SIMULATOR_FAULT,
}
SMOKE: Final = ("consultation patient",)
OUTCOMES: Final = {"ok", *map(str, MODELS_OWN)}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "o.db") as opened:
        yield opened


def play(config: Any, store: Store, options: ModelOptions) -> RunInfo:
    """A run, played to its end."""
    seated = open_cast(config, options)
    run = runs.begin(seated.config, store, seated.more, about=seated.about)
    sitting = runs.play(run, store, concurrency=1, more=seated.more, around=seated.around)
    assert sitting.status == "done", sitting.why
    return sitting.run


def test_every_seat_has_its_play() -> None:
    roles = {f"{one.name} {role.name}" for one in protocols() for role in one.roles if role.takes_models}
    assert roles == {*SEATS, *BLIND}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.smoke] if name in SMOKE else []) for name in SEATS]
)
def test_a_model_in_one_seat(name: str, toml: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    check_play(SEATS[name], toml, store, monkeypatch)


@pytest.mark.parametrize("name", TOGETHER)
def test_a_model_in_every_seat(name: str, toml: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    check_play(TOGETHER[name], toml, store, monkeypatch)


def check_play(asked: Play, toml: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    run = play(asked.config, store, ModelOptions(toml, keep_prompts=True))
    [episode] = store.episodes(run.id)
    check_end(episode, asked)
    rows = store.recorded(run.id, episode.ordinal)
    check_form([row for row in rows if row.seat in asked.seats])
    check_calls(store, run, asked, rows)
    monkeypatch.setattr(LocalServer, "port", _asked_again)
    check_replay(store, run, episode.ordinal, toml)


def check_end(episode: EpisodeRow, asked: Play) -> None:
    """It ended in a way that has a name, by the fault of a seat that the model has, if of any."""
    assert episode.status in ENDED, episode.reason
    if episode.status == Status.SIMULATOR_FAULT:
        assert episode.cause in get_args(Cause)
        assert str(episode.reason).startswith(asked.seats), episode.reason


def check_form(rows: Sequence[ExchangeRow]) -> None:
    """Every answer was read, or refused by the name of what was wrong with it."""
    assert rows, "the model was asked nothing"
    for row in rows:
        refused = [one for one in json.loads(row.attempts) if one["at"] == REFUSED]
        assert all(one["cause"] in get_args(Cause) and one["error"] for one in refused), refused
        assert row.reply != "null" or refused, f"{row.seat} gave no answer, and nobody says why"


def check_calls(store: Store, run: RunInfo, asked: Play, rows: Sequence[ExchangeRow]) -> None:
    """Beside the episode stands each call: what was sent, what came, and what it took."""
    calls = [row.body for row in store.calls(run.id)]
    attempts = [one for row in rows for one in json.loads(row.attempts)]
    assert sum(one["calls"] for one in calls) == sum(one.get("calls", 0) for one in attempts) > 0
    for call in calls:
        assert call["endpoint"] == NAME
        assert call["seat"] in asked.seats
        assert call["outcome"] in OUTCOMES
        assert call["messages"]
        assert call["text"] or call["outcome"] != "ok"
        assert call["prompt_tokens"] > call["completion_tokens"] >= 1
        assert call["latency_s"] > 0


def check_replay(store: Store, run: RunInfo, ordinal: int, toml: Path) -> None:
    """From its record the episode is played again to the same export, and the model is asked nothing."""
    found = branching.branch(store, run.id, ordinal, len(store.recorded(run.id, ordinal)))
    seated = open_cast(found.config, ModelOptions(toml))
    branch = branching.begin(found, store, seated.config, seated.more)
    assert runs.play(branch, store, more=seated.more, around=seated.around).status == "done"
    assert store.trace(branch.id, 0) == store.trace(run.id, ordinal)
    assert exported(store, branch, 0) == exported(store, run, ordinal)


def exported(store: Store, run: RunInfo, ordinal: int) -> dict[str, Any]:
    """The export of the episode, but for what says which run it is of."""
    found = record_object(store.record(run.id, ordinal, earlier=True), {})
    return {name: value for name, value in found.items() if name not in ("episode", "ordinal", "branch")}


async def _asked_again(server: LocalServer) -> int:
    raise AssertionError("the model was asked again")


@pytest.mark.parametrize("name", JUDGED)
def test_a_model_as_the_judge(name: str, toml: Path, store: Store) -> None:
    run = play(JUDGED[name].config, store, ModelOptions(toml))
    judged = judge_by_name(run, store, JudgeOptions(MODEL, models=ModelOptions(toml)))
    assert judged.judged == 1
    said = spoken(run, store, judged.judge)
    scored = [one for one in said.scores.values() if one.n]
    assert scored or said.unscored_because, "each score is one, or has a reason why it is none"
    calls = [row.body for row in store.judge_calls(run.id)]
    assert calls
    assert {call["outcome"] for call in calls} <= OUTCOMES
