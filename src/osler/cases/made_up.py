"""Made-up cases: those that were generated for measuring machines and that no person wrote or read."""

from __future__ import annotations

from typing import Final

from osler.cases.model import Case

MADE_UP: Final = "made up: for measuring machines"
"""The flag of a generated case in its provenance."""
NOT_FOR_LEARNERS: Final = (
    "Made up: for measuring machines, not for learners. No person wrote it, and no clinician has read it."
)


def made_up(case: Case) -> bool:
    """Whether a case says that it was made up."""
    return any(flag.startswith(MADE_UP) for flag in case.provenance.flags)
