"""The built-in judge: rules only, no model. It reads the finished trace and never fails an episode.

Everything a player wrote is data: compared, searched and quoted, never followed as an instruction.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from osler.cases.model import Case
from osler.core.judge import version_of
from osler.core.trace import Trace
from osler.judging import correctness
from osler.judging.diagnosis.judged import VOCABULARY
from osler.judging.scores import GRADER, NAMES, NOT_IN_CASE, UNSCORED, Judgement, Score, unscored
from osler.knowledge import fingerprint
from osler.protocols.consultation.judge import process, reading
from osler.protocols.consultation.judge.process import Gold, gold_of
from osler.protocols.consultation.story import TOLD

VERSION: Final = "7"
"""Increment it with every change to how this judge decides."""

_golds: dict[str, Gold] = {}

_MOST_GOLDS: Final = 4096


def judge(case: Case, trace: Trace, options_shown: bool) -> Judgement:
    """Judge one episode. If the simulation failed, or the judge itself does, it is unscored.

    Where the doctor was told the case at once, scores of the conversation are unscored, with that reason.
    """
    version = grader_version()
    status, kind = trace.outcome.status, case.task.kind
    chance = correctness.chance_level(case, options_shown)
    if status in UNSCORED:
        return unscored(GRADER, version, str(status), kind, chance)
    try:
        seen = reading.read(trace)
        answered = correctness.answered(case, seen.final, options_shown)
        gold = _gold(case)
        figures = process.process(case, gold, seen, trace.outcome, answered.score)
        figures |= dict.fromkeys(gold.lacking, Score(None, NOT_IN_CASE))
        if TOLD in trace.outcome.counts:
            figures |= dict.fromkeys(process.OF_A_CONVERSATION, Score(None, TOLD))
        scores = {"correct": answered.score, **answered.apart, **figures}
        return Judgement(GRADER, version, scores, kind, chance)
    except Exception as fault:
        # Judging is after the fact: a failure here leaves the episode as it is, unscored.
        return unscored(GRADER, version, f"judge_failed: {type(fault).__name__}", kind, chance)


@lru_cache(maxsize=1)
def grader_version() -> str:
    """The grader's version: VERSION and a hash of the score names and of the rules' knowledge."""
    return version_of(VERSION, scores=NAMES, words=VOCABULARY, knowledge=fingerprint())


def gold_standard(case: Case) -> Gold:
    """The gold standard of a case, compiled once."""
    return _gold(case)


def _gold(case: Case) -> Gold:
    key = case.content_hash
    if (gold := _golds.get(key)) is None:
        if len(_golds) >= _MOST_GOLDS:
            _golds.clear()
        gold = _golds[key] = gold_of(case)
    return gold
