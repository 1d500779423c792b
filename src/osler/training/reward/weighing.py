"""Items of a rubric, their weights, and the veto: from marks to one total.

    R_base = sum of w_i * s_i          s_i an integer from -2 to 2, w_i 1 unless given
    R      = the penalty               if any s_i < 0 for an item that vetoes
             R_base                    otherwise

The penalty lies below every sum without a veto, whatever the weights:

    floor    one below the lowest such sum (the default: -11 with images, -9 without, at weights of 1)
    paper    -15, refused for weights with which a sum could fall to it
    off      none: a negative mark only counts as such

An item may be absent at a state (a mark for an image where there is none). It is left out and is not 0: its
highest and lowest sums differ, and totals are compared within a group of one state only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Final, Literal, NamedTuple, get_args

from osler.errors import BadInput
from osler.training.reward.score import Score

LOWEST: Final = -2
HIGHEST: Final = 2
PAPER: Final = -15.0
Policy = Literal["paper", "floor", "off"]
POLICIES: Final[tuple[Policy, ...]] = get_args(Policy)


class RewardItem(NamedTuple):
    """One item of a rubric: its axis, what it asks, and whether a negative mark vetoes the turn."""

    name: str
    axis: str
    asks: str
    vetoes: bool = False


@dataclass(frozen=True)
class Weighing:
    """A rubric's items with their weights and the veto. Raises BadInput for what cannot be used."""

    items: tuple[RewardItem, ...]
    policy: Policy = "floor"
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check policy and weights, and that the penalty is below every sum."""
        if self.policy not in POLICIES:
            raise BadInput(f"there is no veto {self.policy!r}", where="--veto", hint=", ".join(POLICIES))
        known = self.names
        for name, weight in self.weights.items():
            if name not in known:
                raise BadInput(f"there is no item {name!r}", where="weights", hint=", ".join(known))
            if isinstance(weight, bool) or not isfinite(weight) or weight < 0:
                raise BadInput(f"{name} cannot weigh {weight}", where="weights", hint="0 or more")
        lowest = self.lowest(known)
        if self.policy == "paper" and lowest <= PAPER:
            raise BadInput(
                f"with these weights a turn without a veto may sum to {lowest:g}, not above {PAPER:g}",
                where="--veto paper",
                hint="take --veto floor, or smaller weights",
            )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all items, in order."""
        return tuple(item.name for item in self.items)

    def weight(self, name: str) -> float:
        """The weight of an item."""
        return float(self.weights.get(name, 1.0))

    def lowest(self, present: Collection[str]) -> float:
        """The lowest sum of these items without a veto: those that veto are not negative then."""
        each = (
            0.0 if item.vetoes else self.weight(item.name) * LOWEST
            for item in self.items
            if item.name in present
        )
        return sum(each)

    def highest(self, present: Collection[str]) -> float:
        """The highest sum of these items."""
        return sum(self.weight(item.name) * HIGHEST for item in self.items if item.name in present)

    def penalty(self, present: Collection[str]) -> float:
        """The total of a vetoed turn at a state where these items are present."""
        penalty = PAPER if self.policy == "paper" else self.lowest(present) - 1
        if penalty >= self.lowest(present):
            raise AssertionError("a veto must lie below every sum without one")
        return penalty

    def vetoed(self, marks: Mapping[str, int]) -> bool:
        """Whether these marks veto the turn."""
        if self.policy == "off":
            return False
        return any(item.vetoes and marks.get(item.name, 0) < 0 for item in self.items)

    def total(
        self, marks: Mapping[str, int], present: Iterable[str], quotes: Mapping[str, str] | None = None
    ) -> Score:
        """The score of marks at a state where the items `present` are.

        Marks may be incomplete only if they veto already: nothing else can change the total then. Raises
        ValueError for a mark that is missing, out of range, or of no item.
        """
        wanted = set(present)
        strange = sorted(set(marks) - wanted)
        if strange or any(not _is_mark(mark) for mark in marks.values()):
            raise ValueError(f"not the marks of these items: {dict(marks)}")
        vetoed = self.vetoed(marks)
        if not vetoed and wanted - set(marks):
            raise ValueError(f"no mark of {', '.join(sorted(wanted - set(marks)))}")
        axes: dict[str, float] = {}
        for item in self.items:
            if item.name in marks:
                axes[item.axis] = axes.get(item.axis, 0.0) + self.weight(item.name) * marks[item.name]
        total = self.penalty(wanted) if vetoed else sum(axes.values())
        ordered = {name: marks[name] for name in self.names if name in marks}
        return Score(total, ordered, axes, vetoed, None, dict(quotes or {}))


def _is_mark(mark: object) -> bool:
    return isinstance(mark, int) and not isinstance(mark, bool) and LOWEST <= mark <= HIGHEST
