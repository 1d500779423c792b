"""Opens the manager, the model judge of consultations."""

from __future__ import annotations

from typing import Any, Final

from osler.core.judge import JudgeModel, ModelJudge, Verdict, _Asked
from osler.core.measure import share_of
from osler.core.trace import Trace
from osler.protocols.consultation.judge.manager import ManagerJudge
from osler.protocols.consultation.judge.manager_judgement import model_judgement_json

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


def manager(model: JudgeModel) -> ModelJudge:
    """Open the manager: a model scores diagnosis, evidence, plan, follow-up and safety of a consultation."""
    asked = ManagerJudge(model.client, model.endpoint, repeats=model.repeats)

    async def judge(episode: Any, trace: Trace) -> Verdict:
        found = await asked.judge(episode.case, trace, episode.settings.options == "shown")
        return Verdict(found.grader, found.version, model_judgement_json(found))

    return _Asked(asked.grader, MANAGER_SCORES, lambda episode: asked.version, judge)
