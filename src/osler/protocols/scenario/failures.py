"""Why a scenario went wrong, by rule: the critical items that were not seen, and what was done to harm."""

from __future__ import annotations

from collections.abc import Iterator

from osler.core.failure import CRITICAL_MISSED, UNSAFE, Failure, failure, last_of
from osler.core.measure import Scored
from osler.core.said_in import SaidIn
from osler.judging.rubric.judgement import RubricJudgement
from osler.protocols.scenario.debriefing import EXAMINEE, Examined

_NO_VERDICT = frozenset({"not_by_rule", "ordered"})
"""How open a verdict is that says nothing against the examinee."""


def failures(episode: Scored) -> Iterator[Failure]:
    """Yield the first harm done and the first critical item missed. A missed item rests on the exchange in
    which it was first due."""
    judged: RubricJudgement | None = episode.judgement
    if judged is None:
        return
    trace = episode.trace()
    played, said, last = (
        Examined(episode.case(), trace, judged),
        SaidIn(trace, EXAMINEE),
        last_of(trace, EXAMINEE),
    )
    verdicts = [(item, judged.by_id[item.id]) for item in judged.rubric.items]
    for item, verdict in verdicts:
        if item.traits.negative and verdict.holds and verdict.quotes:
            quote = verdict.quotes[0]
            n = said.turn(quote.turn) or said.exchange(quote.text)
            yield from failure(UNSAFE, n or last, item.text, quote.text)
            break
    for item, verdict in verdicts:
        missed = item.traits.critical and not item.traits.negative and verdict.holds is False
        if missed and verdict.open not in _NO_VERDICT:
            due = played.due(item)
            yield from failure(CRITICAL_MISSED, due[0].exchange if due else last, item.text)
            break
