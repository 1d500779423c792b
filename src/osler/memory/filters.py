"""Filters: one boolean per card, computed before ranking, that decides whether it may be returned at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import numpy as np

from osler.memory.card import AgeBand, Card, Kind, Scope, Source
from osler.memory.exclusion import Excluded
from osler.memory.near_duplicates import matrix_of
from osler.memory.ranking import Mask, Rows

_HELD_OUT_SETS: Final = 4


class Filter(NamedTuple):
    """The cards wanted. A field that is `None` does not filter, and a card whose scope leaves a field open
    passes. The position at which a card was written must lie in [`not_before`, `before`)."""

    kinds: frozenset[Kind] | None = None
    specialties: frozenset[str] | None = None
    ages: frozenset[AgeBand] | None = None
    sexes: frozenset[str] | None = None
    tasks: frozenset[str] | None = None
    not_before: int | None = None
    before: int | None = None

    @classmethod
    def like(cls, scope: Scope, **others: object) -> Filter:
        """The filter for cards that apply to patients of this scope."""
        wanted = {
            "specialties": scope.specialty,
            "ages": scope.age,
            "sexes": scope.sex,
            "tasks": scope.task,
        }
        given = {name: frozenset({value}) for name, value in wanted.items() if value is not None}
        return cls()._replace(**{**given, **others})  # type: ignore[arg-type]


def passes(card: Card, wanted: Filter) -> bool:
    """Whether one card passes; `Columns` applies the same rule to all at once."""
    scope, at = card.scope, card.origin.position
    return (
        (wanted.kinds is None or card.kind in wanted.kinds)
        and (wanted.specialties is None or scope.specialty is None or scope.specialty in wanted.specialties)
        and (wanted.ages is None or scope.age is None or scope.age in wanted.ages)
        and (wanted.sexes is None or scope.sex is None or scope.sex in wanted.sexes)
        and (wanted.tasks is None or scope.task is None or scope.task in wanted.tasks)
        and (wanted.not_before is None or at >= wanted.not_before)
        and (wanted.before is None or at < wanted.before)
    )


class Columns:
    """The card attributes that filters and exclusions use, as arrays in card order."""

    def __init__(self, cards: Sequence[Card]) -> None:
        self._size = len(cards)
        self._positions = np.array([card.origin.position for card in cards], np.int64)
        self._kinds = _Codes([card.kind for card in cards])
        self._specialties = _Codes([card.scope.specialty for card in cards])
        self._ages = _Codes([card.scope.age for card in cards])
        self._sexes = _Codes([card.scope.sex for card in cards])
        self._tasks = _Codes([card.scope.task for card in cards])
        self._cases = _Codes([card.origin.case for card in cards])
        self._clusters = _Codes([card.origin.cluster for card in cards])
        self._sketches = matrix_of([card.origin.sketch for card in cards])
        self._sketched = np.array([bool(card.origin.sketch) for card in cards], np.bool_)
        self._near: dict[tuple[str, float], Rows] = {}
        self._held_out: dict[int, tuple[tuple[Source, ...], float, Mask]] = {}

    def mask(self, wanted: Filter, excluded: Excluded | None) -> Mask:
        """The mask of cards that may be returned. Excluded ones never are, whatever is wanted."""
        allowed = np.ones(self._size, np.bool_)
        for codes, values in (
            (self._kinds, wanted.kinds),
            (self._specialties, wanted.specialties),
            (self._ages, wanted.ages),
            (self._sexes, wanted.sexes),
            (self._tasks, wanted.tasks),
        ):
            if values is not None:
                allowed &= codes.among(values)
        if wanted.not_before is not None:
            allowed &= self._positions >= wanted.not_before
        if wanted.before is not None:
            allowed &= self._positions < wanted.before
        if excluded:
            self._bar(allowed, (excluded.playing,), excluded.threshold)
            allowed &= self._beside(excluded.held_out, excluded.threshold)
        return allowed

    def _beside(self, held_out: tuple[Source, ...], threshold: float) -> Mask:
        """The mask of cards a held-out set allows; computed once, being the same for every case played."""
        known = self._held_out.get(id(held_out))
        if known is None or known[0] is not held_out or known[1] != threshold:
            mask = np.ones(self._size, np.bool_)
            self._bar(mask, held_out, threshold)
            known = self._held_out[id(held_out)] = (held_out, threshold, mask)
            while len(self._held_out) > _HELD_OUT_SETS:
                del self._held_out[next(iter(self._held_out))]
        return known[2]

    def _bar(self, allowed: Mask, sources: Sequence[Source], threshold: float) -> None:
        allowed &= ~self._cases.named(source.case for source in sources)
        allowed &= ~self._clusters.named(source.cluster for source in sources)
        for source in sources:
            if source.sketch:
                allowed[self._alike(source.sketch, threshold)] = False

    def _alike(self, sketch: str, threshold: float) -> Rows:
        # Cached, because a case is queried many times and a held-out set for every case.
        key = sketch, threshold
        if key not in self._near:
            shared = (self._sketches == matrix_of([sketch])).mean(axis=1)
            self._near[key] = np.flatnonzero(self._sketched & (shared >= threshold))
        return self._near[key]


class _Codes:
    """A column of names as integer codes; 0 means `None`."""

    def __init__(self, names: Sequence[str | None]) -> None:
        self._numbers: dict[str, int] = {}
        codes = [
            0 if name is None else self._numbers.setdefault(name, len(self._numbers) + 1) for name in names
        ]
        self._codes = np.array(codes, np.int32)

    def named(self, wanted: Iterable[str]) -> Mask:
        """The mask of rows that have one of these names."""
        passing = np.zeros(len(self._numbers) + 1, np.bool_)
        passing[[self._numbers[name] for name in wanted if name in self._numbers]] = True
        mask: Mask = passing[self._codes]
        return mask

    def among(self, wanted: Iterable[str]) -> Mask:
        """The mask of rows that have one of these names or `None`."""
        mask: Mask = self.named(wanted) | (self._codes == 0)
        return mask
