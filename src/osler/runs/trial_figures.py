"""The figures of a trial: what a model did in each seat of some runs, read from their record."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from osler.core.attempts import REFUSED
from osler.models.budget import Estimate, cost_of, text_tokens
from osler.models.config import Endpoint
from osler.models.faults import MODELS_OWN, Kind
from osler.models.types import COUNTS, Usage
from osler.runs.run import config_of, protocol_of
from osler.runs.usage import JUDGE
from osler.store.records import CallRow, RunInfo
from osler.store.store import Store

Call = dict[str, Any]  # the body of a call's record, JSON
_CUT: Final = str(Kind.LENGTH)
_OWN: Final = frozenset(str(one) for one in MODELS_OWN)


@dataclass
class Seat:
    """The figures of one seat. Latencies are in seconds; a count or a cost is `None` where it is unknown.

    `cut` are the answers cut at a limit, thought included; `generated` the tokens of each answered call.
    """

    asked: int = 0
    first: int = 0
    repaired: int = 0
    unanswered: int = 0
    cut: int = 0
    generated: list[int] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    sent_again: Counter[str] = field(default_factory=Counter)
    rungs: Counter[str] = field(default_factory=Counter)
    tokens: dict[str, int | None] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))
    cost: float | None = 0.0
    latencies: list[float] = field(default_factory=list)
    models: set[str] = field(default_factory=set)
    served_by: set[str] = field(default_factory=set)

    def turn(self, answered: bool, causes: Iterable[str]) -> None:
        """Count a question to the seat, and the causes for which its answers were refused."""
        before = self.refused.total()
        self.refused.update(causes)
        self.asked += 1
        clean = self.refused.total() == before
        self.first += answered and clean
        self.repaired += answered and not clean
        self.unanswered += not answered

    def call(self, call: Call, endpoint: Endpoint) -> None:
        """Count a call to the model."""
        self.calls += 1
        tried = [*call["tries"], call]
        self.latencies += [one["latency_s"] for one in tried]
        self.sent_again.update(one["outcome"] for one in call["tries"] if one["outcome"] not in _OWN)
        self.rungs.update([call["rung"]])
        self.cut += sum(one["outcome"] == _CUT for one in tried)
        if call["completion_tokens"] and call["calls"]:
            self.generated.append(call["completion_tokens"])
        self.models.update(filter(None, [call.get("model")]))
        self.served_by.update(filter(None, [call.get("served_by")]))
        for name, total in self.tokens.items():
            self.tokens[name] = None if total is None or call[name] is None else total + call[name]
        cost = _cost(call, endpoint)
        self.cost = None if self.cost is None or cost is None else self.cost + cost

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON."""
        return {
            "turns": self.asked,
            "valid_at_first_try": self.first,
            "repaired": self.repaired,
            "unanswered": self.unanswered,
            "cut": self.cut,
            "refused": self.refused["refused"],
            "out_of_role": self.refused["out_of_role"],
            "refused_attempts": dict(sorted(self.refused.items())),
            "calls": self.calls,
            "requests_sent_again": dict(sorted(self.sent_again.items())),
            "rungs": dict(sorted(self.rungs.items())),
            **self.tokens,
            "generated_median": percentile(self.generated, 50),
            "cost": None if self.cost is None else round(self.cost, 6),
            "latency_median_s": percentile(self.latencies, 50),
            "latency_p90_s": percentile(self.latencies, 90),
            "models": sorted(self.models),
            "served_by": sorted(self.served_by),
        }


class SeatTurn(NamedTuple):
    """A turn that a seat took outside of any run: its calls, and why its answer cannot be used, if so."""

    protocol: str
    seat: str
    calls: tuple[Call, ...]
    cause: str


