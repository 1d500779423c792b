"""The figures of a trial: what a model did in each seat of some runs, read from their record."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from osler.core.attempts import REFUSED
from osler.models.budget import Estimate, cost_of, text_tokens
from osler.models.config import Endpoint
from osler.models.faults import MODELS_OWN
from osler.models.types import COUNTS, Usage
from osler.runs.run import config_of, protocol_of
from osler.runs.usage import JUDGE
from osler.store.records import CallRow, RunInfo
from osler.store.store import Store

Call = dict[str, Any]  # the body of a call's record, JSON
_OWN: Final = frozenset(str(one) for one in MODELS_OWN)


@dataclass
class Seat:
    """The figures of one seat. Latencies are in seconds; a count or a cost is `None` where it is unknown."""

    asked: int = 0
    first: int = 0
    repaired: int = 0
    unanswered: int = 0
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
            "refused_attempts": dict(sorted(self.refused.items())),
            "calls": self.calls,
            "requests_sent_again": dict(sorted(self.sent_again.items())),
            "rungs": dict(sorted(self.rungs.items())),
            **self.tokens,
            "cost": None if self.cost is None else round(self.cost, 6),
            "latency_median_s": percentile(self.latencies, 50),
            "latency_p90_s": percentile(self.latencies, 90),
            "models": sorted(self.models),
            "served_by": sorted(self.served_by),
        }


def seats_of(store: Store, runs: Sequence[RunInfo], endpoint: Endpoint) -> list[dict[str, Any]]:
    """The figures of each seat that a model had in some runs, judges last, by protocol.

    A turn is a question to the seat; for a judge, a call. Episodes that have not ended count with what they
    hold so far.
    """
    found: dict[tuple[str, str], Seat] = defaultdict(Seat)
    for run in runs:
        protocol, modelled = protocol_of(run), _modelled(run)
        spoilt: dict[tuple[int, int], list[str]] = defaultdict(list)
        for row in store.calls(run.id):
            spoilt[row.ordinal, row.n] += _spoilt(row.body)
            role = protocol.role(row.body["seat"]).name
            found[protocol.name, role].call(row.body, endpoint)
        for ordinal in sorted({*store.done(run.id), *store.partial(run.id)}):
            for asked in store.recorded(run.id, ordinal):
                if asked.seat in modelled:
                    causes = [one["cause"] for one in json.loads(asked.attempts) if one["at"] == REFUSED]
                    seat = found[protocol.name, protocol.role(asked.seat).name]
                    seat.turn(asked.reply != "null", [*causes, *spoilt[ordinal, asked.n]])
    for run in runs:
        for row in store.judge_calls(run.id):
            seat, ok = found[protocol_of(run).name, JUDGE], row.body["outcome"] == "ok"
            seat.call(row.body, endpoint)
            seat.turn(ok, [*_spoilt(row.body), *([] if ok else [row.body["outcome"]])])
    return [{"protocol": name, "seat": seat, **each.as_json()} for (name, seat), each in found.items()]


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


def spent(store: Store, runs: Iterable[RunInfo], endpoint: Endpoint) -> float:
    """The cost of some runs at the endpoint's prices; tokens that it did not report are estimated."""
    return sum(
        _cost(row.body, endpoint) or cost_of(_guess(row.body), endpoint) or 0.0
        for run in runs
        for row in all_calls(store, run)
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
