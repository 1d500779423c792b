"""Runs to disturb: two library cases, players that log what they are asked and are committed at once.

`url` comes once with SQLite and once with PostgreSQL.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from osler.core.contract import OwnReply, Player, ReplyWithUsage, Request
from osler.core.factory import Factory
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.protocols.consultation.players.trivial import AlwaysConclude
from osler.protocols.consultation.seats import DoctorView
from osler.protocols.shared.players.patient import BaselinePatient
from osler.runs import run as runs
from osler.store.export import export_run
from osler.store.store import Store, open_store
from tests.store.conftest import url as url


class Logged:
    """Writes down whom it is asked about, and how often that seat has answered before, then answers.

    As long as there is a file `hold` it thinks.
    """

    name = "logged"

    def __init__(self, inner: Player, log: Path, *, durable: bool = True, hold: Path | None = None) -> None:
        self._inner, self._log, self.durable, self._hold = inner, log, durable, hold

    async def reply(self, request: Request[Any]) -> BaseModel | ReplyWithUsage:
        seat = "doctor" if isinstance(request.view, DoctorView) else "patient"
        before = sum(isinstance(item, OwnReply) for item in request.feed)
        with self._log.open("a") as file:
            file.write(json.dumps([request.world, seat, before]) + "\n")
        while self._hold and self._hold.exists():  # noqa: ASYNC110 - a file has no event
            await asyncio.sleep(0.01)
        return await self._inner.reply(request)


def logged(log: Path, hold: Path | None = None) -> Mapping[str, Factory]:
    """The player `logged`, as doctor or patient, and `swift`, a doctor that is asked only once."""
    doctor, patient = Logged(BaselineDoctor(), log, hold=hold), Logged(BaselinePatient(), log)
    swift = Logged(AlwaysConclude(), log, durable=False)
    return {
        "logged": lambda asked: doctor if asked.seat == "doctor" else patient,
        "swift": lambda asked: swift,
    }


CONFIG = RunConfig(cases="library", doctor="logged", patient="logged", limit=2, repeats=2, seed=3)


def play_to_the_end(store: Store, log: Path, *, concurrency: int = 4, config: RunConfig = CONFIG) -> str:
    """Begin a run, or resume the last one, and play it to its end; return its name."""
    found = store.runs()
    run = found[0] if found else runs.begin(config, store, logged(log))
    sitting = runs.play(run, store, concurrency=concurrency, more=logged(log))
    assert sitting.status == "done", sitting.why
    return run.name


def exported(path: Path | str, out: Path) -> bytes:
    """The canonical export of the last run of a store."""
    with open_store(path) as store:
        export_run(store, store.run("last").id, out)
    return out.read_bytes()


def asked(log: Path) -> list[tuple[str, str, int]]:
    """Every question that was put to a logging player, in order."""
    if not log.exists():
        return []
    lines = log.read_text().splitlines()
    return [(world, seat, before) for world, seat, before in map(json.loads, lines)]
