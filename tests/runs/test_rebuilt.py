"""Every request of a stored episode is made anew as its seat saw it, and proved by its hash."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from osler.core.config import Config
from osler.core.contract import OwnReply
from osler.core.registry import protocol_named
from osler.errors import BadInput
from osler.players.external import Pending
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.seats import Ask
from osler.runs import branching
from osler.runs import run as runs
from osler.runs.rebuilt import RebuiltRequest, requests_of
from osler.runs.seating import ModelOptions, open_cast
from osler.store.records import RunInfo
from osler.store.store import Store
from tests.endpoints import running
from tests.handover import CASES, installed
from tests.protocols.scenario.playing import SMALL

PROTOCOLS = ("consultation", "ward_round", "scenario")


def played(store: Store, protocol: str, **fields: Any) -> RunInfo:
    config: Config = protocol_named(protocol).config(**fields)
    source = runs.opened(config)
    run = runs.begin(config, store, source=source)
    sitting = runs.play(run, store, source=source)
    assert sitting.status == "done", sitting.why
    return sitting.run


def check(found: tuple[RebuiltRequest, ...], store: Store, run: RunInfo, ordinal: int) -> None:
    """Every request is proved, and its ids name the very events and replies of the record."""
    rows = {row.n: row for row in store.recorded(run.id, ordinal)}
    assert [(one.n, one.seat) for one in found] == [(row.n, row.seat) for row in rows.values()]
    for one in found:
        assert one.proved, f"{one.n} {one.seat}: {one.why}"
        for id_, item in one.feed:
            n, at = map(int, id_.split("."))
            if isinstance(item, OwnReply):
                assert (at, rows[n].seat) == (0, one.seat)
                assert json.loads(item.reply.model_dump_json()) == json.loads(rows[n].reply)
            else:
                assert json.loads(item.line) == json.loads(rows[n + 1].events)[at - 1]


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("limit", [3, pytest.param(None, marks=pytest.mark.slow)])
def test_every_request_of_library_episodes_is_made_anew_with_equal_hash(
    store: Store, protocol: str, limit: int | None
) -> None:
    run = played(store, protocol, limit=limit)
    for row in store.episodes(run.id):
        check(requests_of(run, store, row.ordinal), store, run, row.ordinal)


PLAYED_BY_MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "every seat": (
        "consultation",
        dict.fromkeys(("doctor", "patient", "examination", "consultant"), "model:fake"),
    ),
    "discussion": ("consultation", {"doctor": "model:fake+discuss:2"}),
    "round": ("ward_round", {"tutor": "model:fake", "student": ("model:fake", "baseline"), "students": 2}),
    "scenario": ("scenario", {"cases": str(SMALL), "examinee": "model:fake+panel:2"}),
}


def played_by_models(store: Store, folder: Path, wanted: Config, script: list[dict[str, Any]]) -> RunInfo:
    with running(script=script) as url:
        (folder / "osler.toml").write_text(f'[endpoints.fake]\nbase_url = "{url}"\nmodel = "m"\n')
        seated = open_cast(wanted, ModelOptions(folder / "osler.toml"))
        run = runs.begin(seated.config, store, seated.more, about=seated.about)
        sitting = runs.play(run, store, more=seated.more, around=seated.around)
    assert sitting.status == "done", sitting.why
    return sitting.run


@pytest.mark.parametrize("name", PLAYED_BY_MODELS)
def test_requests_to_models_are_proved_too(name: str, store: Store, tmp_path: Path) -> None:
    protocol, fields = PLAYED_BY_MODELS[name]
    run = played_by_models(store, tmp_path, protocol_named(protocol).config(limit=1, **fields), [])
    check(requests_of(run, store, 0), store, run, 0)


def test_what_comes_after_a_refused_reply_is_proved(store: Store, tmp_path: Path) -> None:
    script = [{"match": {"nth": 2}, "reply": "I would rather not say."}]
    run = played_by_models(store, tmp_path, RunConfig(limit=1, doctor="model:fake"), script)
    assert any('"error"' in attempts for _, attempts in store.attempts(run.id))
    check(requests_of(run, store, 0), store, run, 0)


def test_a_branch_is_proved_with_its_kept_part(store: Store) -> None:
    parent = played(store, "consultation", limit=1, consultant="baseline")
    found = branching.branch(store, parent.id, 0, 6, seats={"patient": "baseline"}, repeats=2)
    run = runs.play(branching.begin(found, store, found.config), store).run
    for ordinal in (0, 1):
        check(requests_of(run, store, ordinal), store, run, ordinal)


def test_an_open_question_is_made_anew_while_its_player_thinks(store: Store) -> None:
    config = RunConfig(limit=1, doctor="external")
    source = runs.opened(config)
    run = runs.begin(config, store, source=source)

    async def sit() -> None:
        async with await runs.sit(run, store, 0, source=source) as sitting:
            now = await sitting.next()
            assert isinstance(now, Pending)
            now = await sitting.step(Ask(action="ASK", question="Any pain?"), now.ticket)
            assert isinstance(now, Pending)
            found = await asyncio.to_thread(requests_of, run, store, 0, source)
            assert [one.is_open for one in found] == [False] * (len(found) - 1) + [True]
            assert all(one.proved for one in found)
            assert found[-1].view == now.view
            assert tuple(item for _, item in found[-1].feed) == now.feed

    asyncio.run(sit())


def test_a_plug_in_protocol_is_proved_as_ours_are(store: Store, tmp_path: Path) -> None:
    with installed(tmp_path / "packages"):
        run = played(store, "handover", cases=str(CASES), limit=1)
        check(requests_of(run, store, 0), store, run, 0)


def test_what_has_changed_since_is_said_in_words(store: Store) -> None:
    run = played(store, "consultation", limit=1)
    with store.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE exchanges SET request = 'another' WHERE n = 2")
    found = {one.n: one for one in requests_of(run, store, 0)}
    assert not found[2].proved
    assert "changed since" in found[2].why
    assert found[1].proved
    assert found[3].proved
    with store.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE exchanges SET reply = '{\"no\": 1}' WHERE n = 2")
    later = requests_of(run, store, 0)[-1]
    assert (later.view, later.proved) == (None, False)
    assert "changed since" in later.why
    with store.engine.begin() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
        connection.exec_driver_sql("UPDATE episodes SET case_hash = 'gone'")
    assert all("not in the store" in one.why for one in requests_of(run, store, 0))


def test_there_is_nothing_to_make_anew_of_an_episode_that_never_began(store: Store) -> None:
    run = played(store, "scenario", cases=str(SMALL))
    with pytest.raises(BadInput, match="no episode 7"):
        requests_of(run, store, 7)
