"""The model judge of scenarios by their own rubrics; apart from `keyed`, since models load slowly."""

from __future__ import annotations

from osler.core.judge import ModelJudge
from osler.judging.opening import JudgeModel
from osler.judging.rubric.by_model import ModelRubricJudge
from osler.judging.rubric.of_episodes import ByRubric
from osler.protocols.scenario.judge.keyed import rubric_of


def by_own_rubric(model: JudgeModel) -> ModelJudge:
    """Open the judge of rubrics: a model judges a scenario by the scenario's own rubric."""
    model_judge = ModelRubricJudge(model.client, model.endpoint, repeats=model.repeats, batch=model.batch)
    return ByRubric(model_judge, lambda episode: rubric_of(episode.case))
