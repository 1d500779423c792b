"""Reviews by clinicians: what is kept of one, and the words of a case or scenario that it was made of."""

from __future__ import annotations

from datetime import date
from hashlib import blake2b
from typing import Literal, Self

from pydantic import BaseModel, Field, model_validator

from osler.core.events import Frozen

Verdict = Literal["accepted", "changes", "rejected"]
"""`changes`: to be accepted once the comment is answered."""


class Review(Frozen):
    """A review: who read it (`by`, `role`), on which day, of which version, with what verdict and comment."""

    by: str = Field(min_length=1, max_length=200)
    role: str = Field(min_length=1, max_length=200)
    date: str = Field(pattern=r"^\d{4}-\d\d-\d\d$")
    version: str
    verdict: Verdict | None = None
    comment: str | None = Field(default=None, max_length=10_000)

    @model_validator(mode="after")
    def _is_a_day(self) -> Self:
        date.fromisoformat(self.date)
        return self

    def told(self, version: str) -> str:
        """The review in one line, with a note where the text (its `version` now) has changed since."""
        verdict = self.verdict or "no verdict"
        changed = "" if self.version == version else ", of an earlier version"
        return f"{self.by} ({self.role}, {self.date}): {verdict}{changed}"


def version_of(item: BaseModel) -> str:
    """The version of a case or scenario: 16 hex digits over all but its provenance (blake2b)."""
    said = item.model_dump_json(exclude={"provenance"})
    return blake2b(said.encode(), digest_size=8).hexdigest()
