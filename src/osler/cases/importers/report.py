"""The report of an import: every record is either imported or rejected, and flags are counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, TypeVar

from osler.cases.model import Case
from osler.cases.pictures import files_in, unseen
from osler.core.source import ImportReport, Reason

MAX_REASONS: Final = 10_000
UNSURE: Final = "unsure"
"""The code of a flag that names what may be so, or was not understood, and is not told to anybody."""
# A flag is "code: words". These codes say that the case gives away its answer, or that somebody has to look
# at it; the others are remarks.
SERIOUS: Final = ("leak", "given", UNSURE)


_Kept = TypeVar("_Kept")


class Rejected(NamedTuple):
    """A record that could not be imported, by its number in its file (from 1), and why.

    >>> osler.Rejected(3, "it has no diagnosis")
    Rejected(record=3, reason='it has no diagnosis')
    """

    record: int
    reason: str


def serious_flags(case: object) -> tuple[str, ...]:
    """The flags that somebody has to look at; a case or scenario without a provenance has none."""
    flags = getattr(getattr(case, "provenance", None), "flags", None)
    said = flags if isinstance(flags, tuple) else ()  # another package's may be anything
    return tuple(one for one in said if isinstance(one, str) and one.partition(":")[0] in SERIOUS)


class Tally:
    """Counts the outcome of an import, in constant memory. `flags` may flag a case for more than its importer
    did."""

    def __init__(self, flags: Callable[[object], Iterable[str]] = lambda _: ()) -> None:
        self._flags = flags
        self.imported = self.flagged = self.rejected = self.unseen = self._left_out = 0
        self.images = 0
        """The image files of the imported cases."""
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
            self.images += sum(1 for _ in files_in(item))
            record = item.provenance.record if isinstance(item, Case) else ""
            place = int(record) if record.isdecimal() and len(record) < 19 else number
            if flags := (*serious_flags(item), *self._flags(item)):
                self.flagged += 1
                self._add(Reason(record=place, kind="flagged", reason=prefix + "; ".join(flags)))
            if told := unseen(item):
                self.unseen += 1
                self._add(Reason(record=place, kind="unseen", reason=prefix + told))
            yield item

    def report(self) -> ImportReport:
        """The counts so far."""
        return ImportReport(
            read=self.imported + self.rejected,
            imported=self.imported,
            flagged=self.flagged,
            rejected=self.rejected,
            unseen=self.unseen,
            reasons=tuple(self._reasons),
            reasons_left_out=self._left_out,
        )

    def _add(self, reason: Reason) -> None:
        if len(self._reasons) < MAX_REASONS:
            self._reasons.append(reason)
        else:
            self._left_out += 1
