"""Plurality voting on conclusions: votes for the same diagnosis form one side, and the largest side wins.

In a tie the side of the earliest vote wins, and the reply mentions the tie.
"""

from __future__ import annotations

from collections.abc import Sequence

from osler.knowledge.conditions import diagnosis_key
from osler.protocols.consultation.seats import Finalize

_MOST_REASONS = 4000


def side_of(conclusion: Finalize) -> str:
    """The key a vote is counted under: the option chosen, else the diagnosis, normalised."""
    if conclusion.answer is not None:
        return f"answer {conclusion.answer}"
    return diagnosis_key(conclusion.diagnosis)


def sides(votes: Sequence[Finalize]) -> list[list[Finalize]]:
    """The votes grouped by side, largest first, ties in the order of their earliest vote."""
    found: dict[str, list[Finalize]] = {}
    for vote in votes:
        found.setdefault(side_of(vote), []).append(vote)
    return sorted(found.values(), key=len, reverse=True)  # a stable sort keeps the order of equals


def majority(votes: Sequence[Finalize], missing: int = 0) -> Finalize:
    """The first vote of the winning side, with the count among its reasons. `missing` doctors gave none."""
    found = sides(votes)
    said = "; ".join(f"{len(side)} for {side[0].answer or side[0].diagnosis}"[:300] for side in found)
    counted = f"Votes: {said}."
    if missing:
        counted += f" No valid vote from {missing}."
    if len(found) > 1 and len(found[0]) == len(found[1]):
        counted += " A tie, which the earliest vote decides."
    return because(found[0][0], counted)


def because(conclusion: Finalize, reason: str) -> Finalize:
    """Return the conclusion with one more reason."""
    return conclusion.model_copy(update={"rationale": (*conclusion.rationale, reason[:_MOST_REASONS])})
