"""The built-in judge: rules only, no model. It reads the finished trace and never fails an episode.

Everything a player wrote is data: compared, searched and quoted, never followed as an instruction.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from osler.cases.model import Case
from osler.core.judge import version_of
from osler.core.trace import Trace
from osler.judging.correctness import answered, chance_level
from osler.judging.diagnosis.judged import VOCABULARY
from osler.judging.scores import GRADER, UNSCORED, Score
from osler.knowledge import fingerprint
from osler.protocols.consultation.judge import reading
from osler.protocols.consultation.judge.gold import Gold, gold_of
from osler.protocols.consultation.judge.scoring import MISSING, EndedConsultation, Scoring
from osler.protocols.consultation.judgement import Judgement, unscored
from osler.protocols.consultation.measures import NAMES, SCORES
from osler.protocols.consultation.story import TOLD

VERSION: Final = "8"
"""Increment it with every change to how this judge decides."""

_MOST: Final = 4096


class _Standard(NamedTuple):
    """A case's gold standard, and the names of the scores whose need it does not meet."""

    gold: Gold
    lacking: frozenset[str]


_standards: dict[str, _Standard] = {}


def judge(case: Case, trace: Trace, options_shown: bool) -> Judgement:
    """Judge one episode. If the simulation failed, or the judge itself does, it is unscored.

    Where the doctor was told the case at once, scores of the conversation are unscored, with that reason.
    """
    version = grader_version()
    status, kind = trace.outcome.status, case.task.kind
    chance = chance_level(case, options_shown)
    if status in UNSCORED:
        return unscored(GRADER, version, str(status), kind, chance)
    try:
        read, standard = reading.read(trace), _of(case)
        consultation = EndedConsultation(
            case, standard.gold, read, trace.outcome, answered(case, read.final, options_shown)
        )
        scores = {one.measure.name: _score(one, consultation, standard.lacking) for one in SCORES}
        return Judgement(GRADER, version, scores, kind, chance)
    except Exception as fault:
        # Judging is after the fact: a failure here leaves the episode as it is, unscored.
        return unscored(GRADER, version, f"judge_failed: {type(fault).__name__}", kind, chance)


def _score(one: Scoring, consultation: EndedConsultation, lacking: frozenset[str]) -> Score:
    if one.conversation and TOLD in consultation.outcome.counts:
        return Score(None, TOLD)
    return MISSING if one.measure.name in lacking else one.score(consultation)


@lru_cache(maxsize=1)
def grader_version() -> str:
    """The grader's version: VERSION and a hash of the score names and of the rules' knowledge."""
    return version_of(VERSION, scores=NAMES, words=VOCABULARY, knowledge=fingerprint())


def gold_standard(case: Case) -> Gold:
    """The gold standard of a case, compiled once."""
    return _of(case).gold


def lacking(case: Case) -> frozenset[str]:
    """The scores whose need a case does not meet; each of them is unscored, `not_in_case`."""
    return _of(case).lacking


def _of(case: Case) -> _Standard:
    key = case.content_hash
    if (standard := _standards.get(key)) is None:
        if len(_standards) >= _MOST:
            _standards.clear()
        needs = {one.measure.name: one.measure.needs for one in SCORES}
        without = frozenset(name for name, need in needs.items() if need and not need.met(case))
        standard = _standards[key] = _Standard(gold_of(case), without)
    return standard
