"""Examinees made of examinees, by name: `model:NAME+best-of:3` plays the best of three moves each turn."""

from __future__ import annotations

from typing import Final

from osler.errors import BadInput
from osler.players.scenario.strategies.best_of import BestOf
from osler.players.scenario.strategies.consistency import SelfConsistency
from osler.players.scenario.strategies.panel import ExpertPanel
from osler.seats.composite import AnyPlayer
from osler.studies.endings import Endings, Named

ENDINGS: Final = Endings(
    where="--examinee",
    plural="of them",
    kind="examinee",
    around={"+best-of": BestOf, "+panel": ExpertPanel, "+self-consistency": SelfConsistency},
    counted=frozenset({"+best-of", "+panel", "+self-consistency"}),
    alone=frozenset({"person", "oracle", "scripted"}),
)
_DELIBERATE: Final = frozenset({"+best-of", "+panel"})
_WITHOUT_OPINIONS: Final = frozenset({"baseline", "null", "repeat-everything", "opening-only"})


def inside(name: str) -> str:
    """The examinee within a composite one: `model:NAME` of `model:NAME+panel:3`."""
    return ENDINGS.taken_apart(name).inside


def check(full: str) -> Named:
    """A name taken apart. Raises BadInput for an ending that nobody knows, or where the examinee inside can
    neither judge nor advise."""
    named = ENDINGS.check(full, {})
    asked = next((name for name, _ in named.around if name in _DELIBERATE), None)
    if asked and named.inside in _WITHOUT_OPINIONS:
        raise BadInput(
            f"{full!r}: the built-in examinees cannot judge a move",
            where="--examinee",
            mend=f"write model:NAME{asked}:N, or baseline+self-consistency:N",
        )
    return named


def built(examinee: AnyPlayer, around: tuple[tuple[str, str], ...]) -> AnyPlayer:
    """The composite examinee around this one."""
    for name, argument in around:
        examinee = ENDINGS.around[name](examinee, int(argument))
    return examinee
