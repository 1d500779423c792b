"""The labelled lines as the built-in patient reads them: question by question, each in its conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from osler.protocols.shared.players.sentences import questions_in
from osler.reading.questions import QuestionReading, hear, in_context
from reader.lines import Line


class Question(NamedTuple):
    """A question of a line. `alone`: the line asks nothing else, so that its answers are this question's;
    those of any other line are the answers of one or several of its questions."""

    line: Line
    heard: QuestionReading
    alone: bool


def questions(lines: Iterable[Line]) -> Iterator[Question]:
    """The questions of the lines; a line in which the patient hears none has none."""
    for line in lines:
        asked = questions_in(line.said)
        for clause in asked:
            yield Question(line, in_context(hear(clause), line.before), len(asked) == 1)
