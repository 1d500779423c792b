"""Process scores: pure figures from a case and the reading of its trace.

Formulas: exam precision, recall and F1, fact coverage, redundancy and premature closure as in the field
(MedEvoEval, VivaBench): recall = required groups met; precision = required or useful among what was ordered,
panels expanded; contraindicated tests apart. A score whose need a case does not meet (`needs.py`) is
unscored, `not_in_case`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from osler.cases.model import Alternative, Case, Contraindicated, SafetyAction
from osler.core.trace import Outcome
from osler.errors import Status
from osler.judging.diagnosis.judged import judged
from osler.judging.scores import NO_ANSWER, NOT_IN_CASE, QUOTE, Json, Score
from osler.protocols.consultation.judge import evidence_cited as grounds
from osler.protocols.consultation.judge.follow_up import FollowUp, follow_up_of, followed_up
from osler.protocols.consultation.judge.named_acts import Steps, Terms
from osler.protocols.consultation.judge.needs import lacking
from osler.protocols.consultation.judge.reading import Reading
from osler.protocols.consultation.judge.repeats import asked_again

_MOST_QUOTES: Final = 12
_MISSING: Final = Score(None, NOT_IN_CASE)


OF_A_CONVERSATION: Final = frozenset(
    {
        "turns",
        "tests",
        "minutes",
        "cost",
        "questions",
        "repeated_questions",
        "fact_coverage",
        "finding_coverage",
        "exam_precision",
        "exam_recall",
        "exam_f1",
        "contraindicated_tests",
        "premature_closure",
        "right_but_unsupported",
        "supported",
        "concluded_without_evidence",
        "provisional_correct",
        "safety_done",
        "must_not_miss",
    }
)
"""The scores of how a conversation was led: what was asked, ordered, done and spent in it, and in what order.
They have no meaning where the doctor was told the case at once."""


class Gold(NamedTuple):
    """The gold standard of a case, compiled once. A field is `None` if the case has no such section;
    `decisive` is what its diagnosis rests on, each group met by any of its findings; `lacking` are the scores
    that the case does not allow."""

    key_facts: frozenset[str]
    key_findings: frozenset[str]
    required: tuple[frozenset[str], ...]
    decisive: tuple[frozenset[str], ...]
    wanted: frozenset[str]
    features: Steps | None
    unsafe: Terms | None
    unsafe_tests: Terms | None
    unnecessary: Terms | None
    safety: Terms | None
    must_not_miss: tuple[Alternative, ...]
    grounds: tuple[grounds.Ground, ...]
    follow_up: FollowUp | None
    lacking: frozenset[str]


def gold_of(case: Case) -> Gold:
    """Compile the gold standard of a case."""
    workup, plan, known = case.workup, case.management, case.diagnosis
    contraindicated = (*(workup.contraindicated if workup else ()), *(plan.contraindicated if plan else ()))
    key_findings = frozenset(finding.id for finding in case.findings if finding.key)
    required = (
        tuple(frozenset(group) for group in workup.required)
        if workup
        else tuple(frozenset({item}) for item in sorted(key_findings))
    )
    wanted = frozenset[str]().union(*required, workup.useful if workup else ())
    return Gold(
        frozenset(fact.id for fact in case.facts if fact.key),
        key_findings,
        required,
        _decisive(required, key_findings),
        wanted,
        Steps(plan.key_features) if plan else None,
        _terms(contraindicated, "harmful") if workup or plan else None,
        _terms(workup.contraindicated, "harmful") if workup else None,
        _terms(contraindicated, "unnecessary") if workup or plan else None,
        _safety(case.safety) if case.safety is not None else None,
        tuple(other for other in known.alternatives if other.must_not_miss) if known else (),
        grounds.grounds_of(case),
        follow_up_of(case),
        lacking(case),
    )


def process(case: Case, gold: Gold, reading: Reading, outcome: Outcome, correct: Score) -> dict[str, Score]:
    """Every score but `correct` itself, also those that the case lacks something for (`gold.lacking`)."""
    precision, recall, f1, harmful = _examinations(case, gold, reading)
    confidence = _confidence(reading.final)
    supported, without_evidence, unseen = _support(gold, reading, correct)
    closed, unsupported = _closure(gold, reading, outcome, correct, unseen)
    return {
        "turns": Score(float(outcome.counts.get("turns", 0))),
        "tests": Score(float(outcome.counts.get("tests", 0))),
        "minutes": Score(float(outcome.minutes)),
        "cost": Score(float(outcome.counts.get("cost", 0))),
        "questions": Score(float(len(reading.questions))),
        "repeated_questions": _repeated(reading),
        "fact_coverage": _coverage(gold.key_facts, reading),
        "finding_coverage": _coverage(gold.key_findings, reading),
        "exam_precision": precision,
        "exam_recall": recall,
        "exam_f1": f1,
        "contraindicated_tests": harmful,
        "premature_closure": closed,
        "right_but_unsupported": unsupported,
        "supported": supported,
        "concluded_without_evidence": without_evidence,
        "provisional_correct": _provisional(case, reading),
        "confidence": confidence,
        "brier": _brier(confidence, correct),
        **_management(case, gold, reading),
        "must_not_miss": _must_not_miss(gold, reading),
        "supporting_evidence": grounds.supporting(gold.grounds, reading),
        "unsupported_evidence": grounds.unsupported(case, reading),
        "follow_up": followed_up(gold.follow_up, reading),
    }


def _terms(entries: tuple[Contraindicated, ...], kind: str) -> Terms:
    return Terms({each.name: (each.name, *each.terms) for each in entries if each.class_ == kind})


def _safety(actions: tuple[SafetyAction, ...]) -> Terms:
    return Terms({action.id: action.terms for action in actions}, inflected=True)


def acts_of(reading: Reading) -> list[str]:
    """The doctor's acts in their own words: the plan, the follow-up and the orders."""
    return [*plan_of(reading), *reading.orders]


