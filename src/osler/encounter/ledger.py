"""What has been released so far, and what is still on its way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from osler.seats.pictures import Picture

Provenance = Literal["case", "policy:normal", "synthetic"]


class Result(NamedTuple):
    """A result that was ordered. `item` is the finding's id, or the name where the case holds nothing."""

    order: int
    item: str
    name: str
    text: str
    provenance: Provenance
    ready_minute: int
    picture: Picture | None = None


@dataclass(slots=True)
class Ledger:
    """Evidence by item, each released once and for ever the same; results in the order they fall due."""

    released: dict[str, Result | None] = field(default_factory=dict)
    due: list[Result] = field(default_factory=list)

    def first_told(self, fact: str) -> bool:
        """Enter a fact; false if it was told before."""
        if fact in self.released:
            return False
        self.released[fact] = None
        return True

    def ordered(self, item: str) -> Result | None:
        """The result of `item` if it was ordered before, whether it is ready or not."""
        return self.released.get(item) or next((r for r in self.due if r.item == item), None)

    def expect(self, result: Result) -> None:
        """Put a result on its way."""
        self.due.append(result)
        self.due.sort(key=lambda r: (r.ready_minute, r.order))

    def fall_due(self, minute: int) -> list[Result]:
        """Take the results that are ready at `minute`, and enter them."""
        ready = [result for result in self.due if result.ready_minute <= minute]
        self.due = self.due[len(ready) :]
        self.released.update((result.item, result) for result in ready)
        return ready

    def describe(self, result: Result, text: str) -> Result:
        """Put words in a released result's place of its picture, for good."""
        self.released[result.item] = described = result._replace(text=text, picture=None)
        return described
