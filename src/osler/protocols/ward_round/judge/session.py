"""A teaching session as seen by a blinded judge: the case, its steps, and what was said aloud.

The tutor's name and private thoughts, drafts and reviews are left out: a judge scores what was delivered. A
round whose guidance was withheld says so, since silence is part of how a group was taught.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pydantic import Field

from osler.core.events import Frozen
from osler.core.pictures import Picture
from osler.judging.lines import JudgedLine, lines_said
from osler.text.hostile import quoted_block, quoted_line

NO_GUIDANCE: Final = "(The tutor gave no guidance in this round.)"


class Step(Frozen):
    """One step of the case's teaching plan."""

    key_question: str
    summary: str = ""


class Spoken(Frozen):
    """A student's utterance: an analysis for the tutor, or a question."""

    student: str = Field(min_length=1, max_length=100)
    text: str


class Round(Frozen):
    """One round. `students` is what they said before the tutor spoke; `guidance` what the tutor told the
    group, empty if nothing; `asked` what students then asked the patient. A published round does not tell
    the two apart, and has it all in `students`."""

    patient: str = ""
    students: tuple[Spoken, ...] = ()
    guidance: str = ""
    asked: tuple[Spoken, ...] = ()

    @property
    def spoken(self) -> tuple[Spoken, ...]:
        """All that students said."""
        return (*self.students, *self.asked)


class CaseLine(Frozen):
    """One line of the case, such as of its history or its chart; `picture` is what an image's line shows."""

    label: str = Field(pattern=r"^[a-z][a-z ]{0,39}$")
    text: str
    picture: Picture | None = None


class Session(Frozen):
    """One session. `case` is the vignette and the chart in lines, empty if a published `question` holds them;
    `answer` is the right answer in words; `options` are by letter, if there are any; `closing` is what the
    patient said last, after the last round's questions."""

    id: str
    case: tuple[CaseLine, ...] = ()
    question: str
    options: dict[str, str] = Field(default_factory=dict)
    answer: str
    steps: tuple[Step, ...] = ()
    rounds: tuple[Round, ...]
    closing: str = ""

    @property
    def students(self) -> tuple[str, ...]:
        """The students' names, in order of their first utterance."""
        return tuple(dict.fromkeys(spoken.student for round_ in self.rounds for spoken in round_.spoken))

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures of the case, in the order of its lines."""
        return tuple(line.picture for line in self.case if line.picture is not None)


def lines_of(session: Session) -> tuple[JudgedLine, ...]:
    """The lines of what was said, in order, without empty texts. A student's line starts with the name."""
    lines = [line for round_ in session.rounds for line in _lines(round_)]
    return (*lines, *lines_said("patient", session.closing))


def blocks_of(session: Session, *, eyes: bool = False) -> dict[str, str]:
    """The session as the blocks of a judge's prompt: `case`, `steps` and `dialogue`. With `eyes`, the lines
    of images say which attached picture is theirs."""
    truth = [*_case(session, eyes), quoted_line("question", session.question)]
    truth += [quoted_line("option", f"{letter}: {text}") for letter, text in session.options.items()]
    truth.append(quoted_line("right answer", session.answer))
    steps = [
        part
        for n, step in enumerate(session.steps, 1)
        for part in (
            quoted_line(f"question {n}", step.key_question),
            quoted_line(f"summary {n}", step.summary),
        )
    ]
    said = [quoted_line(f"t{n} {one.source}", one.text) for n, one in enumerate(lines_of(session), 1)]
    return {
        "case": quoted_block("case", truth),
        "steps": quoted_block("steps", steps),
        "dialogue": quoted_block("dialogue", said),
    }


def _case(session: Session, eyes: bool) -> Iterator[str]:
    attached = 0
    for line in session.case:
        attached += line.picture is not None
        label = f"{line.label} picture {attached}" if eyes and line.picture else line.label
        yield quoted_line(label, line.text)


def _lines(round_: Round) -> Iterator[JudgedLine]:
    yield from lines_said("patient", round_.patient)
    yield from _students_lines(round_.students)
    yield from lines_said("tutor", round_.guidance or NO_GUIDANCE)
    yield from _students_lines(round_.asked)


def _students_lines(said: Iterable[Spoken]) -> Iterator[JudgedLine]:
    for spoken in said:
        if spoken.text.strip():
            yield from lines_said("student", f"{spoken.student}: {spoken.text}")
