"""The model judges of our protocols, opened from a model client. Anything a judge needs besides the trace, it
takes from the episode.

Separate from the protocols, because a model client is slow to import.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final

from osler.core.judge import JudgeModel, ModelJudge, Verdict
from osler.core.measure import Measure, score, share_of
from osler.encounter.trace import Trace
from osler.errors import BadInput
from osler.judging.judge import UNSCORED
from osler.judging.model.cost import Cost
from osler.judging.model.judgement import model_judgement_json
from osler.judging.model.manager import ManagerJudge
from osler.judging.rubric.by_model import ModelRubricJudge
from osler.judging.rubric.keyed import rubric_of
from osler.judging.rubric.of_episodes import ByRubric
from osler.judging.scores import Score
from osler.judging.teaching.judge import Marked, TeachingJudge, teaching_judgement_json
from osler.judging.teaching.scales import HIGHEST, LOWEST, scales
from osler.judging.teaching.transcripts import session_of_trace

MANAGER_SCORES: Final = (
    share_of("diagnosis", "diagnosis", "share of what the diagnosis could earn"),
    share_of("supporting_evidence", "supporting evidence", "share of what the evidence could earn"),
    share_of("plan", "plan", "share of what the plan could earn"),
    share_of("follow_up", "follow-up", "share of what the follow-up could earn"),
    share_of("unsafe", "unsafe", "worst verdict on unsafe elements, 0 (nothing) to 1", better="less"),
    share_of(
        "unsupported", "unsupported", "worst verdict on unsupported elements, 0 (nothing) to 1", better="less"
    ),
    share_of("correct", "correct", "share of consultations with the right diagnosis or answer"),
)


@dataclass(frozen=True)
class _Asked:
    """A judge of episodes assembled from its parts."""

    grader: str
    scores: tuple[Measure, ...]
    version_of: Callable[[Any], str]
    judge: Callable[[Any, Trace], Coroutine[Any, Any, Verdict]]


def manager(model: JudgeModel) -> ModelJudge:
    """Open the manager: a model scores diagnosis, evidence, plan, follow-up and safety of a consultation."""
    asked = ManagerJudge(model.client, model.endpoint, repeats=model.repeats)

    async def judge(episode: Any, trace: Trace) -> Verdict:
        found = await asked.judge(episode.case, trace, episode.settings.options == "shown")
        return Verdict(found.grader, found.version, model_judgement_json(found))

    return _Asked(asked.grader, MANAGER_SCORES, lambda episode: asked.version, judge)


def teaching(model: JudgeModel) -> ModelJudge:
    """Open the judge of teaching: a model marks a ward round on ETS, MSM and MPS."""
    asked = TeachingJudge(model.client, model.endpoint, repeats=model.repeats)

    async def marked(episode: Any, trace: Trace) -> dict[str, Marked]:
        if trace.outcome.status in UNSCORED:
            return _unmarked(str(trace.outcome.status))
        try:
            session = session_of_trace(episode.case, trace, episode.plan)
        except BadInput as error:
            return _unmarked(f"judge_failed: {type(error).__name__}")
        return await asked.judge(session)

    async def judge(episode: Any, trace: Trace) -> Verdict:
        body = teaching_judgement_json(asked.grader, asked.version, await marked(episode, trace))
        return Verdict(asked.grader, asked.version, body)

    marks = tuple(
        Measure(name, name.upper(), scale.name, "mark", score(name), LOWEST, HIGHEST)
        for name, scale in scales().items()
    )
    return _Asked(asked.grader, marks, lambda episode: asked.version, judge)


def by_own_rubric(model: JudgeModel) -> ModelJudge:
    """Open the judge of rubrics: a model judges a scenario by the scenario's own rubric."""
    asked = ModelRubricJudge(model.client, model.endpoint, repeats=model.repeats, batch=model.batch)
    return ByRubric(asked, lambda episode: rubric_of(episode.case))


def _unmarked(reason: str) -> dict[str, Marked]:
    return dict.fromkeys(scales(), Marked(Score(None, reason), (), None, Cost(), ()))
