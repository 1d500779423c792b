"""Players that a visitor may name: the admission of each, and that of what this server plays."""

from __future__ import annotations

from typing import Final

from osler.players.admission import OTHERS, VISITOR, Admission
from osler.web.rights import Visitor

PLAYED_HERE: Final = OTHERS.with_people
"""What this server plays in sittings, whoever wrote it to the store."""


def admission_of(asking: Visitor) -> Admission:
    """The admission of the players that a visitor names for other seats: models cost their owner money, so a
    learner of a shared server gets them only in a teacher's room."""
    return OTHERS if asking.here or asking.may("teach") or asking.may("run") else VISITOR
