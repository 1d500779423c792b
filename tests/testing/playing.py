"""Playing one consultation with an endpoint's model as the doctor."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from osler.core.role import Seating
from osler.models.config import Config
from osler.models.faults import Retry
from osler.models.manners import Manners
from osler.models.open_models import Models
from osler.players.casting import players_of
from osler.protocols.consultation.config import RunConfig
from osler.runs import run as runs
from osler.store.store import open_store

SWIFT: Final = Manners(retry=Retry(tries=2, base_s=0.001, cap_s=0.01))


class Ended(NamedTuple):
    """How a run of one consultation ended: its status or `paused`, why, and the attempts of its doctor."""

    status: str
    why: str
    attempts: list[dict[str, Any]]


def played(found: Config, name: str, folder: Path, environ: Mapping[str, str], **more: Any) -> Ended:
    """Play one consultation with the endpoint `name` as the doctor."""
    config = RunConfig.model_validate({"doctor": f"model:{name}", "limit": 1, **more})
    with open_store(folder / "o.db") as store:
        models = Models(found, environ=environ, manners=SWIFT)
        run = runs.begin(config, store, players_of(Seating(config, models)))
        players = players_of(Seating(runs.config_of(run), models))
        sitting = runs.play(run, store, more=players, around=models)
        rows = [row for row in store.recorded(run.id, 0) if row.seat == "doctor"]
        attempts = [one for row in rows for one in json.loads(row.attempts)]
        if sitting.status == "paused":
            return Ended("paused", sitting.why, attempts)
        [episode] = store.episodes(run.id)
        return Ended(episode.status, episode.reason or "", attempts)
