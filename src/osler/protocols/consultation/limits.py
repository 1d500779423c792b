"""The limits of an encounter and the budget used so far. A breach names the limit."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import Field

from osler.core.events import Frozen
from osler.errors import LimitReached

VISIT_COST = 20
"""The cost of one visit, in illustrative tariff points."""


class Limits(Frozen):
    """Limits of one consultation. `None` means unlimited; minutes are simulated, costs are tariff points."""

    max_turns: int = Field(default=20, ge=1, le=1000)
    max_tests_per_visit: int | None = Field(default=10, ge=0)
    max_visits: int = Field(default=3, ge=1, le=100)
    visit_minutes: int = Field(default=240, ge=1)
    max_cost: int | None = Field(default=None, ge=VISIT_COST)


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
