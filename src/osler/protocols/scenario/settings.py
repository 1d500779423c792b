"""The settings of a scenario, with the options that set them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from osler.core.events import Frozen
from osler.core.option import Option
from osler.protocols.shared.settings import Language, MaxAttempts, UnknownResults
from osler.text.languages import THE_CASES

PROTOCOL = "scenario/1"


class ScenarioSettings(Frozen):
    """The settings of a run's scenarios. All of them are part of an episode's key.

    `max_turns`: the scenario's own limit if `None`. In the `static` arm the examinee gets the whole case at
    once, moves once, and no patient answers. With `tells_kind`, whoever ends a state too early is told what
    kind of thing is still awaited, and never what.
    """

    max_turns: Annotated[
        int | None, Option("Limit on turns.", "limits", first=True, usual="the scenario's")
    ] = Field(default=None, ge=1, le=1000)
    arm: Annotated[
        Literal["interactive", "static"],
        Option("static: the whole case is shown at once, and there is one move.", "encounter"),
    ] = "interactive"
    unknown: UnknownResults = "standard"
    max_attempts: MaxAttempts = 2
    tells_kind: Annotated[
        bool,
        Option("Tell whoever ends a state too early what kind of thing is still awaited.", "encounter"),
    ] = Field(default=False, exclude_if=lambda tells: not tells)
    language: Language = THE_CASES
