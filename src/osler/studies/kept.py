"""Cases that are read once for a run that is begun and played in one go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from osler.cases.importers.report import ImportReport
from osler.cases.model import Case
from osler.cases.sources import CaseSource

MOST: Final = 1_000  # about 40 MB


class KeptSource:
    """A source whose cases are kept when it is first read to its end, unless they are many."""

    def __init__(self, source: CaseSource) -> None:
        self._source = source
        self._cases: list[Case] | None = None
        self.report: ImportReport | None = source.report
        self.label, self.size, self.fingerprint = source.label, source.size, source.fingerprint

    def __iter__(self) -> Iterator[Case]:
        """Every case that can be read, from the first."""
        if self._cases is not None:
            yield from self._cases
            return
        kept: list[Case] = []
        for case in self._source:
            if len(kept) <= MOST:
                kept.append(case)
            yield case
        self.report = self._source.report
        if len(kept) <= MOST:
            self._cases = kept

    def get(self, index: int) -> Case:
        """The case at `index` from 0. Raises BadInput where the source holds no such case."""
        if self._cases is not None and 0 <= index < len(self._cases):
            return self._cases[index]
        return self._source.get(index)