def plan_of(reading: Reading) -> list[str]:
    """The plan and the follow-up of the conclusion, line by line."""
    final = reading.final
    lines = [*map(str, final.get("plan") or ()), str(final.get("followup") or "")] if final else []
    return [line for line in lines if line]


def _share(met: int, of: int, evidence: tuple[str, ...] = ()) -> Score:
    return Score(met / of, "", evidence[:_MOST_QUOTES]) if of else _MISSING


def _coverage(key: frozenset[str], reading: Reading) -> Score:
    seen = [item for item in reading.released if item in key]
    return _share(len(seen), len(key), tuple(seen))


def _repeated(reading: Reading) -> Score:
    """The share of the doctor's lines that ask again for what was answered before."""
    if not reading.questions:
        return Score(None, "no_questions")
    again = [one.said[:QUOTE] for one in asked_again(reading.exchanges)]
    return Score(len(again) / len(reading.questions), "", tuple(again[:_MOST_QUOTES]))


def _examinations(case: Case, gold: Gold, reading: Reading) -> tuple[Score, Score, Score, Score]:
    if case.workup is None:
        return _MISSING, _MISSING, _MISSING, _MISSING
    sought = {*reading.released, *reading.pending()}
    met = sum(not sought.isdisjoint(group) for group in gold.required)
    recall = _share(met, len(gold.required))
    ordered = set(_ordered(reading))
    good = len(ordered & gold.wanted)
    precision = Score(good / len(ordered)) if ordered else Score(None, "nothing_ordered")
    f1 = Score(None, precision.reason or recall.reason or NOT_IN_CASE)
    if precision.value is not None and recall.value is not None:
        total = precision.value + recall.value
        f1 = Score(2 * precision.value * recall.value / total if total else 0.0)
    elif precision.value is None and recall.value is not None:
        f1 = Score(0.0, "nothing_ordered")
    named = gold.unsafe_tests.named(reading.orders) if gold.unsafe_tests else {}
    return precision, recall, f1, Score(float(len(named)), "", tuple(named.values()))


def _ordered(reading: Reading) -> Iterator[str]:
    """The ids of findings ordered, and the names of tests not in the case, without unclear orders.

    Every part of an order counts, however many tests one order names.
    """
    for name, match in zip(reading.orders, reading.matches, strict=False):
        findings, absent = match.get("findings", ()), match.get("unheld", ())
        yield from findings
        yield from (f"? {test.casefold()}" for test in absent)
        if match.get("match_type") == "none" and not findings and not absent:
            yield f"? {(match.get('matched_test_name') or name).casefold()}"


def _decisive(required: tuple[frozenset[str], ...], key: frozenset[str]) -> tuple[frozenset[str], ...]:
    """The groups of results that a diagnosis rests on: each key finding with what the work-up takes in its
    place; where none is marked key, all that the work-up requires."""
    with_key = tuple(group for group in required if group & key)
    alone = sorted(key.difference(*with_key))
    return (*with_key, *(frozenset({item}) for item in alone)) or required


def _support(gold: Gold, reading: Reading, correct: Score) -> tuple[Score, Score, tuple[str, ...]]:
    """Whether the answer is right and all that it rests on was obtained before it, whether it was given with
    nothing obtained that the case marks as key, and what had not been obtained.

    Nothing is released after a conclusion, so what was released came before it.
    """
    if not gold.decisive:
        return _MISSING, _MISSING, ()
    if reading.final is None:
        none = Score(0.0, NO_ANSWER)
        return (none if correct.value is not None else Score(None, correct.reason)), none, ()
    unseen = _unseen(gold.decisive, reading)
    evidence = gold.key_facts.union(*gold.decisive)
    without = Score(float(evidence.isdisjoint(reading.released)))
    if correct.value is None:
        return Score(None, correct.reason), without, unseen
    return Score(float(correct.value == 1 and not unseen), "", unseen), without, unseen


