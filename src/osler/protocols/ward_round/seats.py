"""The seats of the teaching ward round: tutor, students, specialist, supervisor and expert.

Fields of replies follow ClinEdu (Figures 14 to 19), with `covered_steps` added. ClinEdu's specialist is two
seats here, because a seat has one view: the one that checks facts must know the case, and the one that
answers students' general questions must not. One player may take both. The patient's seat is the
consultation's.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Final, Literal, Self, TypeVar

from pydantic import BaseModel, Field, TypeAdapter, model_validator

from osler.core.contract import Contract, Request
from osler.core.events import Frozen, Seat, View
from osler.core.pictures import Picture
from osler.protocols.ward_round.events import ExamSet, Wanted

R = TypeVar("R", bound=BaseModel)

MOST_STUDENTS: Final = 10
Level = Literal["beginner", "intermediate", "advanced"]
Name = Annotated[str, Field(pattern=r"^[^\W_][\w .'’-]{0,39}$")]
"""A student's name: it begins with a letter and has no characters that could end a tag or an attribute."""
Words = Annotated[str, Field(min_length=1, max_length=4000)]


def student_seats(number: int) -> tuple[Seat, ...]:
    """The seats of a cohort of 1 to 10 students."""
    if not 1 <= number <= MOST_STUDENTS:
        raise ValueError(f"a cohort has 1 to {MOST_STUDENTS} students, not {number}")
    return tuple(f"student_{k}" for k in range(1, number + 1))


# Views

# A view without it keeps its hash, so that earlier records can be proved.
_LEFT_OUT_IF_FALSE: Final[Any] = Field(default=False, exclude_if=lambda said: not said)


class StudentProfile(Frozen):
    """A student's profile. `manner` is the instruction to their player."""

    name: Name
    level: Level
    year_of_study: str = ""
    strengths: tuple[str, ...] = ()
    weaknesses: tuple[str, ...] = ()
    learning_style: str = ""
    archetype: str = ""
    manner: str = ""


class ChartEntry(Frozen):
    """A result in the bedside chart, readable by all."""

    name: str
    result: str


class ImageView(Frozen):
    """An image of the case; `picture` is its data, or the hash of its file, if there is one to be seen."""

    id: str
    name: str
    picture: Picture | None = None


class StepView(Frozen):
    """A step of the teaching plan, numbered from 1: for the tutor alone. `image` is the id of its image."""

    number: int
    key_question: str
    summary: str
    image: str | None = None


class _AtTheBedside(View):
    door_note: str
    question: str
    chart: tuple[ChartEntry, ...]
    images: tuple[ImageView, ...]
    max_rounds: int


class StudentView(_AtTheBedside):
    """A student's view, which never includes the answer, the steps, or the peers' profiles.

    The chart holds what is known before the first round; results follow round by round, without those that
    name the answer. `all_hear_expert` says that the whole group hears a question to the expert, and its
    answer.
    """

    you: StudentProfile
    peers: tuple[Name, ...]
    has_patient: bool
    has_expert: bool
    all_hear_expert: bool = _LEFT_OUT_IF_FALSE


class TutorView(_AtTheBedside):
    """The tutor's view: the case, its answer and the steps of the teaching plan.

    `private_thought` says whether each guidance needs a private thought in tags first
    (`osler.protocols.ward_round.monologue`).
    """

    students: tuple[Name, ...]
    options: dict[str, str] | None
    answer: str
    steps: tuple[StepView, ...]
    max_drafts: int
    private_thought: bool


class SpecialistView(View):
    """The specialist's view, for checking facts: the truth about the case, without the teaching plan.

    `images` are those with a picture; left out where there are none, so that such a view stays as it was. A
    `strict` specialist rejects what it is not sure of.
    """

    answer: str
    alternatives: tuple[str, ...]
    facts: tuple[str, ...]
    chart: tuple[ChartEntry, ...]
    images: tuple[ImageView, ...] = Field(default=(), exclude_if=lambda images: not images)
    strict: bool = _LEFT_OUT_IF_FALSE


