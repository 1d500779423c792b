"""A doctor whose next move was decided beforehand: somebody says these words, then the doctor goes on."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from pydantic import BaseModel

from osler.seats.composite import AnyPlayer, Inner, answer_of
from osler.seats.contract import Own, Replied, Request
from osler.seats.doctor import Ask


class SaysNext:
    """Says `words` to the patient as the move after the first `after` moves; every other move is `doctor`'s.

    Which move it is can be counted from the request, so nothing is remembered between calls.
    """

    def __init__(self, doctor: AnyPlayer, words: str, after: int) -> None:
        self._doctor, self._words, self._after = doctor, words, after
        self.name, self.durable = doctor.name, doctor.durable

    @property
    def fingerprint(self) -> str:
        """16 hex digits over the words, their place, and the doctor's own fingerprint."""
        own = getattr(self._doctor, "fingerprint", "")
        parts = "\x1f".join((own, str(self._after), self._words))
        return blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    async def compose(self, request: Request[Any], inner: Inner, /) -> BaseModel | Replied:
        """The words at their place, else the doctor's own reply."""
        if sum(isinstance(item, Own) for item in request.feed) == self._after:
            return Ask(question=self._words)
        return await answer_of(self._doctor, request, inner)
