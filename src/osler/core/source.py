"""The source of a run's cases: an ordered, countable collection that can be read by index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from osler.cases.importers.report import ImportReport

T_co = TypeVar("T_co", covariant=True)


class Source(Protocol[T_co]):
    """Cases or scenarios in a fixed order.

    `label` names the source in a manifest; `report` is set by every full pass.
    """

    report: ImportReport | None

    @property
    def label(self) -> str: ...

    @property
    def size(self) -> int | None:
        """The number of items; `None` where only reading them all can tell."""
        ...

    @property
    def fingerprint(self) -> str:
        """A fingerprint, 32 hex digits, over everything that determines the items."""
        ...

    def __iter__(self) -> Iterator[T_co]:
        """Every readable item, from the first."""
        ...

    def get(self, index: int) -> T_co:
        """The item at `index`, from 0. Raises BadInput where the source has no such item."""
        ...
