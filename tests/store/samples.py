"""Episodes made up for the store's tests; what they say does not matter here."""

from __future__ import annotations

import json

from osler.core.events import Seat
from osler.core.trace import ExchangeRow, Outcome
from osler.errors import Status
from osler.store.store import Store

SEATS: tuple[Seat, ...] = ("doctor", "patient")
EXCHANGES = 4
BODY = '{"id":"case-1","words":"my chest hurts"}'
CASE = "c" * 32
JUDGED = [("diagnosis", "d1", '{"score":1.0,"reason":null}'), ("history", "h1", '{"score":null}')]


def exchange(n: int, say: str = "hello") -> ExchangeRow:
    events = json.dumps([{"kind": "said", "minute": n, "to": [], "by": "doctor", "text": say}])
    return ExchangeRow(n, SEATS[n % 2], f"{n:032x}", events, json.dumps({"answer": say}), "[]")


def exchanges(ordinal: int, count: int = EXCHANGES) -> list[ExchangeRow]:
    return [exchange(n, f"exchange {n} of episode {ordinal}") for n in range(1, count + 1)]


def outcome(status: Status = Status.COMPLETED, reason: str = "concluded") -> Outcome:
    tail = '[{"kind":"ended","minute":9,"to":[],"status":"completed","reason":"concluded"}]'
    return Outcome(status, reason, 9, EXCHANGES, {"turns": 3, "tests": 1, "cost": 40}, tail)


def key(ordinal: int) -> str:
    return f"{ordinal * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128:032x}"


def play(store: Store, run_id: int, ordinals: range, case: str = CASE) -> None:
    """Write whole episodes."""
    with store.writer(run_id) as writer:
        writer.case(case, BODY)
        for ordinal in ordinals:
            for row in exchanges(ordinal):
                writer.exchange(ordinal, row)
            writer.end(ordinal, key(ordinal), case, "case-1", outcome(), JUDGED)
