"""The shelf label of a case or a scenario: what a learner may read before playing it.

Nothing on it gives the diagnosis away. `system` is that of the complaint, not of the answer.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final, Literal

from pydantic import Field

from osler.core.events import Frozen

Level = Literal["foundation", "intermediate", "advanced"]
System = Literal[
    "cardiovascular",
    "respiratory",
    "abdominal",
    "neurological",
    "mental health",
    "musculoskeletal",
    "skin",
    "eye",
    "ear",
    "genitourinary",
    "endocrine",
    "general",
]
Skill = Literal[
    "history",
    "history from others",
    "examination",
    "investigation",
    "prescribing",
    "explanation",
    "shared decision",
    "breaking bad news",
    "confidentiality",
    "risk assessment",
    "safeguarding",
    "interpreter",
    "emergency",
    "teamwork",
    "handover",
    "candour",
]

WARNING: Final = "may be distressing"
"""The one warning on the shelf: a particular one would give the case away."""


class Shelf(Frozen):
    """A shelf label: title, complaint, system, level, minutes, skills and objectives, all learner-safe.

    `minutes` are those that a learner at that level should plan, debrief left out.
    """

    title: str = Field(min_length=1)
    complaint: str = Field(min_length=1)
    system: System
    level: Level
    minutes: int = Field(ge=1, le=240)
    skills: tuple[Skill, ...] = Field(min_length=1)
    objectives: tuple[str, ...] = ()

    @cached_property
    def texts(self) -> dict[str, str]:
        """The free texts by their place in the label."""
        numbered = {f"objectives[{number}]": text for number, text in enumerate(self.objectives)}
        return {"title": self.title, "complaint": self.complaint, **numbered}