def _unseen(groups: tuple[frozenset[str], ...], reading: Reading) -> tuple[str, ...]:
    found = (" or ".join(sorted(group)) for group in groups if not group & reading.released.keys())
    return tuple(found)[:_MOST_QUOTES]


def _closure(
    gold: Gold, reading: Reading, outcome: Outcome, correct: Score, unsupported: tuple[str, ...]
) -> tuple[Score, Score]:
    """Premature closure, and "right but unsupported", both among voluntary conclusions."""
    if reading.final is None or outcome.status is not Status.COMPLETED:
        left = Score(None, "not_voluntary")
        return left, left
    if not gold.required:
        return _MISSING, _MISSING
    if correct.value is None:
        return Score(None, correct.reason), Score(None, correct.reason)
    unseen = _unseen(gold.required, reading)
    turn = reading.last_turn
    budget_left = turn is not None and turn.turns_left > 0 and turn.tests_left != 0
    early = bool(unseen) and budget_left and correct.value == 0
    lucky = bool(unsupported) and correct.value == 1
    return Score(float(early), "", unseen if early else ()), Score(
        float(lucky), "", unsupported if lucky else ()
    )


def _provisional(case: Case, reading: Reading) -> Score:
    """The score of the first differential given, at whatever turn: whether it leads with the diagnosis."""
    if case.diagnosis is None:
        return _MISSING
    for move in reading.moves():
        if working := move.get("working_diagnoses"):
            name = str(working[0]["name"])
            verdict = judged(name, case.diagnosis.name, case.diagnosis.synonyms)
            return Score(float(verdict.right), verdict.why, (name[:QUOTE],))
    return Score(None, "not_given")


def _confidence(final: Json | None) -> Score:
    """The confidence of the conclusion, or of the first line of its differential if that is the same."""
    if final is None:
        return Score(None, NO_ANSWER)
    given = final.get("confidence")
    working = final.get("working_diagnoses") or ()
    if given is None and working and working[0]["name"] == final["diagnosis"]:
        given = working[0].get("confidence")
    return Score(None, "not_given") if given is None else Score(float(given))


def _brier(confidence: Score, correct: Score) -> Score:
    if confidence.value is None:
        return Score(None, confidence.reason)
    if correct.value is None:
        return Score(None, correct.reason)
    return Score((confidence.value - correct.value) ** 2)


def _management(case: Case, gold: Gold, reading: Reading) -> dict[str, Score]:
    """Scores of key features and harms in plan, follow-up and orders; of safety actions also in speech.

    A step in parts earns the share of its parts that are named. A critical step counts as missed until it is
    named in full.
    """
    acts = acts_of(reading)
    harms = gold.unsafe.named(acts) if gold.unsafe else {}
    unsafe = Score(float(len(harms)), "", tuple(harms.values())) if gold.unsafe else _MISSING
    safety = _MISSING
    if gold.safety and case.safety:
        done = gold.safety.named([*reading.questions, *acts], advice=True)
        safety = _share(len(done), len(case.safety), tuple(done.values()))
    if not gold.features or not gold.features.steps:
        return {
            "management_met": _MISSING,
            "critical_missed": _MISSING,
            "unsafe_acts": unsafe,
            "safety_done": safety,
        }
    steps = gold.features.named(acts)
    quotes = dict.fromkeys(quote for step in steps for quote in step.quotes)
    missed = [step.told for step in steps if step.critical and not step.whole]
    share = sum(step.share for step in steps) / len(steps)
    return {
        "management_met": Score(share, "", tuple(quotes)[:_MOST_QUOTES]),
        "critical_missed": Score(float(len(missed)), "", tuple(missed[:_MOST_QUOTES])),
        "unsafe_acts": unsafe,
        "safety_done": safety,
    }


def _must_not_miss(gold: Gold, reading: Reading) -> Score:
    """The share of must-not-miss alternatives that were named and investigated, or put to a consultant.

    For an alternative without discriminators, naming it is enough.
    """
    if not gold.must_not_miss:
        return _MISSING
    named = {str(line["name"]) for move in reading.moves() for line in move.get("working_diagnoses") or ()}
    if reading.final:
        named.add(str(reading.final["diagnosis"]))
    considered = []
    for other in gold.must_not_miss:
        looked = not other.discriminators or any(item in reading.released for item in other.discriminators)
        if (looked or reading.advised) and any(
            judged(name, other.name, other.synonyms).right for name in sorted(named)
        ):
            considered.append(other.name)
    return _share(len(considered), len(gold.must_not_miss), tuple(considered))
