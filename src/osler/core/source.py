"""The source of a run's cases: an ordered, countable collection that can be read by index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, Protocol, TypeAlias

from pydantic import Field
from typing_extensions import TypeVar

from osler.core.events import Frozen

CaseT = TypeVar("CaseT", default=Any)
"""The type of a protocol's cases."""
AnyCase: TypeAlias = Any
AnySource: TypeAlias = "Source[AnyCase]"
"""A case, and a source of cases, of any protocol."""
T_co = TypeVar("T_co", covariant=True)


class Reason(Frozen):
    """Why one record was flagged or rejected, or that it was imported without its images."""

    record: int
    kind: Literal["flagged", "rejected", "unseen"]
    reason: str


class ImportReport(Frozen):
    """The outcome of an import; `read == imported + rejected` always.

    `flagged` counts imported cases with a serious flag: `leak`, the diagnosis is verbatim in an examination
    or a test result, `given`, it is verbatim in the opening or in what the patient knows, or `unsure`, the
    source holds something that may be so or cannot be understood, and that nobody is told, and those that the
    judge flags, since they accept a name that says less than their answer. Milder remarks
    (`note`, `near`) stay with the case (`provenance.flags`). `unseen` counts imported cases without some of
    their images, which their text alone may not answer. The first 10,000 `reasons` are kept;
    `reasons_left_out` counts the rest.
    """

    read: int
    imported: int
    flagged: int
    rejected: int
    unseen: int = Field(default=0, exclude_if=lambda unseen: not unseen)
    reasons: tuple[Reason, ...] = ()
    reasons_left_out: int = 0


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
