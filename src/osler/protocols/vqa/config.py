"""The configuration of a run of questions, with the options that set it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Final

from pydantic import Field

from osler.core.config import Config
from osler.core.events import Seat
from osler.core.option import Option, seat_option
from osler.core.role import PERSON
from osler.protocols.vqa.question import Question
from osler.protocols.vqa.settings import PROTOCOL, VqaSettings

PLAYERS: Final[Mapping[Seat, tuple[str, ...]]] = {"candidate": ("uniform", "first", "longest", "oracle")}
"""The names of the built-in players; `players` has them, and says what each does."""


class VqaConfig(Config):
    """The configuration that determines a run's questions: names, no instances."""

    protocol: ClassVar[str] = PROTOCOL
    model: ClassVar[type[Question]] = Question

    skip_bad: Annotated[bool, Option("Leave out rows that cannot be used, and count them.", "cases")] = Field(
        default=False, exclude_if=lambda skip: not skip
    )
    candidate: Annotated[
        str,
        seat_option(
            "The candidate",
            PLAYERS["candidate"],
            PERSON,
            "model:NAME",
            "scripted:FILE",
            first=True,
            several=True,
        ),
    ] = "uniform"
    settings: VqaSettings = VqaSettings()


CONFIG: Final = VqaConfig
