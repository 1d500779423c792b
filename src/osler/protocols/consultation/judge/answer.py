"""Scores of the answer: whether it is right, and whether what it rests on was obtained before it."""

from __future__ import annotations

from typing import Final

from osler.core.measure import Need
from osler.judging.scores import NO_ANSWER, Score
from osler.protocols.consultation.judge.reading import Reading
from osler.protocols.consultation.judge.scoring import MOST_QUOTES, Seen, share

_DIAGNOSIS: Final = Need(
    "a diagnosis as its answer", lambda case: case.diagnosis is not None or case.task.kind == "diagnosis"
)
DECISIVE: Final = Need(
    "a work-up with required tests, or results marked key",
    lambda case: bool(case.workup.required) if case.workup else any(one.key for one in case.findings),
)


def unseen(groups: tuple[frozenset[str], ...], reading: Reading) -> tuple[str, ...]:
    """The groups of results of which none was released, each as one text.

    Nothing is released after a conclusion, so what was released came before it.
    """
    result = (" or ".join(sorted(group)) for group in groups if not group & reading.released.keys())
    return tuple(result)[:MOST_QUOTES]


def _supported(seen: Seen) -> Score:
    if seen.correct.value is None:
        return Score(None, seen.correct.reason)
    if seen.reading.final is None:
        return Score(0.0, NO_ANSWER)
    left = unseen(seen.gold.decisive, seen.reading)
    return Score(float(seen.correct.value == 1 and not left), "", left)


def _without_evidence(seen: Seen) -> Score:
    if seen.reading.final is None:
        return Score(0.0, NO_ANSWER)
    evidence = seen.gold.key_facts.union(*seen.gold.decisive)
    return Score(float(evidence.isdisjoint(seen.reading.released)))


SCORES: Final = (
    share(
        "correct",
        "right",
        "share of consultations concluded with the right diagnosis or answer",
        lambda seen: seen.correct,
        aliases=("accuracy",),
    ),
    share(
        "supported",
        "correct and supported",
        "share right, with each key finding that the diagnosis rests on obtained before it was named",
        _supported,
        needs=DECISIVE,
        conversation=True,
        beside=True,
    ),
    share(
        "concluded_without_evidence",
        "concluded without evidence",
        "share concluded before any fact or finding that the case marks as key was obtained",
        _without_evidence,
        "less",
        needs=DECISIVE,
        conversation=True,
        beside=True,
    ),
    share(
        "correct_or_unsupported",
        "right, counting unsupported",
        "share right, or right with a cause, germ or kind that nothing in the case bears out",
        lambda seen: seen.answered.counting_unsupported,
    ),
    share(
        "answered_broader",
        "broader",
        "share whose diagnosis says less than the case's",
        lambda seen: seen.answered.called("broader"),
        "less",
        needs=_DIAGNOSIS,
    ),
    share(
        "answered_unsupported",
        "not borne out",
        "share whose diagnosis adds a cause, germ or kind that nothing in the case bears out",
        lambda seen: seen.answered.called("narrower_unsupported"),
        "less",
        needs=_DIAGNOSIS,
    ),
    share(
        "answered_list",
        "lists",
        "share whose diagnosis is a list of alternatives",
        lambda seen: seen.answered.called("list"),
        "less",
        needs=_DIAGNOSIS,
    ),
)
