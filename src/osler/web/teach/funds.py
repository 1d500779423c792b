"""What a room's models have used, and what they may: one ceiling for all its sittings together."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import NamedTuple, TypeVar

from osler.errors import BadInput
from osler.models.budget import Ledger
from osler.models.config import Config as Endpoints
from osler.runs.run import config_of
from osler.runs.seating import models_named
from osler.runs.usage import ledger_of, usage
from osler.store import practice
from osler.store.practice import PersonSitting
from osler.store.rooms import Rooms
from osler.web.house import House
from osler.web.practise.encounter import EARLIER
from osler.web.practise.sittings import Funds
from osler.web.teach.room import opened
from osler.web.teach.schemas import Ceiling

N = TypeVar("N", int, float)


class Spent(NamedTuple):
    """Tokens, and money in the currency of the prices; `None` where a price is not known."""

    tokens: int
    money: float | None


class RoomFunds:
    """The funds of each room: its ceiling, and one ledger that all its sittings charge."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._ledgers: dict[str, Ledger] = {}
        self._one_at_a_time = Lock()

    def of(self, room: str) -> Funds:
        """The funds of a room's sittings; without a room, those of the house."""
        options = self._house.models
        row = Rooms(self._house.store).room(room) if room else None
        if row is None:
            return Funds(options)
        ceiling = opened(row).plan.ceiling
        if ceiling == Ceiling():
            return Funds(options)
        return Funds(
            options._replace(
                token_budget=_least(ceiling.tokens, options.token_budget),
                max_money=_least(ceiling.money, options.max_money),
            ),
            self._ledger(room),
        )

    def _ledger(self, room: str) -> Ledger:
        with self._one_at_a_time:
            if room not in self._ledgers:
                ledger = self._ledgers[room] = Ledger()
                store, endpoints = self._house.store, self._house.models.endpoints()
                for run in _runs(practice.sittings_in(store, room)):
                    for (seat, name), tally in ledger_of(usage(store, run, endpoints)).rows.items():
                        ledger.add(seat, name, tally)
            return self._ledgers[room]


def runs_of(sitting: PersonSitting) -> list[int]:
    """The runs of a sitting: the one it is in, and those it was in before other players sat down."""
    return [sitting.run, *sitting.more.get(EARLIER, ())]


def _runs(sittings: Iterable[PersonSitting]) -> Iterable[int]:
    """The runs of some sittings, each once: people who share an encounter share its run."""
    return dict.fromkeys(run for sitting in sittings for run in runs_of(sitting))


def spent(house: House, sittings: Iterable[PersonSitting]) -> Spent:
    """The usage of the models of some sittings, as far as it is recorded."""
    runs = (house.store.info(run) for run in _runs(sittings))
    with_models = [run for run in runs if models_named(config_of(run))]
    endpoints = house.models.endpoints() if with_models else Endpoints()
    tokens, money = 0, 0.0
    known = True
    for run in with_models:
        for seats in usage(house.store, run.id, endpoints).values():
            for row in seats.values():
                tokens += int(row["prompt_tokens"] or 0) + int(row["completion_tokens"] or 0)
                known = known and row["cost"] is not None
                money += float(row["cost"] or 0.0)
    return Spent(tokens, round(money, 6) if known else None)


def check_left(ceiling: Ceiling, used: Spent) -> None:
    """Raise BadInput if a ceiling is reached."""
    tokens = ceiling.tokens is not None and used.tokens >= ceiling.tokens
    if tokens or (ceiling.money is not None and (used.money or 0.0) >= ceiling.money):
        raise BadInput(
            "what this room's model may cost is used up",
            where="ceiling",
            hint="tell your teacher: it can be raised",
        )


def _least(one: N | None, other: N | None) -> N | None:
    return min((each for each in (one, other) if each is not None), default=None)
