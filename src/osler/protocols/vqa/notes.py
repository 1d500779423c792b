"""The notes of a run of questions beside its measures: what each place gains, which letters were given, why
there was no answer, and what the pictures add."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from osler.core.measure import Scored
from osler.core.summary import Notes, NoteTaker
from osler.protocols.vqa.item import LETTERS
from osler.protocols.vqa.judge import Mark, marks_in
from osler.stats.intervals import wilson
from osler.stats.mcnemar import mcnemar_exact
from osler.stats.paired import paired


class VqaNoteTaker(NoteTaker):
    """A counter of answers by the place of the right option, of the places given, and of pairs with and
    without pictures."""

    def __init__(self) -> None:
        self._places, self._right = Counter[int](), Counter[int]()
        self._letters, self._reasons = Counter[int](), Counter[str]()
        self._pairs: list[tuple[str, float, float]] = []

    def add(self, episode: Scored, cluster: str) -> None:
        """Take in the answers to a question."""
        marks = marks_in(episode.body or {})
        seeing = [one for one in marks if not one.blind]
        for one in seeing:
            self._add(one)
        for blind in (one for one in marks if one.blind):
            self._pairs.append((cluster, float(blind.is_right), float(seeing[0].is_right)))

    def _add(self, mark: Mark) -> None:
        self._places[mark.right_place] += 1
        self._right[mark.right_place] += mark.is_right
        if mark.place is None:
            self._reasons[mark.why] += 1
        else:
            self._letters[mark.place] += 1

    def notes(self, measures: Mapping[str, Any]) -> Notes:
        """Return the notes on the answers so far."""
        total, gap = self._letters.total(), self._difference()
        places = {LETTERS[at]: wilson(self._right[at], self._places[at]) for at in sorted(self._places)}
        letters = {LETTERS[at]: round(self._letters[at] / total, 6) for at in sorted(self._letters)}
        reasons = dict(self._reasons.most_common())
        lines = {
            "Right, by the place of the right option as shown": (
                f"{letter} {one.value:.1%} of {one.n:,}" for letter, one in places.items()
            ),
            "Places given": (f"{letter} {share:.1%}" for letter, share in letters.items()),
            "Unanswered": (f"{count:,} {reason}" for reason, count in reasons.items()),
            "With pictures minus blind": (_in_words(gap),) if gap else (),
        }
        texts = {heading: ", ".join(parts) for heading, parts in lines.items()}
        return Notes(
            {
                "by_position": {letter: asdict(one) for letter, one in places.items()},
                "letters": letters,
                "unanswered": reasons,
                "blind_difference": gap,
            },
            tuple(f"{heading}: {parts}" for heading, parts in texts.items() if parts),
        )

    def _difference(self) -> dict[str, Any]:
        """The paired difference, with pictures minus blind; empty if nothing was asked blind."""
        if not self._pairs:
            return {}
        pairs = sorted(self._pairs)
        blind, seeing = (np.array([pair[at] for pair in pairs]) for at in (1, 2))
        gap = paired([cluster for cluster, *_ in pairs], blind, seeing, share=True)
        only = [int(((one == 1) & (other == 0)).sum()) for one, other in ((blind, seeing), (seeing, blind))]
        return {
            "value": gap.value,
            "low": gap.low,
            "high": gap.high,
            "p": round(mcnemar_exact(*only), 6),
            "n": gap.n_pairs,
            "only_blind": only[0],
            "only_seeing": only[1],
        }


def _in_words(gap: Mapping[str, Any]) -> str:
    reach = (
        f"95 % interval {100 * gap['low']:+.1f} to {100 * gap['high']:+.1f}, "
        if gap["low"] is not None
        else ""
    )
    p = "p < 0.001" if gap["p"] < 0.001 else f"p = {gap['p']:.3f}"
    pairs = f"{gap['only_seeing']:,} to {gap['only_blind']:,} of {gap['n']:,} pairs"
    return f"{100 * gap['value']:+.1f} points ({reach}McNemar's exact {p}; {pairs})"
