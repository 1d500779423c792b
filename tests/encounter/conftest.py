"""What the kernel's tests share: one way to play one consultation and look at it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from osler.cases.model import Case
from osler.cases.personas import persona
from osler.encounter.consultation import Settings
from osler.encounter.table import Recorder
from osler.encounter.trace import ExchangeRow, InnerRow, Trace
from osler.players.baseline.consultant import BaselineConsultant
from osler.players.baseline.doctor import BaselineDoctor
from osler.players.baseline.examination import BaselineExamination
from osler.players.baseline.patient import BaselinePatient
from osler.seats.composite import AnyPlayer
from osler.seats.contract import Player
from osler.seats.events import Seat
from osler.studies.execute import Episode, play

Play = Callable[..., Trace]


def built_in() -> dict[Seat, Player]:
    return {
        "doctor": BaselineDoctor(),
        "patient": BaselinePatient(),
        "examination": BaselineExamination(),
        "consultant": BaselineConsultant(),
    }


@pytest.fixture
def consult() -> Play:
    """`consult(case, doctor=..., settings=...)` plays one consultation and returns its trace."""

    def run(
        case: Case,
        *,
        settings: Settings | None = None,
        seed: str = "0",
        recorded: Sequence[ExchangeRow] = (),
        inner: Sequence[InnerRow] = (),
        onward: Recorder | None = None,
        **players: AnyPlayer | None,
    ) -> Trace:
        cast: dict[Seat, AnyPlayer] = {}
        usual = built_in()
        for seat, player in {**usual, **players}.items():
            if player is not None:
                cast[seat] = player
        episode = Episode(0, case, persona("plain"), settings or Settings(), seed)
        return asyncio.run(play(episode, cast, onward, recorded, inner))

    return run
