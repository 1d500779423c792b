"""The moment of a ward round as its rewards know it: the case, the plan, and what the students have said.

It is read from a state's context, which never stands in the prompt of a policy. A turn is read here exactly
as a tutor's is when it plays with `--moves text`: by the one parser, and within the contract's lengths.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any, Final, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from osler.errors import BadInput
from osler.models.extraction import without_thought
from osler.protocols.ward_round.monologue import (
    Breach,
    Thought,
    Turn,
    parse,
    parse_statement,
    render_thought,
)
from osler.protocols.ward_round.seats import Guidance
from osler.text.key_points import SAID, says, share
from osler.text.named_answer import names_answer
from osler.training.state import State

_TAGS: Final = re.compile(r"<[^<>\n]{0,200}>?")


def _lines(value: Any) -> Any:
    """Prose as lines, whether it came as one text or as several."""
    if isinstance(value, str):
        return [line.strip() for line in value.splitlines() if line.strip()]
    return [] if value is None else value


Lines = Annotated[tuple[str, ...], BeforeValidator(_lines)]


class _BedsideFact(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Step(_BedsideFact):
    """A step of the teaching plan; `image` names the image it is about."""

    number: int
    question: str
    summary: str = ""
    observation: str = ""
    image: str | None = None


class Bedside(_BedsideFact):
    """A state's context. `covered` are the numbers of the steps that count as covered, `analyses` what each
    student has just written, `said` all that students have said so far, `stated` the steps whose points each
    has made, `history` the conversation before;
    `answers` are the answer's names, `alternatives` those of what the case is not, `levels` the students'.
    `thinking` says whether turns have a private thought, if the state says so."""

    question: str = ""
    case: Lines = ()
    answer: str
    answers: tuple[str, ...] = ()
    options: dict[str, str] | None = None
    alternatives: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    covered: tuple[int, ...] = ()
    students: tuple[str, ...] = Field(min_length=1)
    analyses: dict[str, str] = Field(default_factory=dict)
    said: tuple[str, ...] = ()
    stated: dict[str, tuple[int, ...]] = Field(default_factory=dict)
    history: Lines = ()
    has_images: bool = False
    thinking: bool | None = None
    levels: dict[str, str] = Field(default_factory=dict)

    @cached_property
    def made(self) -> frozenset[int]:
        """The steps that are covered, or that more than half of the group has stated: a tutor that plays in
        text cannot say which are covered."""
        said = {
            name: {*self.stated.get(name, ()), *self._told(self.analyses.get(name, ""))}
            for name in self.students
        }
        counts = Counter(number for numbers in said.values() for number in numbers)
        by_most = (number for number, times in counts.items() if 2 * times > len(self.students))
        return frozenset((*self.covered, *by_most))

    def _told(self, text: str) -> set[int]:
        return {step.number for step in self.steps if step.summary and says(text, step.summary)}

    @property
    def next_step(self) -> Step | None:
        """The first step that the group lacks."""
        return next((step for step in self.steps if step.number not in self.made), None)

    @property
    def others(self) -> tuple[str, ...]:
        """The names of what the case is not: its alternatives, else the options that are not the answer."""
        if self.alternatives:
            return self.alternatives
        return tuple(text for text in (self.options or {}).values() if text != self.answer)

    def thinks(self, usually: bool = True) -> bool:
        """Whether turns have a private thought here."""
        return usually if self.thinking is None else self.thinking

    @property
    def by_students(self) -> str:
        """The students' words, of earlier rounds and of this one, as one text."""
        return "\n".join((*self.said, *self.analyses.values()))

    def names_it(self, text: str) -> bool:
        """Whether a text names the answer."""
        return any(names_answer(text, name) for name in (self.answer, *self.answers))


def bedside(state: State) -> Bedside:
    """The moment in a state. Raises BadInput if its context is not that of a tutor."""
    try:
        return Bedside.model_validate(state.context)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise BadInput(
            f"the context of this state is not a tutor's: {place}: {first['msg']}",
            where=state.id,
            hint="build the data set again with this version of Osler",
        ) from None


class Spoken(NamedTuple):
    """A turn as it was read; `breach` says why it would not have been heard, "" if it would."""

    turn: Turn
    breach: str = ""


def read_turn(text: str, at: Bedside, *, thinks: bool = True) -> Spoken:
    """Read a turn as the tutor's seat does; without thinking, the whole is the guiding statement.

    A text that breaks the contract is read as far as it goes, for marks that count without a veto.
    """
    try:
        if not thinks:
            statement = parse_statement(without_thought(text))
            Guidance(guidance=statement)
            return Spoken(Turn(_silence(at), statement))
        turn = parse(text.strip(), at.students, has_images=at.has_images)
        Guidance(internal_monologue=render_thought(turn.thought), guidance=turn.guidance)
    except Breach as error:
        return Spoken(_loosely(text, at), str(error))
    except ValidationError:
        return Spoken(_loosely(text, at), "longer than a turn may be")
    return Spoken(turn)


def _silence(at: Bedside) -> Thought:
    return Thought("", "", tuple((name, "") for name in at.students), "", None)


def _loosely(text: str, at: Bedside) -> Turn:
    """The parts of a text that breaks the contract, each empty if it cannot be told."""

    def block(opening: str, closing: str) -> str:
        start = text.find(opening)
        end = text.find(closing, start)
        return text[start + len(opening) : end].strip() if 0 <= start < end else ""

    students = tuple(
        (name, _TAGS.sub(" ", block(f'<think_student student_id="{name}">', "</think_student>")))
        for name in at.students
    )
    last = max((match.end() for match in re.finditer(r"</think_\w{1,40}>", text)), default=0)
    return Turn(
        Thought(
            _TAGS.sub(" ", block("<think_history>", "</think_history>")),
            _TAGS.sub(" ", block("<think_question>", "</think_question>")),
            students,
            _TAGS.sub(" ", block("<think_group>", "</think_group>")),
            _TAGS.sub(" ", block("<think_image>", "</think_image>")) if at.has_images else None,
        ),
        _TAGS.sub(" ", text[last:]).strip(),
    )


def gives_away(guidance: str, at: Bedside) -> str:
    """The part that guidance gives away before a student has said it: the answer, a step's point, or "".

    A key question may hold most words of its point; asking it is not telling it.
    """
    heard = at.by_students
    if at.names_it(guidance) and not at.names_it(heard):
        return "the answer"
    for step in at.steps:
        if not step.summary or share(step.question, step.summary) >= SAID:
            continue
        if says(guidance, step.summary) and not says(heard, step.summary):
            return f"step {step.number}"
    return ""


def named_in(text: str, names: Sequence[str]) -> list[str]:
    """The names that occur in a text, as whole words."""
    return [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
