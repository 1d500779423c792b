"""What the tests of external seats share: every protocol with its seats, and built-in players to reply."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from osler.core.composite import AnyPlayer
from osler.core.config import Config
from osler.core.contract import Request
from osler.core.trace import AskedRow, ExchangeRow, InnerRow
from osler.players.casting import casting_of
from osler.players.external import Pending
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.settings import Limits, Settings
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.ward_round.config import RoundConfig
from osler.protocols.ward_round.settings import RoundSettings
from osler.runs.played import EndedEpisode
from osler.runs.sitting import Sitting
from osler.store.export import export_run
from osler.store.permissions import grant
from osler.store.store import Store
from tests.store.conftest import url as url

SMALL = Path(__file__).parents[1] / "protocols" / "scenario" / "small.yaml"
CONSULTATION = RunConfig(limit=1, settings=Settings(limits=Limits(max_turns=3)))
ROUND = RoundConfig(limit=1, students=2, settings=RoundSettings(max_rounds=2))
SCENARIO = ScenarioConfig(cases=str(SMALL))
UNDER_TEST: Mapping[str, tuple[Config, tuple[str, ...]]] = {
    "doctor": (CONSULTATION, ()),
    "tutor": (ROUND, ()),
    "examinee": (SCENARIO, ()),
}
SEATS = {
    **UNDER_TEST,
    "doctor-and-patient": (CONSULTATION, ("doctor", "patient")),
    "students": (ROUND, ("student_1", "student_2")),
}


@dataclass(frozen=True)
class Called:
    """A player under another name, whose replies are committed at once."""

    inner: Any
    name: str = "external"
    durable: bool = True

    async def reply(self, request: Request[Any]) -> BaseModel:
        found: BaseModel = await self.inner.reply(request)
        return found


def built_in(config: Config) -> Mapping[str, Any]:
    """The built-in players of a configuration's first case."""
    source = config.opened()
    case = next(each for each in source if config.only in (None, each.id))
    return casting_of(config).cast(config.ready(case))


def players(config: Config) -> Mapping[str, Any]:
    """The player `external` as the built-in one under that name, so that nobody is outside."""
    cast = built_in(config)
    return {"external": lambda asked: Called(cast[asked.seat])}


async def said(cast: Mapping[str, AnyPlayer], now: Pending) -> Any:
    """What the built-in player replies."""
    player: Any = cast[now.seat]
    return await player.reply(now.request)


async def to_the_end(sitting: Sitting, cast: Mapping[str, AnyPlayer]) -> EndedEpisode:
    """Feed a sitting with the replies of built-in players."""
    now = await sitting.next()
    while isinstance(now, Pending):
        now = await sitting.step(await said(cast, now), now.ticket, now.seat)
    return now


class Kept:
    """A recorder of what is safe: rows count once they are flushed."""

    def __init__(self) -> None:
        self._rows: list[ExchangeRow] = []
        self._inner: list[InnerRow] = []
        self.rows: list[ExchangeRow] = []
        self.inner_rows: list[InnerRow] = []

    def asked(self, row: AskedRow, *, at_once: bool) -> None:
        return None

    def exchange(self, row: ExchangeRow) -> None:
        self._rows.append(row)

    def inner(self, row: InnerRow) -> None:
        self._inner.append(row)

    async def flush(self) -> None:
        self.rows, self.inner_rows = list(self._rows), list(self._inner)


def exported(store: Store, run: str, out: Path) -> bytes:
    """The canonical export of a run, which whoever sat in it permits."""
    found = store.run(run)
    grant(store, found.id, range(found.planned), ["research"])
    export_run(store, store.run(run).id, out)
    return out.read_bytes()
