"""A stage for any cast: one scenario played once, with whoever is named and built-in players beside them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import yaml

from osler.cases.personas import persona
from osler.cases.scenarios.model import Scenario
from osler.core.composite import AnyPlayer
from osler.core.contract import Request
from osler.core.events import Event, Seat
from osler.core.trace import ExchangeRow, InnerRow, Trace
from osler.players.scripted import Scripted
from osler.protocols.scenario.config import ScenarioEpisode
from osler.protocols.scenario.events import Present, Spoke
from osler.protocols.scenario.players.controller import BaselineController
from osler.protocols.scenario.players.patient import BaselinePatientSeat
from osler.protocols.scenario.settings import ScenarioSettings
from tests.protocols.scenario.playing import SMALL, move

PACKET = {
    "case_id": "prose-one",
    "instructions": "You are the doctor.",
    "packet": {
        "examinee": "You are the doctor on duty. A man has collapsed.",
        "sp_actor": "You are Mr Reed. You feel faint.",
        "environment_controller": "State 0, first look. State 1, monitored. State 2, better.",
        "evaluator": "Was a monitor attached?",
    },
    "provenance": {"origin": "Osler, for tests"},
}


OPENS = {"progress_index": 0, "patient_status": "He lies on a couch and looks around."}
"""How a scripted controller opens a packet, before its list."""


def small_as(**changes: Any) -> Scenario:
    """The small scenario with some fields replaced."""
    return Scenario.model_validate({**_small(), **changes})


@cache
def _small() -> dict[str, Any]:
    value: dict[str, Any] = yaml.load(SMALL.read_text("utf-8"), Loader=yaml.CSafeLoader)
    return value


def packet() -> Scenario:
    """A packet of prose."""
    return Scenario.model_validate(PACKET)


def staged(
    scenario: Scenario,
    *,
    seed: str = "0",
    settings: ScenarioSettings | None = None,
    recorded: Sequence[ExchangeRow] = (),
    inner: Sequence[InnerRow] = (),
    opening: Mapping[Seat, dict[str, Any]] = {"controller": OPENS, "patient": {}},
    **players: AnyPlayer | list[Any],
) -> Trace:
    """The trace of a scenario. A list of replies is a script; an examinee's goes on with empty moves, and
    those of a packet's other seats begin with an opening."""
    cast: dict[Seat, AnyPlayer] = {
        "examinee": Scripted([]),
        "patient": BaselinePatientSeat(),
        "controller": BaselineController(),
    }
    first = {seat: [opens] if scenario.packet else [] for seat, opens in opening.items()}
    for seat in cast:
        player = players.get(seat)
        if isinstance(player, list):
            cast[seat] = Scripted(
                [*player, *[move()] * 40] if seat == "examinee" else [*first[seat], *player]
            )
        elif player is not None:
            cast[seat] = player
    episode = ScenarioEpisode(0, scenario, persona("plain"), settings or ScenarioSettings(), seed)
    return asyncio.run(episode.play(cast, recorded=recorded, inner=inner))


def told(trace: Trace, seat: Seat) -> list[Event]:
    """Everything that a seat was told, in order."""
    return [event for event in trace.events if seat in event.to]


def text_of(requests: Sequence[Request[Any]]) -> str:
    """All that requests hold, as JSON text."""
    shown = []
    for request in requests:
        items = (item if not isinstance(item, tuple) else item.reply for item in request.feed)
        shown += [request.view.model_dump_json(), *(item.model_dump_json() for item in items)]
    return "\n".join(shown)


def voices(trace: Trace) -> list[tuple[str, set[str]]]:
    """(who speaks, who is there just then) for every line but the examinee's."""
    here: set[str] = set()
    found = []
    for event in trace.events:
        if isinstance(event, Present):
            here = here | {event.who} if event.here else here - {event.who}
        elif isinstance(event, Spoke) and event.by != "examinee":
            found.append((event.who, set(here)))
    return found
