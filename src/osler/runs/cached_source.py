"""Case sources: cases held in memory, a cache for a run begun and played in one go, a subset of the cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Generic, TypeVar

from osler.cases.importers.images import Images
from osler.core.source import ImportReport, Source
from osler.errors import BadInput

T = TypeVar("T")
MOST: Final = 1_000  # about 40 MB


class InMemory(Generic[T]):
    """Cases held in memory, under a source's label and fingerprint."""

    def __init__(
        self,
        label: str,
        cases: Sequence[T],
        fingerprint: str,
        report: ImportReport | None = None,
        images: Images | None = None,
    ) -> None:
        self._cases, self.images = tuple(cases), images
        self.label, self.size, self.fingerprint = label, len(self._cases), fingerprint
        self.report = report

    def __iter__(self) -> Iterator[T]:
        """Iterate over every case, from the first."""
        return iter(self._cases)

    def get(self, index: int) -> T:
        """Return the case at `index`, from 0. Raises BadInput if there is none."""
        if not 0 <= index < len(self._cases):
            raise BadInput(f"there is no case {index + 1}", where=self.label)
        return self._cases[index]


class KeptSource(Generic[T]):
    """A caching source: its cases are kept when it is first read to the end, up to `MOST` of them."""

    def __init__(self, source: Source[T]) -> None:
        self._source = source
        self._cases: list[T] | None = None
        self.report: ImportReport | None = source.report
        self.images: Images | None = getattr(source, "images", None)
        self.label, self.size, self.fingerprint = source.label, source.size, source.fingerprint

    def __iter__(self) -> Iterator[T]:
        """Iterate over every case that can be read, from the first."""
        if self._cases is not None:
            yield from self._cases
            return
        kept: list[T] = []
        for case in self._source:
            if len(kept) <= MOST:
                kept.append(case)
            yield case
        self.report = self._source.report
        if len(kept) <= MOST:
            self._cases = kept

    def get(self, index: int) -> T:
        """Return the case at `index`, from 0. Raises BadInput if the source has no such case."""
        if self._cases is not None and 0 <= index < len(self._cases):
            return self._cases[index]
        return self._source.get(index)


class CaseSubset(Generic[T]):
    """A subset of a source's cases, by index; it has the source's label and fingerprint."""

    def __init__(self, source: Source[T], places: Sequence[int]) -> None:
        self._source, self._places = source, tuple(places)
        self.report: ImportReport | None = source.report
        self.images: Images | None = getattr(source, "images", None)
        self.label, self.size, self.fingerprint = source.label, len(self._places), source.fingerprint

    def __iter__(self) -> Iterator[T]:
        """Iterate over these cases, in the order of `places`."""
        return map(self._source.get, self._places)

    def get(self, index: int) -> T:
        """Return the case at `places[index]`. Raises BadInput if there is none."""
        if not 0 <= index < len(self._places):
            raise BadInput(f"there is no case {index + 1}", where=self.label)
        return self._source.get(self._places[index])


def placed(source: Source[T], config: object) -> Source[T]:
    """Return the source restricted to the configuration's `places`, if it names any."""
    places = getattr(config, "places", None)
    return source if places is None else CaseSubset(source, places)
