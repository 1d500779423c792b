"""The lines of an export, spliced from the JSON texts of the store.

Each text is brought into canonical form (keys sorted, ASCII, no spaces) by itself and kept for when it comes
again: players repeat themselves, and most of what makes an export is reading and writing JSON. A line is the
same, byte for byte, as that of the whole episode written at once (`osler.store.export.record_object`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, Generic, TypeVar

from osler.core.trace import ExchangeRow, InnerRow
from osler.store import damage
from osler.store.damage import Record
from osler.store.records import COUNTED, Judgement, has_more

K = TypeVar("K")

SCHEMA: Final = 2
MEASURED: Final = ("cached_tokens",)
"""Counts of a reply that depend on when an endpoint was asked; they are not part of the episode."""

_KEPT: Final = 8_000_000
"""The most characters of texts of one kind that are kept."""

encode: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode
_quoted: Final = json.encoder.encode_basestring_ascii


def exported_counts(counts: Mapping[str, int]) -> dict[str, Any]:
    """The counts under their export keys: `counts` if a protocol counts more than turns, tests and cost,
    otherwise these three."""
    return {"counts": dict(counts)} if has_more(counts) else {name: counts.get(name, 0) for name in COUNTED}


def unmeasured(attempts: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The attempts of an exchange without what endpoints report about themselves."""
    return [{key: value for key, value in one.items() if key not in MEASURED} for one in attempts]


def judgement_object(judgement: Judgement) -> dict[str, Any]:
    """A judgement as it is exported. Raises ValueError if it is damaged."""
    return {**damage.check_judgement(judgement), "version": judgement.version}


def branch_object(configuration: Mapping[str, Any]) -> dict[str, Any] | None:
    """The beginning of a branch, as each of its episodes says it; `None` for a run that is none."""
    branch = configuration.get("branch")
    return {name: branch[name] for name in ("episode", "ordinal", "at")} if branch else None


def earlier_judgements(judged: Sequence[Judgement]) -> list[dict[str, Any]]:
    """Those judgements that are not their grader's latest, as they are exported."""
    last = {one.grader: judgement_object(one) for one in judged}
    each = ((one.grader, judgement_object(one)) for one in judged)
    return [{"grader": grader, **found} for grader, found in each if found != last[grader]]


class Lines:
    """Makes the lines of the episodes of one run, whose `configuration` is given."""

    def __init__(self, configuration: Mapping[str, Any]) -> None:
        branch = branch_object(configuration)
        self._same = {"schema": encode(SCHEMA), **({"branch": encode(branch)} if branch else {})}
        self._texts = _BoundedCache[str](lambda text: encode(damage.parsed("a text", text)))
        self._attempts = _BoundedCache[str](lambda text: encode(unmeasured(damage.parsed("attempts", text))))
        self._judged = _BoundedCache[Judgement](lambda one: encode(judgement_object(one)))

    def of(self, record: Record) -> str:
        """The line of an episode read with `earlier` judgements, without a line end.

        Raises ValueError (or what else reading a damaged row does) if the episode is not as it was written.
        """
        damage.check_rows(record)
        episode, trace, judged = record
        outcome = episode.outcome
        inner = {n: list(each) for n, each in groupby(trace.inner, lambda row: row.n)}
        last = {one.grader: self._judged[one._replace(ordinal=0)] for one in judged}
        fields = {
            **self._same,
            "episode": _quoted(episode.key),
            "ordinal": str(episode.ordinal),
            "case": _quoted(episode.case_hash),
            "case_id": _quoted(episode.case_id),
            "status": _quoted(outcome.status),
            "reason": _quoted(outcome.reason),
            "minutes": str(outcome.minutes),
            **{name: encode(value) for name, value in exported_counts(outcome.counts).items()},
            "exchanges": f"[{','.join([self._exchange(row, inner.get(row.n)) for row in trace.rows])}]",
            "tail": self._texts[outcome.tail],
            "judgements": _object({_quoted(grader): last[grader] for grader in sorted(last)}),
        }
        # A body that holds NaN is unequal to itself, and so stands among the earlier ones.
        several = len(last) < len(judged) or any("NaN" in body for body in last.values())
        if several and (earlier := earlier_judgements(judged)):
            fields["earlier_judgements"] = encode(earlier)
        return _object({f'"{name}"': fields[name] for name in sorted(fields)})

    def _exchange(self, row: ExchangeRow, inner: Sequence[InnerRow] | None) -> str:
        inside = f'"inner":[{",".join(map(self._inner, inner))}],' if inner else ""
        return (
            f'{{"attempts":{self._attempts[row.attempts]},"events":{self._texts[row.events]},{inside}'
            f'"n":{row.n:d},"reply":{self._texts[row.reply]},"request":{_quoted(row.request)},'
            f'"seat":{_quoted(row.seat)}}}'
        )

    def _inner(self, row: InnerRow) -> str:
        return (
            f'{{"attempts":{self._attempts[row.attempts]},"events":{self._texts[row.events]},'
            f'"path":{_quoted(row.path)},"player":{_quoted(row.player)},'
            f'"reply":{self._texts[row.reply]},"request":{_quoted(row.request)}}}'
        )


def _object(fields: Mapping[str, str]) -> str:
    """A JSON object of keys and values that are JSON already, in their order."""
    return f"{{{','.join([f'{key}:{value}' for key, value in fields.items()])}}}"


class _BoundedCache(dict[K, str], Generic[K]):
    """A cache of what `make` returns for each key; it is emptied when it grows beyond its bound."""

    def __init__(self, make: Callable[[K], str]) -> None:
        self._make, self._room = make, _KEPT

    def __missing__(self, key: K) -> str:
        made = self._make(key)
        self._room -= len(made)
        if self._room < 0:
            self.clear()
            self._room = _KEPT - len(made)
        self[key] = made
        return made
