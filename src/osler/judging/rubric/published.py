"""The published files of a judged transcript: `transcript.json` as read, and the evaluation as written.

The evaluation, `final_evaluation_frozen_rubric.json`, is six maps from an item to a verdict. Its score counts
the items of the frozen rubric, never what a judge returned. If the same text occurs twice in one competency,
the map can hold only one verdict: it is true if both are.
"""

from __future__ import annotations

from typing import Any, Final

from osler.cases.rubrics.model import COMPETENCIES
from osler.errors import BadInput
from osler.judging.lines import EXAMINEE, Line, Source, lines_said
from osler.judging.rubric.judgement import RubricJudgement

FILE: Final = "final_evaluation_frozen_rubric.json"
_ROLES: Final[dict[str, Source]] = {
    "examinee": "examinee",
    "examinee_actions": "action",
    "sp": "patient",
    "environment": "environment",
    "system_event": "environment",
}
_PASSED_OVER: Final = ("system",)


def lines_of_transcript(entries: object) -> tuple[Line, ...]:
    """The lines of a published `transcript.json`, a list of {role, content}. Raises BadInput.

    A turn begins when the examinee speaks or acts after another speaker.
    """
    if not isinstance(entries, list):
        raise BadInput("is not a transcript: it must be a list of {role, content}")
    found: list[Line] = []
    turn, mine = 0, False
    for number, entry in enumerate(entries, start=1):
        role, text = _entry(entry, number)
        if role in _PASSED_OVER:
            continue
        source = _ROLES[role]
        turn += source in EXAMINEE and not mine
        mine = source in EXAMINEE
        found += lines_said(source, text, turn)
    return tuple(found)


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


def _entry(entry: Any, number: int) -> tuple[str, str]:  # Any: JSON
    if not isinstance(entry, dict) or not all(
        isinstance(entry.get(name), str) for name in ("role", "content")
    ):
        raise BadInput(f"entry {number} must have a role and a content, both texts")
    if entry["role"] not in (*_ROLES, *_PASSED_OVER):
        known = ", ".join((*_PASSED_OVER, *_ROLES))
        raise BadInput(
            f"entry {number}: the role {entry['role'][:40]!r} is not known", hint=f"one of {known}"
        )
    return entry["role"], entry["content"]
