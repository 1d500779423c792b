"""How often a player's claims and its words differ: counts of an encounter, and the measures over them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from osler.core.measure import Measure, count_of

ITEMLESS: Final = "it is counted as the story is played: the exchanges are its items, and the record has them"


def _claims(name: str, words: str, means: str) -> Measure:
    return replace(count_of(name, words, means, "less"), itemless=ITEMLESS)


CLAIMED_NOT_TOLD: Final = _claims(
    "facts_claimed_not_told",
    "claimed, not told",
    "facts that the patient said it told and that its words do not tell; not of built-ins and people",
)
TOLD_NOT_CLAIMED: Final = _claims(
    "facts_told_not_claimed",
    "told, not claimed",
    "facts that the patient's words tell and that it did not say it told; not of built-ins and people",
)
WRONG_RELEASE: Final = _claims(
    "wrong_release",
    "wrong releases stopped",
    "results chosen for an order that cannot mean them, none of which was released; not of built-ins",
)
WRONG_ACTS: Final = _claims(
    "wrong_acts",
    "wrong acts stopped",
    "actions taken from words that cannot mean them, none of which was carried out; not of built-ins",
)


class ClaimCounts(dict[str, int]):
    """The counts of an encounter's claims, by the names of their measures; a count is missing where nobody's
    words were read."""

    def facts(self, claimed: Iterable[str] | None, told: Iterable[str]) -> None:
        """Count the differences of an answer's facts, claimed (`None`: it was not read) and told."""
        if claimed is not None:
            self._add(CLAIMED_NOT_TOLD.name, len({*claimed} - {*told}))
            self._add(TOLD_NOT_CLAIMED.name, len({*told} - {*claimed}))

    def results(self, chosen: Iterable[str] | None, possible: Iterable[str]) -> None:
        """Count the results chosen for an order (`None`: it was not read) that it cannot mean."""
        if chosen is not None:
            self._add(WRONG_RELEASE.name, len({*chosen} - {*possible}))

    def acts(self, refused: Sequence[str] | None) -> None:
        """Count the actions that were refused to words that cannot mean them (`None`: they were not read)."""
        if refused is not None:
            self._add(WRONG_ACTS.name, len(refused))

    def _add(self, name: str, count: int) -> None:
        self[name] = self.get(name, 0) + count
