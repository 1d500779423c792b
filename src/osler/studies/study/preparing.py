"""The arguments of a protocol's hook that prepares a condition of a study (`Protocol.condition`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from osler.core.config import Config
from osler.runs.run import Session
from osler.runs.seating import ModelOptions
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.study.design import Study


class Unfinished(Exception):
    """A run that a study needs stopped before its end; the same command resumes it."""

    def __init__(self, sitting: Session) -> None:
        super().__init__(sitting.why)
        self.sitting = sitting


class Before(NamedTuple):
    """A condition about to be played: its name, its configuration so far, and the `runs` of the conditions
    before it. `sit` plays another run that it needs, identified by its label; it raises Unfinished.
    `modelling` opens models for what it asks beside its runs."""

    study: Study
    name: str
    config: Config
    runs: Mapping[str, RunInfo]
    store: Store
    sit: Callable[[str, Config], RunInfo]
    modelling: ModelOptions | None = None
