"""The rules of a consultation: its limits and budget, the ledger of results, and which orders are answered.

A breach of a limit names the limit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from osler.core.pictures import Picture
from osler.errors import LimitReached
from osler.knowledge.formulary import Entry
from osler.knowledge.known_tests import normal_result
from osler.knowledge.vocabulary import FindingKind, Unknown
from osler.protocols.consultation.seats import ExaminationReply, ExaminationView
from osler.protocols.consultation.settings import VISIT_COST, Limits


@dataclass(slots=True)
class Budget:
    """The budget used so far. It only grows, and never past its limits."""

    limits: Limits
    turns: int = 0
    tests: int = 0
    tests_this_visit: int = 0
    visit: int = 1
    visit_began: int = 0
    cost: int = VISIT_COST

    @property
    def tests_left(self) -> int | None:
        most = self.limits.max_tests_per_visit
        return None if most is None else most - self.tests_this_visit

    @property
    def cost_left(self) -> int | None:
        return None if self.limits.max_cost is None else self.limits.max_cost - self.cost

    def minutes_left(self, minute: int) -> int:
        """The minutes left in this visit at `minute`; never below zero."""
        return max(0, self.visit_began + self.limits.visit_minutes - minute)

    def need_turn(self) -> None:
        """Raise `LimitReached("turns")` if no turn is left."""
        if self.turns >= self.limits.max_turns:
            raise LimitReached("turns", f"all {self.limits.max_turns} turns are used")

    def refusal(self, *, tests: int = 0, cost: int = 0, minutes: int = 0, now: int = 0) -> str | None:
        """The reason the budget does not allow this at `now`, or `None` if it does. `minutes` are taken from
        the visit itself."""
        if tests and self.tests_left is not None and tests > self.tests_left:
            return f"{self.tests_left} of {self.limits.max_tests_per_visit} tests are left in this visit"
        if self.cost_left is not None and cost > self.cost_left:
            return f"it costs {cost} points and {self.cost_left} are left"
        if minutes and minutes > self.minutes_left(now):
            return f"it takes {minutes} minutes and {self.minutes_left(now)} are left in this visit"
        return None

    def spend(self, *, tests: int = 0, cost: int = 0) -> None:
        """Spend tests and tariff points that `refusal` has allowed."""
        self.tests += tests
        self.tests_this_visit += tests
        self.cost += cost

    def next_visit(self, minute: int) -> None:
        """Begin another visit at `minute`, or raise `LimitReached` naming visits or cost."""
        if self.visit >= self.limits.max_visits:
            raise LimitReached("visits", f"all {self.limits.max_visits} visits are used")
        if refusal := self.refusal(cost=VISIT_COST):
            raise LimitReached("cost", f"another visit is not possible: {refusal}")
        self.cost += VISIT_COST
        self.visit += 1
        self.visit_began = minute
        self.tests_this_visit = 0


Provenance = Literal["case", "policy:normal", "synthetic"]


class Result(NamedTuple):
    """A result that was ordered. `item` is the finding's id, or its name if the case has no such finding."""

    order: int
    item: str
    name: str
    finding_kind: FindingKind
    text: str
    provenance: Provenance
    ready_minute: int
    picture: Picture | None = None


@dataclass(slots=True)
class Ledger:
    """Released results by item, which never change once released, and pending ones by due time."""

    released: dict[str, Result] = field(default_factory=dict)
    due: list[Result] = field(default_factory=list)

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


def check_examination(reply: ExaminationReply, view: ExaminationView) -> None:
    """Raise ValueError if a reply returns a finding the case does not hold, or returns one on a mere
    guess."""
    ids = {finding.id for finding in view.findings}
    if strange := [item for item in reply.findings if item not in ids]:
        raise ValueError(f"the case holds no finding {strange[0][:40]!r}")
    if reply.match_type in ("exact", "alias") and not reply.findings:
        raise ValueError("an exact or alias match returns at least one finding")
    if reply.match_type in ("fuzzy", "none") and reply.findings:
        raise ValueError("a fuzzy match or none returns no finding")


def unlisted(
    name: str,
    entry: Entry,
    policy: Unknown,
    left_unwritten: Callable[[Entry], bool],
    age_years: float | None,
    sex: Literal["female", "male"] | None,
) -> str | None:
    """The result of an order by `name` that the case does not hold, under the run's policy; `None`: not
    obtained.

    `left_unwritten` says whether the case ought to have held it; such a finding is never reported as normal.
    Otherwise, under `standard`, an examination is normal and a test could not be obtained.
    """
    normal = policy == "normal" or (policy == "standard" and entry.kind == "examination")
    if not normal or left_unwritten(entry):
        return None
    return normal_result(name, entry, age_years, sex)
