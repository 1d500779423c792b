"""Judges of rubrics for episodes: a trace in, a verdict to store out.

A trace that cannot be read and an episode that the simulation spoilt have no score, and say why.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from osler.cases.rubrics.model import Rubric
from osler.core.judge import Verdict
from osler.core.measure import Measure
from osler.core.registry import protocol_named
from osler.encounter.trace import Trace
from osler.errors import BadInput
from osler.judging.judge import UNSCORED
from osler.judging.rubric import lexical
from osler.judging.rubric.judgement import RubricJudge, RubricJudgement, rubric_judgement_json
from osler.judging.rubric.lines import Line, lines_of_trace


def lines_or_reason(trace: Trace, protocol: str) -> tuple[tuple[Line, ...], str]:
    """The lines a rubric's judge sees, and why there is to be no score, "" where there is to be one."""
    if trace.outcome.status in UNSCORED:
        return (), str(trace.outcome.status)
    try:
        return lines_of_trace(trace, protocol_named(protocol)), ""
    except BadInput as error:
        # Judging is after the fact: a record that cannot be read leaves the episode as it is, unscored.
        return (), f"judge_failed: {type(error).__name__}"


def stored(made: RubricJudgement) -> Verdict:
    """A judgement as it is stored."""
    return Verdict(made.grader, made.version, rubric_judgement_json(made))


def by_words(rubric: Rubric, trace: Trace, protocol: str) -> Verdict:
    """The verdict of the built-in judge that compares words."""
    return stored(lexical.judged(rubric, *lines_or_reason(trace, protocol)))


@dataclass(frozen=True)
class ByRubric:
    """A judge of rubrics as a judge of episodes (`osler.core.judge.ModelJudge`); `rubric_of` finds the rubric
    of an episode."""

    judging: RubricJudge
    rubric_of: Callable[[Any], Rubric]
    scores: tuple[Measure, ...] = ()

    @property
    def grader(self) -> str:
        """The name its verdicts are stored under."""
        return self.judging.grader

    def version_of(self, episode: Any) -> str:
        """Changes whenever it may judge otherwise by the episode's rubric."""
        return self.judging.version(self.rubric_of(episode))

    async def judge(self, episode: Any, trace: Trace) -> Verdict:
        """The verdict by the episode's rubric. Raises InfrastructureFault, and nothing else."""
        return stored(
            await self.judging.judge(self.rubric_of(episode), *lines_or_reason(trace, episode.protocol))
        )
