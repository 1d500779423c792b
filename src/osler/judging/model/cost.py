"""The cost of judging. A separate module, so that reading a judgement does not import a model's client."""

from __future__ import annotations

from typing import NamedTuple


class Cost(NamedTuple):
    """Requests sent and tokens used; tokens that an endpoint does not report count as 0."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def plus(self, other: Cost) -> Cost:
        """The sum of both."""
        return Cost(*(one + two for one, two in zip(self, other, strict=True)))
