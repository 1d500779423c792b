"""The published file of a judged transcript, `final_evaluation_frozen_rubric.json`.

It is six maps from an item to a verdict. Its score counts the items of the frozen rubric, never what a judge
returned. If the same text occurs twice in one competency, the map can hold only one verdict: it is true if
both are.
"""

from __future__ import annotations

from typing import Any, Final

from osler.cases.rubrics.model import COMPETENCIES
from osler.judging.rubric.judgement import RubricJudgement

FILE: Final = "final_evaluation_frozen_rubric.json"


def final_evaluation(judgement: RubricJudgement, rescored_at: str) -> dict[str, Any] | None:
    """The file's content, or `None` if the rubric has no score. `rescored_at` is a time in ISO 8601."""
    score = judgement.scores.completion
    if score.value is None:
        return None
    rubric, verdicts = judgement.rubric, judgement.verdicts
    maps: dict[str, dict[str, bool]] = {name: {} for name in COMPETENCIES}
    for item, verdict in zip(rubric.items, verdicts, strict=True):
        held = maps[item.competency]
        held[item.text] = bool(verdict.holds) and held.get(item.text, True)
    true = sum(bool(verdict.holds) for verdict in verdicts)
    return {
        "reasoning": " ".join(verdict.why for verdict in verdicts if verdict.why)[:1000],
        **maps,
        "_judge_model": judgement.model or judgement.grader,
        "_rubric_version": rubric.version,
        "_rubric_case_id": rubric.case_id,
        "_rubric_scenario": rubric.scenario,
        "_frozen_rubric": True,
        "_rescored_at": rescored_at,
        "_score_summary": {
            "completed_items": true,
            "total_items": len(verdicts),
            "false_items": len(verdicts) - true,
            "completion_ratio": round(score.value, 6),
        },
    }
