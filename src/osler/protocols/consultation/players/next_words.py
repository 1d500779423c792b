"""A doctor with one predetermined move: it says the given words at one point, and otherwise plays as
usual."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from pydantic import BaseModel

from osler.core.composite import AnyPlayer, Inner, answer_of
from osler.core.contract import Own, Replied, Request
from osler.protocols.consultation.seats import Ask


class SaysNext:
    """A wrapper that says `words` to the patient after the first `after` moves; all other moves are
    `doctor`'s.

    The number of the move is counted from the request, so it is stateless.
    """

    def __init__(self, doctor: AnyPlayer, words: str, after: int) -> None:
        self._doctor, self._words, self._after = doctor, words, after
        self.name, self.durable = doctor.name, doctor.durable

    @property
    def fingerprint(self) -> str:
        """16 hex digits over the words, their position, and the doctor's own fingerprint."""
        own = getattr(self._doctor, "fingerprint", "")
        parts = "\x1f".join((own, str(self._after), self._words))
        return blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel | Replied:
        """Say the words if it is their turn, else return the doctor's own reply."""
        if sum(isinstance(item, Own) for item in request.feed) == self._after:
            return Ask(question=self._words)
        return await answer_of(self._doctor, request, inner)
