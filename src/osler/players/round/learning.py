"""What a built-in student knows, and how talk changes it: knowledge as data, theories as pure functions.

A student holds a step of the teaching plan, nearly holds it, or lacks it. A *theory* says what of the talk a
student hears makes it hold more. The theories are rivals; none is claimed to be true, and every study names
the one it ran under.

    telling     a step that is told is held.
    construct   a step is held once the student, having been asked towards it, answers it in its own words;
                that takes a step nearly held, and whoever holds a step nearly holds the next.
    novice      who holds less than half of the steps learns as under `telling`, then as under `construct`.

The guidance of the last round is heard, but nobody analyses after it: under `construct` it comes too late.
Nothing is kept between calls: knowledge is worked out anew from the feed each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from osler.knowledge.points import asked, told
from osler.seats.contract import Own
from osler.seats.events import Event, Frozen
from osler.seats.round_events import ExamItem, Line
from osler.seats.ward_round import Analysis

Theory = Literal["construct", "telling", "novice"]
NOVICE: Final = 0.5
"""Below this share of steps held, a student counts as a novice."""


class Lesson(Frozen):
    """One step as somebody who knows it would put it."""

    key_question: str
    summary: str


class KeyedItem(Frozen):
    """An exam item with a right answer, and the step it rests on (counted from 0)."""

    item: ExamItem
    answer: str
    step: int


class Curriculum(Frozen):
    """What there is to know about a case. Handed to built-in students by whoever builds the cast: to play
    somebody who knows a thing, a player must know it."""

    lessons: tuple[Lesson, ...]
    siblings: tuple[KeyedItem, ...] = ()
    answer: str
    """The answer to the case's own question, in words."""
    alternatives: tuple[str, ...] = ()
    """What is wrongly taken for the answer."""

    @property
    def summaries(self) -> tuple[str, ...]:
        return tuple(lesson.summary for lesson in self.lessons)

    @property
    def key_questions(self) -> tuple[str, ...]:
        return tuple(lesson.key_question for lesson in self.lessons)


class Knowledge(NamedTuple):
    """Which steps are held and which nearly, by place; and whether the answer itself was heard."""

    holds: tuple[bool, ...]
    nearly: tuple[bool, ...]
    heard_answer: bool = False

    def can_answer(self, step: int) -> bool:
        """Whether the student could say this step's point: held, nearly held, or next after one held."""
        return self.holds[step] or self.nearly[step] or (step > 0 and self.holds[step - 1])

    @property
    def share(self) -> float:
        """The share of steps held."""
        return sum(self.holds) / len(self.holds)

    def holding(self, steps: Iterable[int]) -> Knowledge:
        """The same with these steps held."""
        more = set(steps)
        return self._replace(holds=tuple(held or n in more for n, held in enumerate(self.holds)))


class Moment(NamedTuple):
    """Something in the talk that may teach, as steps by place.

    `told` were told to the student, `answered` are those it answered in its own words after being asked.
    """

    told: tuple[int, ...] = ()
    answered: tuple[int, ...] = ()
    names_answer: bool = False


def moments(feed: Sequence[Event | Own], curriculum: Curriculum) -> Iterator[Moment]:
    """What in a student's feed may teach, in order."""
    summaries, questions = curriculum.summaries, curriculum.key_questions
    question: int | None = None
    for item in feed:
        if type(item) is Line and item.part in ("guidance", "explanation"):
            if item.part == "guidance":
                question = asked(item.text, questions)
            names = item.part == "guidance" and _named(curriculum.answer, item.text)
            yield Moment(told=told(item.text, summaries), names_answer=names)
        elif type(item) is Own and type(item.reply) is Analysis and question is not None:
            said = told(item.reply.analysis_for_teacher, summaries)
            yield Moment(answered=tuple(step for step in said if step == question))


def learn(
    theory: Theory, knowledge: Knowledge, feed: Sequence[Event | Own], curriculum: Curriculum
) -> Knowledge:
    """What a student knows after all it heard and said, under a theory."""
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
