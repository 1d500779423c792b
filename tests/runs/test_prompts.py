"""Prompts of stored episodes, built again from the record and proved by hash: all protocols, all wrappers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from osler.core.config import Config, config_type
from osler.core.registry import protocol_named
from osler.runs import run as runs
from osler.runs.prompts import Prompt, prompts_of
from osler.runs.seating import ModelOptions, open_cast
from osler.store.records import RunInfo
from osler.store.store import Store
from tests.endpoints import running
from tests.protocols.scenario.packets import CASES as PACKETS
from tests.protocols.scenario.playing import SMALL

CONSULTATION: dict[str, Any] = {"protocol": "consultation", "limit": 1}
ROUND: dict[str, Any] = {"protocol": "ward_round", "limit": 1, "students": 2}
SCENARIO: dict[str, Any] = {"protocol": "scenario", "cases": str(SMALL), "limit": 1}
PLAYED: dict[str, dict[str, Any]] = {
    "doctor": {**CONSULTATION, "doctor": "model:fake"},
    "every seat": {
        **CONSULTATION,
        **dict.fromkeys(("doctor", "patient", "examination", "consultant"), "model:fake"),
        "second_reader": "model:fake",
    },
    "in text": {**CONSULTATION, "doctor": "model:fake", "moves": "text"},
    "eyes": {**CONSULTATION, "doctor": "model:seeing"},
    "cot": {**CONSULTATION, "doctor": "model:fake+cot"},
    "ensemble": {**CONSULTATION, "doctor": "model:fake+ensemble:2"},
    "discussion": {**CONSULTATION, "doctor": "model:fake+discuss:2"},
    "nested": {**CONSULTATION, "doctor": "model:fake+cot+ensemble:2"},
    "round": {**ROUND, "tutor": "model:fake", "student": ("model:fake", "baseline"), "patient": "model:fake"},
    "scenario": {**SCENARIO, **dict.fromkeys(("examinee", "patient", "controller"), "model:fake")},
    "best of": {**SCENARIO, "examinee": "model:fake+best-of:2"},
    "panel": {**SCENARIO, "examinee": "model:fake+panel:2"},
    "examinee that thinks twice": {**SCENARIO, "examinee": "model:fake+cot"},
    "packet": {
        "protocol": "scenario",
        "cases": str(PACKETS),
        **dict.fromkeys(("examinee", "patient", "controller"), "model:fake"),
    },
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running() as base_url:
        yield base_url


@pytest.fixture
def options(url: str, tmp_path: Path) -> ModelOptions:
    text = f'[endpoints.fake]\nbase_url = "{url}"\nmodel = "m"\ncritic_temperature = 0\n'
    text += "[endpoints.fake.extra]\ntop_k = 3\n"
    text += f'[endpoints.seeing]\nbase_url = "{url}"\nmodel = "m"\ncapabilities = {{images = true}}\n'
    (tmp_path / "osler.toml").write_text(text)
    return ModelOptions(tmp_path / "osler.toml")


def config(fields: dict[str, Any]) -> Config:
    fields = dict(fields)
    return config_type(protocol_named(fields.pop("protocol")))(**fields)


def play(store: Store, options: ModelOptions, wanted: Config) -> RunInfo:
    seated = open_cast(wanted, options)
    run = runs.begin(seated.config, store, seated.more, about=seated.about)
    sitting = runs.play(run, store, more=seated.more, around=seated.around)
    assert sitting.status == "done", sitting.why
    return sitting.run


@pytest.mark.parametrize("name", PLAYED)
def test_every_prompt_is_built_again_and_proved(name: str, store: Store, options: ModelOptions) -> None:
    run = play(store, options, config(PLAYED[name]))
    found = prompts_of(run, store, 0)
    recorded = list(store.calls(run.id, 0))
    assert recorded
    assert [(one.n, one.path, one.call) for one in found] == sorted(
        ((row.n, row.path, row.call) for row in recorded),
        key=lambda place: (place[0], [int(part) for part in place[1].split(".") if part], place[2]),
    )
    for one in found:
        assert one.proved is True, f"{one.n} {one.path} {one.seat} {one.role}"
        assert one.messages
        assert one.messages[0]["role"] == "system"
    assert {one.reply for one in found} == {row.body["text"] for row in recorded}


def test_what_was_refused_is_in_the_next_prompt(store: Store, url: str, tmp_path: Path) -> None:
    script = [{"match": {"nth": 2}, "reply": "I would rather not say."}]
    with running(script=script) as base_url:
        (tmp_path / "osler.toml").write_text(f'[endpoints.fake]\nbase_url = "{base_url}"\nmodel = "m"\n')
        run = play(store, ModelOptions(tmp_path / "osler.toml"), config(PLAYED["doctor"]))
    found = prompts_of(run, store, 0)
    (at,) = [place for place, one in enumerate(found) if one.outcome != "ok"]
    refused, again = found[at], found[at + 1]
    assert refused.reply == "I would rather not say."
    assert (again.n, again.call) == (refused.n, 2)
    assert again.messages
    assert refused.messages
    assert again.messages[: len(refused.messages)] == refused.messages
    assert all(one.proved for one in found)


def test_a_run_without_recorded_calls_shows_its_prompts_unproved(store: Store, options: ModelOptions) -> None:
    run = play(store, options, config(PLAYED["ensemble"]))
    before = prompts_of(run, store, 0)
    with store.engine.begin() as connection:
        connection.exec_driver_sql("DELETE FROM calls")
    found = prompts_of(run, store, 0)
    assert [one.messages for one in found] == [one.messages for one in before]
    assert {one.proved for one in found} == {None}


def test_a_prompt_that_was_not_the_one_sent_is_not_proved(store: Store, options: ModelOptions) -> None:
    run = play(store, options, config(PLAYED["doctor"]))
    with store.engine.begin() as connection:
        connection.exec_driver_sql(
            'UPDATE calls SET body = replace(body, \'"prompt": "\', \'"prompt": "0\') WHERE n = 1'
        )
    found = prompts_of(run, store, 0)
    assert [one.proved for one in found if one.n == 1] == [False]
    assert {one.proved for one in found if one.n > 1} == {True}


def test_kept_prompts_are_shown_as_they_were_sent(store: Store, options: ModelOptions) -> None:
    keeping = options._replace(keep_prompts=True)
    run = play(store, keeping, config(PLAYED["every seat"]))
    rebuilt = prompts_of(run, store, 0)
    kept = [row.body["messages"] for row in store.calls(run.id, 0)]
    assert sorted(map(str, kept)) == sorted(str(one.messages) for one in rebuilt)
    assert {one.proved for one in rebuilt} == {True}
    with store.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE calls SET body = replace(body, 'You are', 'You were') WHERE n = 1")
    changed = [one for one in prompts_of(run, store, 0) if one.n == 1]
    assert any("You were" in str(one.messages) for one in changed)
    assert [one.proved for one in changed] == [
        True if "You were" not in str(one.messages) else one.proved for one in changed
    ]


def test_pictures_are_shown_as_hashes(store: Store, tmp_path: Path) -> None:
    moves = [{"action": "REQUEST_TEST", "test_name": "ECG"}, {"action": "WAIT"}]
    moves.append({"action": "FINALIZE", "diagnosis": "unknown"})
    script = [{"match": {"seat": "doctor", "nth": 1}, "reply": move} for move in moves]
    with running(script=script) as base_url:
        text = f'[endpoints.seeing]\nbase_url = "{base_url}"\nmodel = "m"\ncapabilities = {{images = true}}\n'
        (tmp_path / "osler.toml").write_text(text)
        run = play(store, ModelOptions(tmp_path / "osler.toml"), config(PLAYED["eyes"]))
    found = prompts_of(run, store, 0)
    (picture,) = [each for message in found[-1].messages or () for each in message.get("pictures", ())]
    assert len(picture) == 16
    assert all(one.proved for one in found)


def test_an_episode_that_has_not_ended_shows_what_was_asked_so_far(
    store: Store, options: ModelOptions
) -> None:
    run = play(store, options, config(PLAYED["doctor"]))
    whole = prompts_of(run, store, 0)
    last = whole[-1].n
    with store.engine.begin() as connection:
        for table in ("judgements", "episodes"):
            connection.exec_driver_sql(f"DELETE FROM {table}")
        for table in ("calls", "exchanges"):
            connection.exec_driver_sql(f"DELETE FROM {table} WHERE n >= {last}")
    found: tuple[Prompt, ...] = prompts_of(run, store, 0)
    assert found == tuple(one for one in whole if one.n < last)
