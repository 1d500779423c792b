"""What the kernel's tests share: one way to play one consultation and look at it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pytest

from osler.cases.model import Case
from osler.cases.personas import persona
from osler.core.composite import AnyPlayer
from osler.core.contract import Player
from osler.core.events import Seat
from osler.core.table import Recorder
from osler.core.trace import ExchangeRow, InnerRow, Trace
from osler.protocols.consultation.episode import Episode
from osler.protocols.consultation.players.consultant import BaselineConsultant
from osler.protocols.consultation.players.doctor import BaselineDoctor
from osler.protocols.consultation.players.examination import BaselineExamination
from osler.protocols.consultation.settings import Settings
from osler.protocols.shared.players.patient import BaselinePatient

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
        return asyncio.run(episode.play(cast, onward, recorded, inner))

    return run
