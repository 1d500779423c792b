"""The built-in judge: rules only, no model. It reads the trace after the end and never fails an episode.

Everything a player wrote is data to it: compared, searched for words and quoted, never followed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from osler.cases.model import Case
from osler.encounter.trace import Trace
from osler.errors import Status
from osler.judging import correctness, process, reading, wording
from osler.judging.process import Gold, gold_of
from osler.judging.scores import NAMES, Judgement, unscored
from osler.judging.version import version_of
from osler.knowledge import fingerprint

GRADER: Final = "baseline"
VERSION: Final = "2"
"""Raised by whoever changes how this judge decides."""
UNSCORED: Final = frozenset({Status.SIMULATOR_FAULT, Status.DIVERGED, Status.CANCELLED, Status.PENDING})
"""Episodes that did not end by the doctor's doing."""
_golds: dict[str, Gold] = {}
_MOST_GOLDS: Final = 4096


def judge(case: Case, trace: Trace, options_shown: bool) -> Judgement:
    """Judge one episode. An episode that the simulation spoilt, or a judge that fails, scores nothing."""
    version = grader_version()
    status, kind = trace.outcome.status, case.task.kind
    chance = correctness.chance_level(case, options_shown)
    if status in UNSCORED:
        return unscored(GRADER, version, str(status), kind, chance)
    try:
        seen = reading.read(trace)
        right = correctness.correct(case, seen.final, options_shown)
        figures = process.process(case, _gold(case), seen, trace.outcome, right)
        return Judgement(GRADER, version, {"correct": right, **figures}, kind, chance)
    except Exception as fault:
        # Judging is after the fact: whatever goes wrong here leaves the episode as it is, unscored.
        return unscored(GRADER, version, f"judge_failed: {type(fault).__name__}", kind, chance)


@lru_cache(maxsize=1)
def grader_version() -> str:
    """VERSION and a hash of the scores' names and of what the rules know."""
    return version_of(VERSION, scores=NAMES, words=wording.DATA, knowledge=fingerprint())


def _gold(case: Case) -> Gold:
    key = case.content_hash
    if (gold := _golds.get(key)) is None:
        if len(_golds) >= _MOST_GOLDS:
            _golds.clear()
        gold = _golds[key] = gold_of(case)
    return gold
