"""The part that all rewards of a tutor's turn share: their probes, and which turns give the answer away."""

from __future__ import annotations

from collections.abc import Mapping

from osler.protocols.ward_round.training.bedside import bedside, gives_away, read_turn
from osler.protocols.ward_round.training.probes import NONE, TutorProbes
from osler.training.reward.probes import Probing
from osler.training.state import State


class OfTutor:
    """A reward of a tutor's turns; `thinks` says whether they have a private thought, where a state does not
    say. `concedes` are the probes that it means to score above the plain turn, with the reason."""

    thinks = True
    concedes: Mapping[str, str] = NONE

    @property
    def probing(self) -> Probing:
        """The probes, in the form of this reward's turns."""
        return TutorProbes(thinks=self.thinks, conceded=self.concedes)

    def leaks(self, state: State, text: str, /) -> bool:
        """Whether a turn says what students should have said first."""
        at = bedside(state)
        return bool(gives_away(read_turn(text, at, thinks=at.thinks(self.thinks)).turn.guidance, at))
