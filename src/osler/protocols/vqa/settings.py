"""The settings of a question, with the options that set them."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from osler.core.config import Settings
from osler.core.option import Option

PROTOCOL: Final = "vqa/1"
MOST_ROTATIONS: Final = 26


class VqaSettings(Settings):
    """The settings of a run's questions. A question is asked in `rotations` orders of its options, and once
    more without its pictures (`blind`). One call each: nothing is asked again."""

    rotations: Annotated[
        int,
        Option("Ask each question with its options in N orders, one after another.", "encounter", first=True),
    ] = Field(default=1, ge=1, le=MOST_ROTATIONS)
    blind: Annotated[
        bool, Option("Ask questions with pictures once more without them.", "encounter", first=True)
    ] = False
    max_attempts: int = Field(default=1, ge=1, le=10)
