"""The labelled lines as the built-in patient reads them: question by question, each in its conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from osler.protocols.shared.players.context import in_context
from osler.protocols.shared.players.sought import story_of
from osler.protocols.shared.players.utterance_steps import questions_in
from osler.protocols.shared.players.weighing import Heard, hear
from reader.lines import Cases, Line


class Question(NamedTuple):
    """A question of a line. `alone`: the line asks nothing else, so that its answers are this question's;
    those of any other line are the answers of one or several of its questions."""

    line: Line
    heard: Heard
    leans: bool
    alone: bool


def questions(lines: Iterable[Line], cases: Cases) -> Iterator[Question]:
    """The questions of the lines; a line in which the patient hears none has none."""
    for line in lines:
        asked = questions_in(line.said)
        for clause in asked:
            alone = hear(clause)
            heard = in_context(alone, line.before, story_of(cases[line.case]))
            yield Question(line, heard, heard != alone, len(asked) == 1)
