"""Adapters from rubric judges to judges of episodes: from a trace to a verdict to store.

An unreadable trace, or an episode in which the simulation failed, is unscored with the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from osler.cases.rubrics.model import Rubric
from osler.core.judge import Verdict
from osler.core.measure import Measure
from osler.core.protocol import Protocol
from osler.core.registry import protocol_named
from osler.core.trace import Trace
from osler.errors import BadInput
from osler.judging.lines import JudgedLine, as_examined, lines_of
from osler.judging.rubric import lexical
from osler.judging.rubric.judgement import RubricJudge
from osler.judging.scores import UNSCORED
from osler.text.languages import ENGLISH, NOT_ENGLISH


def examined(trace: Trace, protocol: Protocol) -> tuple[JudgedLine, ...]:
    """An episode as a rubric's judges and raters read it: `Protocol.transcript`."""
    return lines_of(trace, protocol, as_examined)


def lines_or_reason(trace: Trace, protocol: str) -> tuple[tuple[JudgedLine, ...], str]:
    """The lines for a rubric judge, and the reason not to score them, "" if there is none."""
    if trace.outcome.status in UNSCORED:
        return (), str(trace.outcome.status)
    try:
        return examined(trace, protocol_named(protocol)), ""
    except BadInput as error:
        # Judging is after the fact: an unreadable record leaves the episode as it is, unscored.
        return (), f"judge_failed: {type(error).__name__}"


def by_words(rubric: Rubric, trace: Trace, protocol: str, language: str = ENGLISH) -> Verdict:
    """The verdict of the built-in lexical judge, which reads English alone."""
    lines, reason = lines_or_reason(trace, protocol)
    return lexical.judged(rubric, lines, reason or (NOT_ENGLISH if language != ENGLISH else "")).stored


@dataclass(frozen=True)
class ByRubric:
    """A rubric judge adapted to a judge of episodes (`osler.core.judge.ModelJudge`); `rubric_of` finds an
    episode's rubric."""

    judging: RubricJudge
    rubric_of: Callable[[Any], Rubric]
    scores: tuple[Measure, ...] = ()

    @property
    def grader(self) -> str:
        """The name under which its verdicts are stored."""
        return self.judging.grader

    def version_of(self, episode: Any) -> str:
        """The version, which changes whenever it might judge differently by the episode's rubric."""
        return self.judging.version(self.rubric_of(episode))

    async def judge(self, episode: Any, trace: Trace) -> Verdict:
        """The verdict by the episode's rubric. Raises InfrastructureFault, and nothing else."""
        rubric, seen = self.rubric_of(episode), lines_or_reason(trace, episode.protocol)
        return (await self.judging.judge(rubric, *seen)).stored
