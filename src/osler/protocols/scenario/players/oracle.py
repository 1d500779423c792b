"""The oracle examinee: given its moves by the build layer, it shows that a scenario can be solved.

It is privileged: its plan comes from the script and the rubric, so comparisons refuse it.
"""

from __future__ import annotations

from typing import Any, Final

from osler.core.contract import Request
from osler.core.events import Frozen
from osler.protocols.scenario.players.view_state import LONGEST_SPEECH, MOST_ACTS, shown
from osler.protocols.scenario.seats import ExamineeMove


class ScenarioPlan(Frozen):
    """The moves of a perfect examinee, in order."""

    moves: tuple[ExamineeMove, ...]


class OracleExaminee:
    """An examinee that is handed the answer, plays its plan and then ends every state it is in. Stateless."""

    name: Final = "oracle"
    durable: Final = False
    privileged: Final = True

    def __init__(self, plan: ScenarioPlan) -> None:
        self._plan = plan

    async def reply(self, request: Request[Any], /) -> ExamineeMove:
        """Return the next move of the plan; in the static arm, all of them at once."""
        state, moves = shown(request), self._plan.moves
        if state.view.whole_case is not None:
            return _all_at_once(moves)
        played = len(state.moves)
        return moves[played] if played < len(moves) else ExamineeMove(eos=True)


def _all_at_once(moves: tuple[ExamineeMove, ...]) -> ExamineeMove:
    speech = " ".join(move.speak for move in moves if move.speak)
    acts = tuple(dict.fromkeys(act for move in moves for act in move.actions))
    return ExamineeMove(speak=speech[:LONGEST_SPEECH], actions=acts[:MOST_ACTS], eos=True)
