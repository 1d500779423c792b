"""The built-in safety supervisor: phrase rules for ClinEdu's five dimensions. It judges wording, not
medicine, nor whether a draft gives the answer away, which is measured afterwards."""

from __future__ import annotations

from typing import Final

from osler.knowledge.conduct import breach
from osler.seats.contract import Request
from osler.seats.round_events import Line
from osler.seats.ward_round import SafetyCheck, SupervisorView


class BaselineSupervisor:
    """The built-in supervisor: rejects a draft that breaks a phrase rule."""

    name: Final = "baseline"
    durable: Final = False

    async def reply(self, request: Request[SupervisorView]) -> SafetyCheck:
        """Review the latest draft."""
        return review(
            next(item.text for item in reversed(request.feed) if type(item) is Line and item.part == "draft")
        )


def review(draft: str) -> SafetyCheck:
    """Review a draft by the first rule it breaks, if any."""
    found = breach(draft)
    if found is None:
        return SafetyCheck(is_safe=True)
    return SafetyCheck.model_validate(
        {
            "is_safe": False,
            "issue_category": found.category,
            "feedback_and_suggestion": f"{found.quote!r} is not acceptable. {found.suggestion}",
        }
    )