class SupervisorView(View):
    """The safety supervisor's view: the students' names only, since it judges words, not medicine. A `strict`
    supervisor rejects what it is not sure of."""

    students: tuple[Name, ...]
    strict: bool = _LEFT_OUT_IF_FALSE


class ExpertView(View):
    """The expert's view, which is empty: the expert knows medicine and nothing about this case."""


# Replies


class Analysis(Frozen):
    """A student's thoughts for the tutor, in one to three sentences."""

    analysis_for_teacher: Words


class Action(Frozen):
    """What a student does after the guidance: asks the patient, the expert, both, or passes."""

    query_for_patient: Words | None = None
    query_for_expert: Words | None = None


class ExamReply(Frozen):
    """An answer to each item by its id: an option's key, or words."""

    answers: dict[str, Annotated[str, Field(max_length=4000)]]


class Guidance(Frozen):
    """One guiding statement to the group, and the private thought behind it in tags.

    `covered_steps` are the numbers of the steps that the group has covered so far, in the tutor's view.
    """

    internal_monologue: Annotated[str, Field(max_length=40_000)] = ""
    guidance: Words
    covered_steps: tuple[int, ...] = ()


class FactCheck(Frozen):
    """The specialist's verdict on a draft. `covered_steps` are those of the claimed steps that it confirms: a
    student has made the point, in whatever words."""

    is_correct: bool
    feedback: str = ""
    covered_steps: tuple[int, ...] = ()

    @model_validator(mode="after")
    def _says_what_is_wrong(self) -> Self:
        if not self.is_correct and not self.feedback.strip():
            raise ValueError("a rejection must say in `feedback` what is wrong")
        return self


class SafetyCheck(Frozen):
    """The supervisor's verdict on a draft."""

    is_safe: bool
    issue_category: Literal["safety", "ethics", "bias", "tone", "privacy"] | None = None
    feedback_and_suggestion: str = ""

    @model_validator(mode="after")
    def _says_what_is_wrong(self) -> Self:
        if not self.is_safe and not (self.issue_category and self.feedback_and_suggestion.strip()):
            raise ValueError("a rejection must name its `issue_category` and give `feedback_and_suggestion`")
        return self


class Explanation(Frozen):
    """General medical knowledge, or `answer_provided=False` where that was not what was asked for."""

    answer_provided: bool
    explanation: Annotated[str, Field(max_length=4000)] = ""

    @model_validator(mode="after")
    def _an_answer_has_words(self) -> Self:
        if self.answer_provided and not self.explanation.strip():
            raise ValueError("an answer must stand in `explanation`")
        return self


class Explanations(Frozen):
    """One explanation for each query, in the order in which they were put."""

    explanations: tuple[Explanation, ...]


# Contracts

TUTOR: Contract[TutorView, Guidance] = Contract("tutor", TutorView, TypeAdapter(Guidance))
SPECIALIST: Contract[SpecialistView, FactCheck] = Contract(
    "specialist", SpecialistView, TypeAdapter(FactCheck)
)
SUPERVISOR: Contract[SupervisorView, SafetyCheck] = Contract(
    "supervisor", SupervisorView, TypeAdapter(SafetyCheck)
)
EXPERT: Contract[ExpertView, Explanations] = Contract("expert", ExpertView, TypeAdapter(Explanations))


@cache
def analysing(seat: Seat) -> Contract[StudentView, Analysis]:
    """The contract of a student who analyses."""
    return Contract(seat, StudentView, TypeAdapter(Analysis))


@cache
def acting(seat: Seat) -> Contract[StudentView, Action]:
    """The contract of a student who acts on the guidance."""
    return Contract(seat, StudentView, TypeAdapter(Action))


@cache
def examined(seat: Seat) -> Contract[StudentView, ExamReply]:
    """The contract of a student who sits an exam."""
    return Contract(seat, StudentView, TypeAdapter(ExamReply))


# Reading a request


def wanted(request: Request[Any]) -> str:
    """The act this seat is asked for now: `Wanted.act`."""
    return next(item.act for item in reversed(request.feed) if type(item) is Wanted)


def exam_now(request: Request[Any]) -> ExamSet:
    """The current exam."""
    return next(item for item in reversed(request.feed) if type(item) is ExamSet)
