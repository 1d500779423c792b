"""Exchanges without their texts: who was asked for what, when, and what it took."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from osler.core.attempts import Answer
from osler.core.protocol import Protocol
from osler.core.trace import ExchangeRow, InnerRow
from osler.errors import BadInput
from osler.store.records import CallRow
from osler.web.evaluate.trace_schemas import Attempt, ExchangeLine
from osler.web.schemas import TextLine
from osler.web.watch.log import Recorded, entries

_SHOWN: Final = 160
_ACTS: Final = ("action", "act", "kind")


def exchange_lines(
    record: Recorded, inner: Iterable[InnerRow], calls: Iterable[CallRow], protocol: Protocol
) -> list[ExchangeLine]:
    """The exchanges of an episode, in order."""
    within = Counter(row.n for row in inner)
    retries = Counter[int]()
    for call in calls:
        retries[call.n] += len(call.body.get("tries", ()))
    minutes = _minutes(record)
    return [
        ExchangeLine(
            n=row.n,
            seat=row.seat,
            act=act_of(row.reply),
            words=next((one.text[:_SHOWN] for one in reply_words(row, protocol)), ""),
            minute=minutes.get(row.n, 0),
            bytes=sum(len(text.encode("utf-8", "replace")) for text in (row.events, row.reply)),
            tokens=tokens_of(row.attempts),
            retries=retries[row.n],
            refused=len(refused_in(row.attempts)),
            inner=within[row.n],
        )
        for row in record.rows
    ]


def _minutes(record: Recorded) -> Mapping[int, int]:
    try:
        return {entry.at[0]: entry.minute for entry in entries(record) if entry.event is None}
    except BadInput:  # an event of another version
        return {}


def act_of(reply: str) -> str:
    """The act of a reply, in the protocol's own word; "" if it has none."""
    read = json.loads(reply)
    held = read if isinstance(read, dict) else {}
    named = (held[name] for name in _ACTS if isinstance(held.get(name), str))
    return str(next(named, "")).replace("_", " ").lower()


def reply_words(row: ExchangeRow, protocol: Protocol) -> list[TextLine]:
    """A reply as lines."""
    return [
        TextLine(label=one.label, kind=one.kind, text=one.text, by=one.by, public=one.public)
        for one in protocol.reply_lines(row.seat, row.reply)
    ]


def tokens_of(attempts: str) -> int | None:
    """The tokens that a reply took; `None` if no model was asked, or none were counted."""
    used: list[dict[str, Any]] = [one for one in json.loads(attempts) if one.get("at") == "used"]
    counts = [one.get(name) for one in used for name in ("prompt_tokens", "completion_tokens")]
    return None if not counts or None in counts else sum(int(one or 0) for one in counts)


def refused_in(attempts: str) -> list[Attempt]:
    """The replies that were refused, and why."""
    return [
        Attempt(
            at=str(one.get("by") or one["at"]),
            why=str(one.get("error", "")),
            said=one["reply"] if isinstance(one.get("reply"), str) else json.dumps(one.get("reply")),
        )
        for one in Answer(None, "null", json.loads(attempts)).refused
    ]
