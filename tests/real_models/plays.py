"""The encounters that are played: each seat in turn by the model, built-in players elsewhere; then all seats
at once. They are as short as may be, and each asks the seat at least once."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from osler.core.config import Config
from osler.core.events import Seat
from osler.protocols.consultation.config import RunConfig
from osler.protocols.scenario.config import ScenarioConfig
from osler.protocols.ward_round.config import RoundConfig

NAME: Final = "tiny"
MODEL: Final = f"model:{NAME}"


class Play(NamedTuple):
    """An encounter, and the seats in it that the model has."""

    config: Config
    seats: tuple[Seat, ...]


def tries(seats: tuple[Seat, ...]) -> int:
    """The attempts at an answer: where the model has all seats, it is asked again, too."""
    return 2 if len(seats) > 1 else 1


def consultation(*seats: Seat, turns: int = 2, settings: dict[str, Any] | None = None, **more: Any) -> Play:
    """A consultation of so many turns with the model in some seats."""
    chosen = {"limits": {"max_turns": turns}, "max_attempts": tries(seats), **(settings or {})}
    table = {"only": "cardiology-01", "settings": chosen, **more, **dict.fromkeys(seats, MODEL)}
    return Play(RunConfig.model_validate(table), seats)


def scenario(*seats: Seat) -> Play:
    """A scenario of two turns."""
    table = {
        "limit": 1,
        "settings": {"max_turns": 2, "max_attempts": tries(seats)},
        **dict.fromkeys(seats, MODEL),
    }
    return Play(ScenarioConfig.model_validate(table), seats)


def ward_round(*seats: Seat, students: int = 1) -> Play:
    """A round with one draft, of a case in which patient and expert are asked where three students listen."""
    settings = {"max_rounds": 1, "max_drafts": 1, "exam": "unseen", "max_attempts": tries(seats)}
    players: dict[str, Any] = dict.fromkeys(seats, MODEL)
    if "student" in players:
        players["student"] = (MODEL,)
    table = {"only": "cardiology-02", "students": students, "settings": settings, **players}
    named = tuple("student_1" if seat == "student" else seat for seat in seats)
    return Play(RoundConfig.model_validate(table), named)


SEATS: Final = {
    "consultation doctor": consultation("doctor"),
    "consultation patient": consultation("patient", doctor="repeat-everything"),
    "consultation examination": consultation("examination", doctor="availability-only"),
    "consultation consultant": consultation("consultant", settings={"mdt": "always"}),
    "consultation summarizer": consultation("summarizer", settings={"format_arm": "summarized"}),
    "consultation synthesizer": consultation(
        "synthesizer", only="cardiology-03", doctor="availability-only", settings={"unknown": "synthesize"}
    ),
    "scenario examinee": scenario("examinee"),
    "scenario patient": scenario("patient"),
    "scenario controller": scenario("controller"),
    "ward_round tutor": ward_round("tutor"),
    "ward_round patient": ward_round("patient", students=3),
    "ward_round specialist": ward_round("specialist"),
    "ward_round supervisor": ward_round("supervisor"),
    "ward_round expert": ward_round("expert", students=3),
    "ward_round student": ward_round("student"),
}
BLIND: Final = frozenset({"consultation describer"})
"""Seats for models that see pictures, which this one does not."""
TOGETHER: Final = {
    "consultation": consultation(
        "doctor", "patient", "examination", "consultant", settings={"mdt": "always"}
    ),
    "scenario": scenario("examinee", "patient", "controller"),
    "ward_round": ward_round("tutor", "patient", "specialist", "supervisor", "expert", "student"),
}
JUDGED: Final = {"consultation": consultation(), "scenario": scenario(), "ward_round": ward_round()}
"""Encounters of built-in players that the model judges."""
ONE_TRY: Final = consultation("doctor", settings={"max_attempts": 1}, moves="text", repeats=2)
"""Two encounters in which every request ends an exchange, whatever comes."""
