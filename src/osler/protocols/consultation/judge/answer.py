"""Scores of the answer: whether it is right, and whether what it rests on was obtained before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from osler.cases.answers import answer_of
from osler.core.measure import Need
from osler.judging.scores import NO_ANSWER, Score
from osler.protocols.consultation.judge.reading import Reading
from osler.protocols.consultation.judge.scoring import (
    MOST_QUOTES,
    EndedConsultation,
    groups_in_words,
    in_words,
    share,
)

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
    return tuple(" or ".join(sorted(group)) for group in left(groups, reading))[:MOST_QUOTES]


def left(groups: tuple[frozenset[str], ...], reading: Reading) -> list[frozenset[str]]:
    """The groups of results of which none was released."""
    return [group for group in groups if not group & reading.released.keys()]


def _supported(seen: EndedConsultation) -> Score:
    if seen.correct.value is None:
        return Score(None, seen.correct.reason)
    if seen.reading.final is None:
        return Score(0.0, NO_ANSWER)
    lacking = unseen(seen.gold.decisive, seen.reading)
    return Score(float(seen.correct.value == 1 and not lacking), "", lacking)


def _without_evidence(seen: EndedConsultation) -> Score:
    if seen.reading.final is None:
        return Score(0.0, NO_ANSWER)
    return Score(float(_telling(seen).isdisjoint(seen.reading.released)))


def _telling(seen: EndedConsultation) -> frozenset[str]:
    """The ids of the facts and findings that tell the diagnosis."""
    return seen.gold.key_facts.union(*seen.gold.decisive)


def _the_answer(seen: EndedConsultation) -> Iterator[str]:
    """The answer that was not given."""
    yield answer_of(seen.case)


def _unsupported_by(seen: EndedConsultation) -> Iterator[str]:
    """The answer if it was wrong, and the findings it rests on that were not obtained."""
    if seen.correct.value != 1:
        yield answer_of(seen.case)
    yield from groups_in_words(seen.case, left(seen.gold.decisive, seen.reading))


SCORES: Final = (
    share(
        "correct",
        "right",
        "share of consultations concluded with the right diagnosis or answer",
        lambda seen: seen.correct,
        aliases=("accuracy",),
        missed=_the_answer,
    ),
    share(
        "supported",
        "correct and supported",
        "share right, with each key finding that the diagnosis rests on obtained before it was named",
        _supported,
        needs=DECISIVE,
        conversation=True,
        beside=True,
        missed=_unsupported_by,
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
        missed=lambda seen: in_words(seen.case, _telling(seen)),
    ),
    share(
        "correct_or_unsupported",
        "right, counting unsupported",
        "share right, or right with a cause, germ or kind that nothing in the case bears out",
        lambda seen: seen.answered.counting_unsupported,
        missed=_the_answer,
    ),
    share(
        "answered_broader",
        "broader",
        "share whose diagnosis says less than the case's",
        lambda seen: seen.answered.called("broader"),
        "less",
        needs=_DIAGNOSIS,
        missed=_the_answer,
    ),
    share(
        "answered_unsupported",
        "not borne out",
        "share whose diagnosis adds a cause, germ or kind that nothing in the case bears out",
        lambda seen: seen.answered.called("narrower_unsupported"),
        "less",
        needs=_DIAGNOSIS,
        missed=_the_answer,
    ),
    share(
        "answered_list",
        "lists",
        "share whose diagnosis is a list of alternatives",
        lambda seen: seen.answered.called("list"),
        "less",
        needs=_DIAGNOSIS,
        missed=_the_answer,
    ),
)
