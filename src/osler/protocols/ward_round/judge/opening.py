"""Opens the model judge of teaching."""

from __future__ import annotations

from typing import Any

from osler.core.judge import JudgeModel, ModelJudge, Verdict, _Asked
from osler.core.measure import Measure, score
from osler.core.trace import Trace
from osler.errors import BadInput
from osler.judging.model.cost import Cost
from osler.judging.scores import UNSCORED, Score
from osler.protocols.ward_round.judge.by_model import (
    Marked,
    TeachingJudge,
    teaching_judgement_json,
)
from osler.protocols.ward_round.judge.scales import HIGHEST, LOWEST, scales
from osler.protocols.ward_round.judge.transcripts import session_of_trace


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


def _unmarked(reason: str) -> dict[str, Marked]:
    return dict.fromkeys(scales(), Marked(Score(None, reason), (), None, Cost(), ()))
