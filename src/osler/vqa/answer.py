"""An answer as it is kept: one line of a journal, with all that scoring needs."""

from __future__ import annotations

from typing import Annotated, Final, NamedTuple, Self

from pydantic import ConfigDict, Field, model_validator

from osler.core.events import Frozen
from osler.vqa.answerers import Reply
from osler.vqa.item import LETTERS
from osler.vqa.prompt import Asked
from osler.vqa.reading import Reading, read

LONGEST_KEPT: Final = 8000
"""Characters of a reply that are kept: its end, where the answer stands."""
MOST_ROTATIONS: Final = 32


class Place(NamedTuple):
    """The place of an answer among all: its item's row, whether pictures were withheld, and the rotation."""

    row: int
    blind: bool
    rotation: int

    @property
    def number(self) -> int:
        """The place as one number; they sort as the answers stand in a finished file."""
        return (self.row * 2 + self.blind) * MOST_ROTATIONS + self.rotation


def place_of(asked: Asked) -> Place:
    """The place of a question's answer."""
    return Place(asked.item.row, asked.blind, asked.rotation)


class Answer(Frozen):
    """An answer, `None` with a reason (`why`: unanswered; `fault`: unscored).

    `key` is the item's hash, `shown` the order of its options, `right` and `given` are places in that order,
    `how` is how the reply was read, `subjects` are (kind, name), `text` is the end of the reply.
    """

    model_config = ConfigDict(strict=True)

    row: int = Field(ge=1, lt=2**40)
    blind: bool
    rotation: int = Field(ge=0, lt=MOST_ROTATIONS)
    key: str
    id: str
    shown: Annotated[tuple[int, ...], Field(min_length=2, max_length=len(LETTERS))]
    right: int
    given: int | None
    how: str
    why: str
    fault: str
    pictures: int = Field(ge=0)
    subjects: Annotated[tuple[tuple[str, str], ...], Field(max_length=20)]
    text: str

    @model_validator(mode="after")
    def _within_the_options(self) -> Self:
        places = range(len(self.shown))
        if sorted(self.shown) != list(places) or self.right not in places:
            raise ValueError("the order of options is none")
        if self.given is not None and self.given not in places:
            raise ValueError("an option that is not there is given")
        return self

    @property
    def place(self) -> Place:
        """Its place among all answers."""
        return Place(self.row, self.blind, self.rotation)

    @property
    def is_right(self) -> bool:
        """Whether it is the right option."""
        return self.given == self.right


def answer_of(asked: Asked, key: str, reply: Reply) -> Answer:
    """The answer in a reply."""
    found = Reading(None, why=reply.fault) if reply.fault else read(reply.text, asked.options, asked.letters)
    return _answer(asked, key, found, text=reply.text[-LONGEST_KEPT:])


def fault_of(asked: Asked, key: str, fault: str) -> Answer:
    """The record of a question that ended by a fault."""
    return _answer(asked, key, Reading(None), fault=fault)


def _answer(asked: Asked, key: str, found: Reading, *, fault: str = "", text: str = "") -> Answer:
    return Answer(
        row=asked.item.row,
        blind=asked.blind,
        rotation=asked.rotation,
        key=key,
        id=asked.item.id,
        shown=asked.shown,
        right=asked.right,
        given=found.place,
        how=found.how,
        why=found.why,
        fault=fault,
        pictures=len(asked.item.pictures),
        subjects=asked.item.subjects,
        text=text,
    )
