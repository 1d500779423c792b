"""What of a damaged store can still be read, and what is lost, episode by episode.

A damaged page makes the database refuse the rows on it; a flipped bit in a row's text makes it unreadable as
what it was. Either is found when the row is read. A letter changed for another in the middle of a text is
found by nothing.
"""

from __future__ import annotations

import json
import logging
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic_core import from_json

from osler.core.trace import ExchangeRow, InnerRow, Trace
from osler.errors import BadStore
from osler.store.connect import SALVAGE
from osler.store.records import EpisodeRow, Judgement

Record = tuple[EpisodeRow, Trace, tuple[Judgement, ...]]
"""An ended episode, its trace, and its judgements."""

LOG: Final = logging.getLogger("osler.store")
UNREADABLE: Final = (ValueError, TypeError, AttributeError, LookupError, OverflowError, zlib.error)
"""What reading a damaged row raises, besides the database's own errors."""

_SHOWN: Final = 5


class Damaged(BadStore):
    """Some episodes of a run cannot be read, others can. `lost` gives the reason for each lost ordinal."""

    def __init__(self, run: str, run_id: int, lost: Mapping[int, str], label: str) -> None:
        self.run_id, self.lost = run_id, dict(lost)
        some = ", ".join(f"{run}:{ordinal}" for ordinal in list(lost)[:_SHOWN])
        more = f" and {len(lost) - _SHOWN} more" if len(lost) > _SHOWN else ""
        what = f"the store is damaged; {some}{more} cannot be read ({next(iter(lost.values()))})"
        super().__init__(what, where=label, hint=f"osler export {run} --out FILE.jsonl writes the others")


def unreadable_row(label: str) -> BadStore:
    """The error for a row that is not what was written."""
    return BadStore("the file is damaged: a row is not what was written", where=label, hint=SALVAGE)


def check(record: Record) -> None:
    """Raise ValueError if an episode is not as it was written, as far as can be told."""
    episode, trace, judgements = record
    check_rows(record)
    parsed("its end", episode.tail)
    for row in _rows(trace):
        for text in (row.events, row.reply, row.attempts):
            parsed(f"exchange {row.n}", text)
    for judgement in judgements:
        check_judgement(judgement)


def checked(record: Record) -> Record:
    """The record itself. Raises ValueError as `check` does."""
    check(record)
    return record


def check_rows(record: Record) -> None:
    """Raise ValueError if an episode is not as it was written, its JSON texts not looked at."""
    episode, trace, _ = record
    _check_numbers(episode)
    if len(trace.rows) != episode.exchanges:
        raise ValueError(f"of its {episode.exchanges} exchanges {len(trace.rows)} are there")
    for row in _rows(trace):
        if not isinstance(row.seat, str) or not isinstance(row.request, str):
            raise ValueError(f"exchange {row.n} is not what was written")


def _rows(trace: Trace) -> Sequence[ExchangeRow | InnerRow]:
    return (*trace.rows, *trace.inner)


def check_judgement(judgement: Judgement) -> dict[str, Any]:
    """The body of a judgement. Raises ValueError if it is not as it was written."""
    what = f"what {judgement.grader!r} judged"
    body = parsed(what, judgement.body)
    scores = body.get("scores", {}) if isinstance(body, dict) else None
    if not isinstance(scores, dict) or not all(_is_score(one) for one in scores.values()):
        raise ValueError(f"{what} is not what was written")
    result: dict[str, Any] = body
    return result


def _is_score(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("value", ""), int | float | None)


def _check_numbers(episode: EpisodeRow) -> None:
    numbers: Iterable[object] = (episode.minutes, episode.exchanges, *episode.counts.values())
    words: Sequence[object] = (episode.key, episode.case_hash, episode.case_id, episode.reason)
    if not all(isinstance(one, int) for one in numbers) or not all(isinstance(one, str) for one in words):
        raise ValueError("its row is not what was written")


def parsed(what: str, text: str) -> Any:
    """The value of a JSON text, as `json.loads` reads it. Raises ValueError, saying what is damaged."""
    try:
        return from_json(text)
    except (ValueError, TypeError):
        try:
            return json.loads(text)  # which reads lone surrogates, and deep nesting, too
        except (ValueError, TypeError, RecursionError):
            raise ValueError(f"{what} is not what was written") from None
