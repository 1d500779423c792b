"""Inner exchanges as lines: the answers of the players inside a composite, and the count of their votes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic_core import from_json

from osler.choreography.cues import Spoken
from osler.choreography.director import INSIDE, VOTES
from osler.core.protocol import Protocol
from osler.core.trace import InnerRow

_COUNTED: Final = re.compile(r"Votes: (.+)|(\d+ of \d+ doctors agree .+)")
"""The reason in which the doctors of a composite note their count."""
_OPINIONS: Final = ("comment", "reason", "chosen", "approve", "experts")
"""The fields of the opinions that wrappers ask for (`osler.core.deliberation`)."""


def thoughts(rows: Sequence[InnerRow], lines: Iterable[Spoken], plays: Protocol) -> tuple[Spoken, ...]:
    """The lines of one exchange's inner exchanges, and the votes if any were cast: counted by the composite
    itself among its reasons (`lines` are those of its reply), or votes of approval."""
    said = [_line(row, plays) for row in rows]
    counts = [found[1] or found[2] for one in lines if (found := _COUNTED.fullmatch(one.text))]
    votes = [vote for row in rows if isinstance(vote := _opinion(row).get("approve"), bool)]
    if votes:
        counts.append(f"{sum(votes)} of {len(votes)} in favour")
    return (*said, *(Spoken("votes", VOTES, text, public=False) for text in counts if rows))


def _line(row: InnerRow, plays: Protocol) -> Spoken:
    worded = plays.reply_lines(row.seat, row.reply)
    text = "; ".join(one.text if one.kind == "said" else f"{one.kind} {one.text}" for one in worded)
    told = text or _plain(_opinion(row)) or "no answer"
    how = _how(row.events)
    return Spoken(
        f"{row.n}.{row.path} {row.player}{f', {how}' if how else ''}", INSIDE, told, row.seat, False
    )


def _opinion(row: InnerRow) -> Mapping[str, Any]:
    found = from_json(row.reply)
    return found if isinstance(found, dict) else {}


def _plain(opinion: Mapping[str, Any]) -> str:
    given = {name: opinion[name] for name in _OPINIONS if opinion.get(name) not in (None, "")}
    return "; ".join(str(one) if name == "comment" else f"{name}: {one}" for name, one in given.items())


def _how(events: str) -> str:
    """The way in which they were asked, in the wrapper's own word."""
    told = [one for one in from_json(events) if isinstance(one, dict) and one.get("kind") == "reconsider"]
    return str(told[-1].get("how", "")) if told else ""
