"""What the server and the browser say to each other about rounds that several people share."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from osler.web.schemas import BrowserModel, LogItem, ServerModel

MOST_STUDENTS = 10


class GroupPlan(BrowserModel):
    """One encounter for a group, instead of one each. `seats` are those that people may choose; a seat that
    nobody has taken when a round begins is played here.

    With `tutors` the room compares them: each group meets each of them once, with another case each time, in
    the order of a Latin square. "person" among them is whoever sits in the tutor's seat.
    """

    students: int = Field(default=3, ge=1, le=MOST_STUDENTS)
    seats: list[str] = Field(min_length=1, max_length=MOST_STUDENTS + 1)
    groups: int = Field(default=1, ge=1, le=40)
    watch: bool = Field(default=False, description="whether learners without a seat may follow what is open")
    tutors: list[str] = Field(default_factory=list, max_length=8)


class Together(ServerModel):
    """The shared rounds of a room, as learners are told of them. `compared` is how many tutors there
    are to be met."""

    students: int
    groups: int
    rounds: int
    compared: int
    watch: bool


class ChooseSeat(BrowserModel):
    """Choose a seat. Without a `group` or a `seat`, the first that is free."""

    group: int = Field(default=0, ge=0, le=40)
    seat: str = Field(default="", max_length=60)


class SeatOfGroup(ServerModel):
    """A seat that people may choose; `who` is the pseudonym of whoever has it, `learner` the teacher's handle
    on them (empty for others)."""

    seat: str
    who: str
    you: bool
    learner: str = ""


class GroupState(ServerModel):
    """A group at this moment. `round` counts those begun; `sitting` is one's own in the latest (for a
    teacher: any), "" without one; `order` are the tutors in the order in which the group meets them, for the
    teacher alone."""

    number: int
    seats: list[SeatOfGroup]
    round: int
    rounds: int
    status: Literal["gathering", "going_on", "between", "over"]
    sitting: str
    order: list[str] = Field(default_factory=list)


class Groups(ServerModel):
    """The groups of a room; `mine` is the number of one's own, 0 without one. `assesses` says whether one may
    see everything that is said, drafts and reviews too."""

    groups: list[GroupState]
    mine: int
    assesses: bool
    watch: bool


class Assesses(BrowserModel):
    """Let a learner of the room assess, or no longer."""

    on: bool


class Assessed(ServerModel):
    """A round with everything in it, drafts and reviews too. `seats` says who plays each seat."""

    sitting: str
    title: str
    seats: dict[str, str]
    ended: bool
    log: list[LogItem]


class Ask(ServerModel):
    """A question of the questionnaire: marks `least` to `most`, with a word for each. `given` is the mark
    given before."""

    id: str
    asks: str
    least: int
    levels: list[str]
    given: int | None


class Questionnaire(ServerModel):
    """The questionnaire after a round. `tutor` says that one was the tutor oneself."""

    title: str
    guide: str
    questions: list[Ask]
    comment: str
    answered: bool
    tutor: bool


class Answers(BrowserModel):
    """A person's answers: a mark for each question, `None` for "cannot say"."""

    marks: dict[str, int | None] = Field(max_length=12)
    comment: str = Field(default="", max_length=1000)


class AnswerRow(ServerModel):
    """One person in one round that has ended. `marks` is empty until the questionnaire is answered."""

    pseudonym: str
    group: int
    period: int
    tutor: str
    title: str
    seat: str
    answered: bool
    marks: dict[str, int | None]
    comment: str


class MeanAnswer(ServerModel):
    """The mean of a question, by `of` (a tutor, or "round 1"): 95 % interval clustered by person and case,
    `None` where it cannot be had. `unanswered` counts those who gave no mark."""

    of: str
    item: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    unanswered: int
    people: int
    cases: int


class AnswerTable(ServerModel):
    """The answers of a room. `items` are the questions by id. Means are of students: what a person says of
    their own teaching stands in the rows alone."""

    items: dict[str, str]
    rows: list[AnswerRow]
    tutors: list[MeanAnswer]
    periods: list[MeanAnswer]
    left: int = Field(description="people who left their seat to a built-in player before the end")
