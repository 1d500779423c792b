"""The report of an import: every record is either imported or rejected, and flags are counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple, TypeVar

from osler.cases.model import Case
from osler.core.events import Frozen

MAX_REASONS: Final = 10_000
# A flag is "code: words". These codes say that the case gives away its answer; the others are remarks.
SERIOUS: Final = ("leak", "given")


_Kept = TypeVar("_Kept")


class Rejected(NamedTuple):
    """A record that could not be imported, by its number in its file (from 1), and why."""

    record: int
    reason: str


class Reason(Frozen):
    """Why one record was flagged or rejected."""

    record: int
    kind: Literal["flagged", "rejected"]
    reason: str


class ImportReport(Frozen):
    """The outcome of an import; `read == imported + rejected` always.

    `flagged` counts imported cases with a serious flag: `leak`, the diagnosis is verbatim in an examination
    or a test result, or `given`, it is verbatim in the opening or in what the patient knows. Milder remarks
    (`note`, `near`) stay with the case (`provenance.flags`). The first 10,000 `reasons` are kept;
    `reasons_left_out` counts the rest.
    """

    read: int
    imported: int
    flagged: int
    rejected: int
    reasons: tuple[Reason, ...] = ()
    reasons_left_out: int = 0


def serious_flags(case: object) -> tuple[str, ...]:
    """The flags saying that a case or scenario gives away its answer; one without a provenance has none."""
    flags = getattr(getattr(case, "provenance", None), "flags", None)
    said = flags if isinstance(flags, tuple) else ()  # another package's may be anything
    return tuple(one for one in said if isinstance(one, str) and one.partition(":")[0] in SERIOUS)


class Tally:
    """Counts the outcome of an import, in constant memory."""

    def __init__(self) -> None:
        self.imported = self.flagged = self.rejected = self._left_out = 0
        self._reasons: list[Reason] = []

    def watch(self, items: Iterable[_Kept | Rejected], *, file: str = "") -> Iterator[_Kept]:
        """Pass the cases on and count everything; `file` is named in the reasons."""
        prefix = f"{file}: " if file else ""
        for number, item in enumerate(items, start=1):
            if isinstance(item, Rejected):
                self.rejected += 1
                self._add(Reason(record=item.record, kind="rejected", reason=prefix + item.reason))
                continue
            self.imported += 1
            if flags := serious_flags(item):
                self.flagged += 1
                record = item.provenance.record if isinstance(item, Case) else ""
                place = int(record) if record.isdecimal() and len(record) < 19 else number
                self._add(Reason(record=place, kind="flagged", reason=prefix + "; ".join(flags)))
            yield item

    def report(self) -> ImportReport:
        """The counts so far."""
        return ImportReport(
            read=self.imported + self.rejected,
            imported=self.imported,
            flagged=self.flagged,
            rejected=self.rejected,
            reasons=tuple(self._reasons),
            reasons_left_out=self._left_out,
        )

    def _add(self, reason: Reason) -> None:
        if len(self._reasons) < MAX_REASONS:
            self._reasons.append(reason)
        else:
            self._left_out += 1
