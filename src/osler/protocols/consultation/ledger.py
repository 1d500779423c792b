"""The ledger of evidence: released so far, and ordered but still pending."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from osler.core.pictures import Picture

Provenance = Literal["case", "policy:normal", "synthetic"]


class Result(NamedTuple):
    """A result that was ordered. `item` is the finding's id, or its name if the case has no such finding."""

    order: int
    item: str
    name: str
    text: str
    provenance: Provenance
    ready_minute: int
    picture: Picture | None = None


@dataclass(slots=True)
class Ledger:
    """Released evidence by item, which never changes once released, and pending results by due time."""

    released: dict[str, Result | None] = field(default_factory=dict)
    due: list[Result] = field(default_factory=list)

    def first_told(self, fact: str) -> bool:
        """Record a fact as told; return False if it was told before."""
        if fact in self.released:
            return False
        self.released[fact] = None
        return True

    def ordered(self, item: str) -> Result | None:
        """Return the result of `item` if it was ordered before, ready or not, else `None`."""
        return self.released.get(item) or next((r for r in self.due if r.item == item), None)

    def expect(self, result: Result) -> None:
        """Add a pending result."""
        self.due.append(result)
        self.due.sort(key=lambda r: (r.ready_minute, r.order))

    def fall_due(self, minute: int) -> list[Result]:
        """Take the results that are ready at `minute`, and record them as released."""
        ready = [result for result in self.due if result.ready_minute <= minute]
        self.due = self.due[len(ready) :]
        self.released.update((result.item, result) for result in ready)
        return ready

    def describe(self, result: Result, text: str) -> Result:
        """Replace the picture of a released result by its description, for good."""
        self.released[result.item] = described = result._replace(text=text, picture=None)
        return described