def seats_of(
    store: Store,
    runs: Sequence[RunInfo],
    endpoint: Endpoint,
    tried: Iterable[SeatTurn] = (),
    lost: Mapping[int, Sequence[Call]] = MappingProxyType({}),
) -> list[dict[str, Any]]:
    """The figures of each seat that a model had in some runs and in turns outside of them, judges last, by
    protocol.

    A turn is a question to the seat; for a judge, a call. Episodes that have not ended count with what they
    hold so far. `lost` are the calls of each run, by id, that no exchange or judgement came of; they count as
    calls, and not as turns.
    """
    seats: dict[tuple[str, str], Seat] = defaultdict(Seat)
    for one in sorted(tried, key=lambda one: one.seat == JUDGE):
        seat, causes = seats[one.protocol, one.seat], [one.cause] if one.cause else []
        for call in one.calls:
            seat.call(call, endpoint)
        seat.turn(not one.cause, causes)
    for run in runs:
        protocol, modelled = protocol_of(run), _modelled(run)
        spoilt: dict[tuple[int, int], list[str]] = defaultdict(list)
        for row in store.calls(run.id):
            spoilt[row.ordinal, row.n] += _spoilt(row.body)
            seats[protocol.name, role_of(run, row.body)].call(row.body, endpoint)
        for call in lost.get(run.id, ()):
            seats[protocol.name, role_of(run, call)].call(call, endpoint)
        for ordinal in sorted({*store.done(run.id), *store.partial(run.id)}):
            for exchange_row in store.recorded(run.id, ordinal):
                if exchange_row.seat in modelled:
                    causes = [
                        one["cause"] for one in json.loads(exchange_row.attempts) if one["at"] == REFUSED
                    ]
                    seat = seats[protocol.name, protocol.role(exchange_row.seat).name]
                    seat.turn(exchange_row.reply != "null", [*causes, *spoilt[ordinal, exchange_row.n]])
    for run in runs:
        for row in store.judge_calls(run.id):
            seat, ok = seats[protocol_of(run).name, JUDGE], row.body["outcome"] == "ok"
            seat.call(row.body, endpoint)
            seat.turn(ok, [*_spoilt(row.body), *([] if ok else [row.body["outcome"]])])
    return [{"protocol": name, "seat": seat, **each.as_json()} for (name, seat), each in seats.items()]


def role_of(run: RunInfo, call: Call) -> str:
    """The role of the seat that a call was made for."""
    return JUDGE if call["seat"] == JUDGE else protocol_of(run).role(call["seat"]).name


def lost_calls(store: Store, run: RunInfo, overheard: Iterable[Call]) -> list[Call]:
    """Those of the calls overheard in a run that its record does not hold, since nothing came of them."""
    counts = Counter(_mark(row.body) for row in all_calls(store, run))
    lost = []
    for call in overheard:
        counts[_mark(call)] -= 1
        if counts[_mark(call)] < 0:
            lost.append(call)
    return lost


def _mark(call: Call) -> tuple[object, ...]:
    return call["seat"], call["prompt"], call["text"], call["latency_s"]


def endings(store: Store, run: RunInfo) -> list[dict[str, str | int]]:
    """The status of each ended episode of a run, with its cause and turns."""
    return [
        {"case": row.case_id, "status": str(row.status), "cause": row.cause, "turns": row.turns}
        for row in store.episodes(run.id)
    ]


def all_calls(store: Store, run: RunInfo) -> Iterator[CallRow]:
    """The calls of a run's players, then of its judges."""
    yield from store.calls(run.id)
    yield from store.judge_calls(run.id)


def spent(store: Store, runs: Iterable[RunInfo], endpoint: Endpoint, also: Iterable[Call] = ()) -> float:
    """The cost of some runs and other calls at the endpoint's prices; tokens that it did not report are
    estimated."""
    bodies = (row.body for run in runs for row in all_calls(store, run))
    return sum(
        _cost(call, endpoint) or cost_of(_guess(call), endpoint) or 0.0 for call in chain(bodies, also)
    )


def percentile(values: Sequence[float], percent: int) -> float | None:
    """The nearest-rank percentile; `None` of no values."""
    at = -(-percent * len(values) // 100) - 1
    return sorted(values)[max(0, at)] if values else None


def _modelled(run: RunInfo) -> set[str]:
    config = config_of(run)
    return {seat for seat in config.names() if config.models_in(seat)}


def _spoilt(call: Call) -> list[str]:
    """The causes for which the client itself asked the model again."""
    return [one["outcome"] for one in call["tries"] if one["outcome"] in _OWN]


def _cost(call: Call, endpoint: Endpoint) -> float | None:
    return cost_of(Usage(**{name: call[name] for name in COUNTS}), endpoint)


def _guess(call: Call) -> Estimate:
    sent = sum(text_tokens(one["text"]) for one in call.get("messages", ()))
    said = sum(text_tokens((one["text"] or "") + (one["reasoning"] or "")) for one in [*call["tries"], call])
    return Estimate(sent * (1 + len(call["tries"])), said)
