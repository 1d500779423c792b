"""A client for estimates of cost: it sends nothing."""

from __future__ import annotations

from collections.abc import Sequence

from osler.models.budget import estimate
from osler.models.faults import Fault, Kind, ModelAnswerError
from osler.models.types import Completion, CompletionRequest, Validate


class Weigher:
    """A client that sends nothing: it adds up the estimates of what it is asked, and gives no answer."""

    def __init__(self) -> None:
        self.calls, self.prompt, self.completion = 0, 0, 0

    async def complete(self, request: CompletionRequest, *, validate: Validate | None = None) -> Completion:
        """Add one request. Always raises ModelAnswerError."""
        weighed = estimate(request)
        self.calls += 1
        self.prompt += weighed.prompt
        self.completion += weighed.completion
        raise ModelAnswerError(Fault(Kind.EMPTY, "nothing was sent"))

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Raise NotImplementedError: no judge uses embeddings."""
        raise NotImplementedError
