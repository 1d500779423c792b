"""Learning models of built-in students: knowledge as data, learning theories as pure functions.

A student holds a step of the teaching plan, nearly holds it, or lacks it. A *theory* says which parts of the
conversation make a student hold more. The theories are rivals; none is claimed to be true, and every study
names the one it ran under.

    telling     a step is held once the student has been told it.
    construct   a step is held once the student, having been asked towards it, answers it in its own words;
                that takes a step nearly held, and whoever holds a step nearly holds the next.
    novice      a student who holds less than half of the steps learns as under `telling`, any other as under
                `construct`.

The guidance of the last round is heard, but no analysis follows it: under `construct` it comes too late.
Students are stateless: knowledge is recomputed from the feed each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from pydantic import Field

from osler.core.contract import OwnReply
from osler.core.events import Event, Frozen
from osler.protocols.ward_round.events import ExamItem, RoundLine
from osler.protocols.ward_round.seats import Analysis
from osler.protocols.ward_round.settings import Theory
from osler.text.key_points import asked, told

NOVICE: Final = 0.5
"""The share of steps held below which a student counts as a novice."""


class Lesson(Frozen):
    """One step of the plan, in the words of a student who knows it."""

    key_question: str
    summary: str


class KeyedItem(Frozen):
    """An exam item with a right answer, and the step it rests on (counted from 0)."""

    item: ExamItem
    answer: str
    step: int


class Curriculum(Frozen):
    """Everything there is to know about a case. The builder of the cast gives it to built-in students: to
    simulate a student who knows something, the player must know it."""

    lessons: tuple[Lesson, ...]
    siblings: tuple[KeyedItem, ...] = ()
    answer: str
    """The answer to the case's own question, in words."""
    answer_names: tuple[str, ...] = ()
    """Every wording of the answer, which no student says before it has been guided."""
    alternatives: tuple[str, ...] = ()
    """The distractors: wrong answers that students give."""
    diagnoses: bool = Field(default=True, exclude_if=lambda are: are)
    """Whether the alternatives are diagnoses, which an expert can be asked about; if not, they may be
    anything that a question has for options, such as orders."""

    @property
    def summaries(self) -> tuple[str, ...]:
        return tuple(lesson.summary for lesson in self.lessons)

    @property
    def key_questions(self) -> tuple[str, ...]:
        return tuple(lesson.key_question for lesson in self.lessons)


class Knowledge(NamedTuple):
    """A student's knowledge: the steps held and nearly held, by index, and whether the answer was heard."""

    holds: tuple[bool, ...]
    nearly: tuple[bool, ...]
    heard_answer: bool = False

    def can_answer(self, step: int) -> bool:
        """Whether the student could state this step: it is held, nearly held, or follows one held."""
        return self.holds[step] or self.nearly[step] or (step > 0 and self.holds[step - 1])

    @property
    def share(self) -> float:
        """The share of steps held."""
        return sum(self.holds) / len(self.holds)

    def holding(self, steps: Iterable[int]) -> Knowledge:
        """Return a copy in which these steps are held."""
        more = set(steps)
        return self._replace(holds=tuple(held or n in more for n, held in enumerate(self.holds)))


class Moment(NamedTuple):
    """A learning opportunity in the conversation, with steps by index.

    `told` are steps told to the student, `answered` those it answered in its own words after being asked.
    """

    told: tuple[int, ...] = ()
    answered: tuple[int, ...] = ()
    names_answer: bool = False


def moments(feed: Sequence[Event | OwnReply], curriculum: Curriculum) -> Iterator[Moment]:
    """Yield the learning opportunities in a student's feed, in order."""
    summaries, questions = curriculum.summaries, curriculum.key_questions
    question: int | None = None
    for item in feed:
        if type(item) is RoundLine and item.part in ("guidance", "explanation"):
            if item.part == "guidance":
                question = asked(item.text, questions)
            names = item.part == "guidance" and _named(curriculum.answer, item.text)
            yield Moment(told=told(item.text, summaries), names_answer=names)
        elif type(item) is OwnReply and type(item.reply) is Analysis and question is not None:
            said = told(item.reply.analysis_for_teacher, summaries)
            yield Moment(answered=tuple(step for step in said if step == question))


def learn(
    theory: Theory, knowledge: Knowledge, feed: Sequence[Event | OwnReply], curriculum: Curriculum
) -> Knowledge:
    """Compute a student's knowledge after everything it heard and said, under a theory."""
    step = _THEORIES[theory]
    for moment in moments(feed, curriculum):
        knowledge = step(knowledge, moment)
        if moment.names_answer:
            knowledge = knowledge._replace(heard_answer=True)
    return knowledge


def _telling(knowledge: Knowledge, moment: Moment) -> Knowledge:
    return knowledge.holding(moment.told)


def _construct(knowledge: Knowledge, moment: Moment) -> Knowledge:
    return knowledge.holding(step for step in moment.answered if knowledge.can_answer(step))


def _novice(knowledge: Knowledge, moment: Moment) -> Knowledge:
    return (_telling if knowledge.share < NOVICE else _construct)(knowledge, moment)


_THEORIES: Final[Mapping[Theory, Callable[[Knowledge, Moment], Knowledge]]] = MappingProxyType(
    {"telling": _telling, "construct": _construct, "novice": _novice}
)


def _named(answer: str, text: str) -> bool:
    return answer.casefold() in text.casefold()
