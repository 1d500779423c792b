"""The case of the protocol: a multiple-choice question with one right option, and its pictures."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from osler.cases.material import Material
from osler.core.pictures import Picture
from osler.protocols.vqa.item import LETTERS, check_sense


class Question(Material):
    """A multiple-choice question. `right` is the index of the right option as its file orders them; texts
    name the pictures by their place, from 1 ("<image 1>"); `subjects` are names by kind, such as
    {"body_system": "Skeletal"}."""

    question: str
    options: Annotated[tuple[str, ...], Field(max_length=len(LETTERS))]
    right: int
    pictures: tuple[Picture, ...] = ()
    subjects: dict[str, str] = Field(default={}, max_length=20)

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        check_sense(self.question, self.options, self.right, range(1, len(self.pictures) + 1))
        return self
