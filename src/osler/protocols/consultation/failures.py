"""Why a consultation went wrong, by rule: from the judgement's scores and what was heard and ordered."""

from __future__ import annotations

from collections.abc import Iterator

from osler.core.failure import (
    CLOSED_EARLY,
    CRITICAL_MISSED,
    NEVER_ASKED,
    NEVER_EXAMINED,
    NO_ANSWER,
    NOT_AWAITED,
    UNSAFE,
    UNSUPPORTED,
    WRONG_ANSWER,
    Failure,
    failure,
    last_of,
)
from osler.core.measure import Scored
from osler.errors import Status
from osler.protocols.consultation.debriefing_moments import Consulted
from osler.protocols.consultation.judgement import judgement_in


def failures(episode: Scored) -> Iterator[Failure]:
    """Yield the failures of a judged consultation. What the doctor left out rests on its last exchange."""
    seen = Consulted(episode.case(), episode.trace(), judgement_in(episode.body or {}))
    last = last_of(seen.trace, "doctor")
    yield from _answer(seen, episode.row.status, last)
    yield from _evidence(seen, last)
    yield from _plan(seen, last)


def _value(seen: Consulted, name: str) -> float | None:
    return seen.judgement.scores[name].value


def _answer(seen: Consulted, status: Status, last: int) -> Iterator[Failure]:
    final, correct = seen.reading.final, seen.judgement.scores["correct"]
    if final is None:
        if status is not Status.INVALID_PLAY:
            yield from failure(NO_ANSWER, last)
    elif correct.value == 0:
        yield from failure(WRONG_ANSWER, last, str(final.get("answer") or final["diagnosis"]), correct.reason)
    if _value(seen, "premature_closure") == 1:
        yield from failure(CLOSED_EARLY, last)
    if _value(seen, "unsupported_evidence"):
        yield from failure(UNSUPPORTED, last, *seen.judgement.scores["unsupported_evidence"].evidence)


def _evidence(seen: Consulted, last: int) -> Iterator[Failure]:
    """The key facts that were not heard, and the key findings that were not obtained."""
    released, pending = seen.reading.released, set(seen.reading.pending())
    if _value(seen, "fact_coverage") is not None:
        key = (fact for fact in seen.case.facts if fact.key and fact.known_by != "record")
        if unheard := [fact.text for fact in key if fact.id not in released]:
            yield from failure(NEVER_ASKED, last, *unheard)
    if _value(seen, "finding_coverage") is not None:
        lacking = [one for one in seen.case.findings if one.key and one.id not in released]
        if unsought := [one.name for one in lacking if one.id not in pending]:
            yield from failure(NEVER_EXAMINED, last, *unsought)
        for one in lacking:
            turn = next((order.turn for order in seen.reading.placed if one.id in order.findings), None)
            if one.id in pending and turn is not None:
                yield from failure(NOT_AWAITED, seen.said.turn(turn) or last, one.name)
                return


def _plan(seen: Consulted, last: int) -> Iterator[Failure]:
    turns = {order.name: order.turn for order in seen.reading.placed}
    if _value(seen, "unsafe_acts") is not None:
        for name, quote in list(seen.harm.items())[:1]:
            n = seen.said.turn(turns[quote]) if quote in turns else seen.said.exchange(quote)
            yield from failure(UNSAFE, n or last, f"{name}: {quote}", seen.forbidden[name].why)
    missed = [step.what for step in seen.steps if step.critical and not step.met]
    if missed and _value(seen, "management_met") is not None:
        yield from failure(CRITICAL_MISSED, last, *missed)
