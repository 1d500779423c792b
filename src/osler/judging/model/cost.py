"""What judging cost, apart from how a model is asked: whoever reads a judgement needs no model's client."""

from __future__ import annotations

from typing import NamedTuple


class Cost(NamedTuple):
    """Requests sent and tokens used; tokens that an endpoint does not report count as 0."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def plus(self, other: Cost) -> Cost:
        """Both together."""
        return Cost(*(one + two for one, two in zip(self, other, strict=True)))
