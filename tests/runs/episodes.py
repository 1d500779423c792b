"""Ended consultations with judgements, without a story: what totals are made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from pydantic_core import from_json

from osler.core.measure import Scored
from osler.core.trace import Trace
from osler.errors import Status
from osler.judging.scores import UNSCORED, Score
from osler.protocols.consultation.judgement import Judgement
from osler.protocols.consultation.measures import NAMES
from osler.protocols.consultation.protocol import PROTOCOL
from osler.runs.measured import Measured
from osler.runs.totals import Tally, Totals
from osler.store.records import EpisodeRow

COUNTS: Final = {"turns": 6, "tests": 2, "cost": 300}
LABEL: Final = "what the figures are evidence of"
MEASURES: Final = tuple(one for one in PROTOCOL.measures if not one.traced)


class Ended(NamedTuple):
    """An ended consultation and its judgement, `None` if nobody judged it."""

    case: str
    judgement: Judgement | None
    status: Status = Status.COMPLETED
    turns: int = 6


def judged(
    right: float | None, kind: str = "diagnosis", chance: float | None = None, **scores: float
) -> Judgement:
    """A judgement of which only `correct` and the `scores` given matter."""
    found = dict.fromkeys(NAMES, Score(None, "not_in_case"))
    found |= {name: Score(value) for name, value in scores.items()}
    found["correct"] = Score(None, "needs_a_judge") if right is None else Score(right)
    return Judgement("baseline", "1", found, kind, chance)


def totals_of(*rights: float | None) -> Totals:
    """The totals of one consultation a case."""
    return totals_over(Ended(f"case {n}", judged(right)) for n, right in enumerate(rights))


def totals_over(episodes: Iterable[Ended], refused: dict[str, int] | None = None) -> Totals:
    """The totals of some consultations of 12 exchanges each."""
    tally = Tally(PROTOCOL, MEASURES)
    for number, one in enumerate(episodes):
        row = EpisodeRow(
            *(number, "key", one.case, one.case, one.status, "", 40, 12),
            *({**COUNTS, "turns": one.turns}, "[]", None, None),
        )
        body: Any = from_json(one.judgement.stored.body) if one.judgement else None
        found = Scored(row, body, _unread)
        spoilt = one.status in UNSCORED
        values = tuple(None if spoilt else measure.of(found) for measure in MEASURES)
        tally.add(Measured(row, values, "1" if body else "", one.case), found)
    return tally.totals(LABEL, refused or {})


def _unread() -> Trace:
    raise AssertionError("these measures read no trace")
