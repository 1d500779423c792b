"""Why a ward round went wrong, by rule: the answer was given away, or a round had no guidance."""

from __future__ import annotations

from collections.abc import Iterator

from osler.core.failure import GIVEN_AWAY, NO_GUIDANCE, Failure, failure, last_of
from osler.core.measure import Scored
from osler.core.said_in import SaidIn
from osler.protocols.ward_round.events import Unguided
from osler.protocols.ward_round.judge.round_judgement import RoundJudgement
from osler.protocols.ward_round.seats import TUTOR


def failures(episode: Scored) -> Iterator[Failure]:
    """Yield the failures of a judged round."""
    judged: RoundJudgement | None = episode.judgement
    if judged is None:
        return
    trace, leak = episode.trace(), judged.outcomes.leak
    if leak and judged.outcomes.english:
        n = SaidIn(trace, TUTOR.seat).exchange(leak.quote)
        yield from failure(GIVEN_AWAY, n or last_of(trace, TUTOR.seat), leak.quote)
    for n, events in trace.told():
        for event in events:
            if isinstance(event, Unguided):
                yield from failure(NO_GUIDANCE, n, event.reason)
                return
