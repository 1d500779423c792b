"""Rewards of an examinee: the net score of the scenario's rubric, of one move and of a whole scenario.

    net        a move: what it adds to the net score of all that this examinee has said and done, by words
    outcome    a scenario: its net score by the protocol's own judge

The reward of moves counts the words that a move shares with the rubric's items. It is a stand-in: a policy
that knew the rubric could recite it. No seat is shown one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from osler.cases.rubrics.model import Rubric
from osler.core.judge import version_of
from osler.judging.lines import JudgedLine, lines_said
from osler.judging.rubric import lexical
from osler.protocols.scenario.seats import ExamineeMove
from osler.protocols.scenario.training.seat import EXAMINEE_SEAT
from osler.training.reward.outcome import Outcome
from osler.training.reward.score import RewardOptions, Score, without_score
from osler.training.state import State
from osler.training.task import Breach

VERSION: Final = "1"
NO_RUBRIC: Final = "no_rubric"
NO_MOVE: Final = -2.0
"""Of a text that is no move: a net score changes by less, whatever is done."""
LOWEST: Final = -2.0


class Net:
    """The net score that one move adds, by words."""

    name = "net"
    version = version_of(VERSION, judge=lexical.VERSION)

    def __init__(self, options: RewardOptions = RewardOptions()) -> None:  # noqa: B008 - a tuple
        del options

    async def score(self, state: State, text: str, /) -> Score:
        """Score a move."""
        move = EXAMINEE_SEAT.read(state, text)
        if isinstance(move, Breach):
            return Score(NO_MOVE, quotes={"form": move.words})
        assert isinstance(move, ExamineeMove)
        try:
            rubric = Rubric.model_validate(state.context.get("rubric"))
        except ValidationError:
            return without_score(NO_RUBRIC)
        before = [line for source, said in _own(state.context) for line in _line(source, said)]
        now = [*before, *lines_said("examinee", move.speak)]
        now += [line for action in move.actions for line in lines_said("action", action)]
        first, then = (lexical.judged(rubric, lines).scores.net for lines in (before, now))
        if first.value is None or then.value is None:
            return without_score(then.reason or first.reason or NO_RUBRIC)
        added = max(-1.0, min(1.0, then.value - first.value))
        return Score(added, axes={"net": added})


def _own(context: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for entry in context.get("own") or ():
        if isinstance(entry, Sequence) and len(entry) == 2:
            yield str(entry[0]), str(entry[1])


def _line(source: str, said: str) -> tuple[JudgedLine, ...]:
    return lines_said("action" if source == "action" else "examinee", said)


def _parts(figures: Mapping[str, float | None]) -> Mapping[str, float] | None:
    net = figures.get("net")
    return None if net is None else {"net": max(-1.0, min(1.0, net))}


def outcome(options: RewardOptions) -> Outcome:
    """Open the reward of a whole scenario."""
    return Outcome(("net",), _parts, LOWEST)
