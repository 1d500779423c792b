"""Whether an encounter may be scored: a fault never becomes a score in another tool's table."""

from __future__ import annotations

import json
from typing import Final

from osler.core.trace import Trace
from osler.errors import Status
from osler.judging.scores import UNSCORED

_UNREAD: Final = frozenset({"unparsable", "empty", "thought_only", "truncated"})
FORM: Final = "every answer was unreadable, so the endpoint or its format is at fault, and nothing is scored"


def why_unscored(trace: Trace, seat: str) -> str:
    """The reason why an encounter may not be scored for a `seat`; empty if it may.

    Osler itself counts a player that never gives a valid move as wrong. Through another tool's endpoint that
    is how a wrong address or a lost answer format looks, so where not one answer could be read, there is no
    score.
    """
    outcome = trace.outcome
    if outcome.status in UNSCORED:
        return outcome.reason or str(outcome.status)
    if outcome.status is not Status.INVALID_PLAY:
        return ""
    rows = [row for row in trace.rows if row.seat == seat]
    if any(row.reply != "null" for row in rows):
        return ""
    refused = [one for row in rows for one in json.loads(row.attempts) if "error" in one]
    return FORM if all(one.get("cause") in _UNREAD for one in refused) else ""
