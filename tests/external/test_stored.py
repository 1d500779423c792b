"""Sittings of stored runs: what outside replies play is stored, judged and resumed as any other run."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from osler.core.config import Config
from osler.errors import BadInput, Status
from osler.players.external import Pending
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.seats import Ask
from osler.runs import run as runs
from osler.runs.played import EndedEpisode
from osler.runs.world import World
from osler.store.schema import cases
from osler.store.store import Store, open_store
from tests.external.conftest import CONSULTATION, SEATS, built_in, exported, players, said, to_the_end

ROOT = Path(__file__).parents[2]
TWO = CONSULTATION.model_copy(update={"repeats": 2, "doctor": "external"})


def outside(which: str) -> Config:
    """The configuration with its seats taken from outside."""
    return World(*SEATS[which]).config


@pytest.fixture(scope="module")
def inside(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Config], bytes]:
    """The export of a run that `runs.play` plays with the built-in players under the same names."""
    made: dict[str, bytes] = {}

    def export(config: Config) -> bytes:
        name = config.model_dump_json()
        if name not in made:
            folder = tmp_path_factory.mktemp("inside")
            with open_store(folder / "o.db") as store:
                more = players(config.weighed())
                run = runs.begin(config, store, more)
                assert runs.play(run, store, more=more).status == "done"
                made[name] = exported(store, run.name, folder / "out.jsonl")
        return made[name]

    return export


@pytest.mark.parametrize("which", SEATS)
def test_a_sitting_stores_the_very_bytes_that_a_run_does(
    url: str, tmp_path: Path, which: str, inside: Callable[[Config], bytes]
) -> None:
    config = outside(which)

    async def sit(store: Store) -> None:
        end = await to_the_end(await runs.sit(run, store, 0), built_in(config.weighed()))
        again = await (await runs.sit(run, store, 0)).next()
        assert isinstance(again, EndedEpisode)
        assert again[1:] == end[1:]
        assert again.trace.rows == end.trace.rows

    with open_store(url) as store:
        run = runs.begin(config, store)
        asyncio.run(sit(store))
        found = store.run(run.name)
        assert (found.status, found.done) == ("done", 1)
        assert exported(store, run.name, tmp_path / "out.jsonl") == inside(config)


@pytest.mark.parametrize("which", SEATS)
def test_resumed_at_every_exchange_from_a_store_opened_anew(
    url: str, tmp_path: Path, which: str, inside: Callable[[Config], bytes]
) -> None:
    config = outside(which)
    cast = built_in(config.weighed())
    asked = list[tuple[str, str]]()

    async def one_reply(store: Store) -> bool:
        async with await runs.sit(store.run("last"), store, 0) as sitting:
            now = await sitting.next()
            assert isinstance(now, Pending)
            asked.append((now.seat, now.ticket))
            now = await sitting.step(await said(cast, now), now.ticket, now.seat)
            return isinstance(now, EndedEpisode)

    with open_store(url) as store:
        runs.begin(config, store)
    ended = False
    while not ended:
        with open_store(url) as store:
            ended = asyncio.run(one_reply(store))
            assert store.run("last").status == ("done" if ended else "interrupted")
    assert len(set(asked)) == len(asked)
    with open_store(url) as store:
        assert exported(store, "last", tmp_path / "out.jsonl") == inside(config)


@pytest.mark.slow
def test_killed_at_every_exchange_and_gone_on_with_is_as_if_nothing_had_happened(
    url: str, tmp_path: Path, inside: Callable[[Config], bytes]
) -> None:
    log = tmp_path / "log"
    with open_store(url) as store:
        for which in SEATS:
            runs.begin(outside(which), store, name=which)
    command = [sys.executable, "-m", "tests.external.killable", url, str(log)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    kills = json.loads(done.stdout)
    accepted = [tuple(json.loads(line)) for line in log.read_text().splitlines()]
    assert len(set(accepted)) == len(accepted), "an accepted reply was asked for again"
    with open_store(url) as store:
        for which in SEATS:
            run = store.run(which)
            replies = sum(one == which for one, _, _ in accepted)
            assert replies > 1
            assert kills[which] == 2 * replies - 1
            assert run.status == "done"
            assert exported(store, which, tmp_path / "out.jsonl") == inside(outside(which))


@pytest.mark.slow
def test_what_somebody_else_plays_cannot_be_sat_at_and_nothing_is_doubled(
    url: str, tmp_path: Path, inside: Callable[[Config], bytes]
) -> None:
    cast = built_in(CONSULTATION)

    async def beside(store: Store, other: subprocess.Popen[str]) -> None:
        run = store.run("last")
        with pytest.raises(BadInput, match=rf"{run.name}:0: it is being played by .*:{other.pid}"):
            await runs.sit(run, store, 0)
        assert store.run("last").status == "running"
        own = await runs.sit(run, store)
        for ordinal in (None, 1):
            with pytest.raises(BadInput, match="is being played by"):
                await runs.sit(run, store, ordinal)
        await to_the_end(own, cast)
        assert store.run("last").status == "running"

    with open_store(url) as store:
        runs.begin(TWO, store)
        command = [sys.executable, "-m", "tests.external.sharing", url]
        pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        with subprocess.Popen(command, cwd=ROOT, text=True, **pipes) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == "sat\n"
            asyncio.run(beside(store, other))
            _, wrong = other.communicate("go on\n", timeout=120)
            assert other.returncode == 0, wrong
        assert (store.run("last").status, store.run("last").done) == ("done", 2)
        assert exported(store, "last", tmp_path / "out.jsonl") == inside(TWO)


@pytest.mark.slow
def test_many_sittings_share_an_event_loop(url: str, tmp_path: Path) -> None:
    config = RunConfig(limit=6, doctor="external", settings=CONSULTATION.settings)

    async def play(store: Store) -> list[EndedEpisode]:
        run, cast = store.run("last"), built_in(CONSULTATION)
        return list(
            await asyncio.gather(*(_sat(run, store, ordinal, cast) for ordinal in range(run.planned)))
        )

    with open_store(url) as store:
        runs.begin(config, store)
        ends = asyncio.run(play(store))
        assert len({end.key for end in ends}) == 6
        assert (store.run("last").status, store.run("last").done) == ("done", 6)
        with store.connected() as connection:
            assert connection.execute(sa.select(sa.func.count()).select_from(cases)).scalar() == 6


async def _sat(run: Any, store: Store, ordinal: int, cast: Any) -> EndedEpisode:
    return await to_the_end(await runs.sit(run, store, ordinal), cast)


def test_a_store_that_keeps_one_sitting_waiting_does_not_stop_the_others(tmp_path: Path) -> None:
    async def play(store: Store) -> None:
        run, cast = store.run("last"), built_in(CONSULTATION)
        sitting = await runs.sit(run, store, 0)
        await sitting.next()
        with store._writing():
            stuck = asyncio.create_task(sitting.step(Ask(question="When did it start?"), "0.0"))
            await to_the_end(World(CONSULTATION).sit(0), cast)
            assert not stuck.done()
        now = await stuck
        assert isinstance(now, Pending)
        assert now.ticket == "1.0"
        await sitting.leave()

    with open_store(tmp_path / "o.db") as store:
        runs.begin(TWO, store)
        asyncio.run(play(store))


def test_ctrl_c_leaves_a_run_that_is_interrupted_and_free(url: str) -> None:
    async def play(store: Store) -> None:
        sitting = await runs.sit(store.run("last"), store, 0)
        await sitting.step(Ask(question="When did it start?"))
        raise KeyboardInterrupt

    with open_store(url) as store:
        runs.begin(TWO, store)
        with pytest.raises(KeyboardInterrupt):
            asyncio.run(play(store))
        run = store.run("last")
        assert (run.status, run.done) == ("interrupted", 0)
        assert [row.seat for row in store.recorded(run.id, 0)][:1] == ["doctor"]
        store.check_unplayed(run.id)


def test_who_stops_while_sitting_down_leaves_nothing_behind(url: str) -> None:
    async def play(store: Store) -> None:
        sitting_down = asyncio.create_task(runs.sit(store.run("last"), store, 0))
        await asyncio.sleep(0)
        sitting_down.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sitting_down

    with open_store(url) as store:
        run = runs.begin(TWO, store)
        asyncio.run(play(store))
        store.check_unplayed(run.id)


def test_an_episode_that_is_not_there_and_a_run_that_is_over_are_named(url: str) -> None:
    async def play(store: Store) -> None:
        run = store.run("last")
        for ordinal in (-1, 2):
            with pytest.raises(BadInput, match=f"the run has no episode {ordinal}"):
                await runs.sit(run, store, ordinal)
        for _ in range(2):
            end = await to_the_end(await runs.sit(run, store), built_in(CONSULTATION))
            assert end.trace.outcome.status is not Status.INVALID_PLAY
        with pytest.raises(BadInput, match="every episode has ended"):
            await runs.sit(run, store)
        assert store.run("last").status == "done"

    with open_store(url) as store:
        runs.begin(TWO, store)
        asyncio.run(play(store))
