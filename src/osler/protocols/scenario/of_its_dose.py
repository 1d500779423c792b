"""Of acts that are named alike and differ in their dose, the one that an order means."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

from osler.text.exact_dose import orders_dose


class Dosed(Protocol):
    """A declared act as the engine or the controller's seat has it."""

    @property
    def what(self) -> str:
        """The plain wording."""

    @property
    def terms(self) -> tuple[str, ...]:
        """The rules that recognize it."""

    @property
    def exact(self) -> bool:
        """Whether its dose and route must be ordered."""


_Act = TypeVar("_Act", bound=Dosed)


def of_its_dose(act: _Act, words: str, others: Iterable[_Act]) -> _Act | None:
    """The act if its dose is ordered or it needs none, else one named alike whose dose is; or `None`."""
    if not act.exact or orders_dose(act.what, words):
        return act
    alike = (other for other in others if other.exact and other.terms == act.terms)
    return next((other for other in alike if orders_dose(other.what, words)), None)
