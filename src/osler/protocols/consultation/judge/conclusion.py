"""Scores of concluding: whether it was too early, what was thought before, and how sure the doctor was."""

from __future__ import annotations

from typing import Final

from osler.core.measure import Need
from osler.errors import Status
from osler.judging.diagnosis.judged import judged
from osler.judging.scores import NO_ANSWER, QUOTE, Score
from osler.protocols.consultation.judge.answer import DECISIVE, left, unseen
from osler.protocols.consultation.judge.scoring import MISSING, EndedConsultation, groups_in_words, share


def _not_chosen(consultation: EndedConsultation) -> Score | None:
    """The reason why a conclusion is not scored as one that the doctor chose to draw; `None` if it is."""
    if consultation.reading.final is None or consultation.outcome.status is not Status.COMPLETED:
        return Score(None, "not_voluntary")
    return Score(None, consultation.correct.reason) if consultation.correct.value is None else None


def _closed_early(consultation: EndedConsultation) -> Score:
    if unchosen := _not_chosen(consultation):
        return unchosen
    missed, turn = unseen(consultation.gold.required, consultation.reading), consultation.reading.last_turn
    budget_left = turn is not None and turn.turns_left > 0 and turn.tests_left != 0
    early = bool(missed) and budget_left and consultation.correct.value == 0
    return Score(float(early), "", missed if early else ())


def _right_but_unsupported(consultation: EndedConsultation) -> Score:
    if unchosen := _not_chosen(consultation):
        return unchosen
    missed = unseen(consultation.gold.decisive, consultation.reading)
    lucky = bool(missed) and consultation.correct.value == 1
    return Score(float(lucky), "", missed if lucky else ())


def _provisional(consultation: EndedConsultation) -> Score:
    """The score of the first differential given, at whatever turn: whether it leads with the diagnosis."""
    diagnosis = consultation.case.diagnosis
    if diagnosis is None:
        return MISSING
    for move in consultation.reading.moves():
        if working := move.get("working_diagnoses"):
            name = str(working[0]["name"])
            verdict = judged(name, diagnosis.name, diagnosis.synonyms)
            return Score(float(verdict.right), verdict.why, (name[:QUOTE],))
    return Score(None, "not_given")


def _confidence(consultation: EndedConsultation) -> Score:
    """The confidence of the conclusion, or of the first line of its differential if that is the same."""
    final = consultation.reading.final
    if final is None:
        return Score(None, NO_ANSWER)
    given = final.get("confidence")
    working = final.get("working_diagnoses") or ()
    if given is None and working and working[0]["name"] == final["diagnosis"]:
        given = working[0].get("confidence")
    return Score(None, "not_given") if given is None else Score(float(given))


def _brier(consultation: EndedConsultation) -> Score:
    confidence, correct = _confidence(consultation), consultation.correct
    if confidence.value is None:
        return Score(None, confidence.reason)
    if correct.value is None:
        return Score(None, correct.reason)
    return Score((confidence.value - correct.value) ** 2)


SCORES: Final = (
    share(
        "premature_closure",
        "closed too early",
        "share of wrong conclusions drawn before the telling finding was sought",
        _closed_early,
        "less",
        missed=lambda seen: groups_in_words(seen.case, left(seen.gold.required, seen.reading)),
        needs=DECISIVE,
        conversation=True,
    ),
    share(
        "right_but_unsupported",
        "right, unsupported",
        "share of chosen conclusions that are right without each key finding that the diagnosis rests on",
        _right_but_unsupported,
        "less",
        missed=lambda seen: groups_in_words(seen.case, left(seen.gold.decisive, seen.reading)),
        needs=DECISIVE,
        conversation=True,
    ),
    share(
        "provisional_correct",
        "right provisionally",
        "share whose first provisional diagnosis was right",
        _provisional,
        needs=Need("a diagnosis", lambda case: case.diagnosis is not None),
        missed=lambda seen: [seen.case.diagnosis.name] if seen.case.diagnosis else [],
        conversation=True,
    ),
    share(
        "confidence",
        "confidence",
        "the confidence stated with the conclusion",
        _confidence,
        "neither",
        wordless=True,
    ),
    share(
        "brier",
        "Brier score",
        "squared error of the confidence stated; 0 is best",
        _brier,
        "less",
        itemless="it measures how sure the doctor was, of whatever the conclusion is",
    ),
)
