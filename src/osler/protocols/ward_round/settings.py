"""The settings of a ward round, with the options that set them."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import Field

from osler.core.events import Frozen
from osler.core.option import Option
from osler.protocols.shared.settings import Language, MaxAttempts, UnknownResults
from osler.text.languages import THE_CASES

PROTOCOL = "ward_round/1"
MATCHED: Final = "matched"
"""The persona of the library's patient that fits the case."""
Theory = Literal["construct", "telling", "novice"]


class RoundSettings(Frozen):
    """The settings of a run's ward rounds. All of them are part of an episode's key.

    `exam`: `all` asks the case's question, the steps' key questions and the siblings; `unseen` leaves out the
    key questions, so that students never see a trace of the steps. `order`: the order in which the students'
    analyses are asked for and read, `drawn` anew for each round or `fixed` by their seats. `expert_heard_by`:
    who hears a question to the expert and its answer. `reviewers`: `strict` ones reject what they are not
    sure of, `lenient` ones approve it.
    """

    max_rounds: Annotated[int, Option("Limit on rounds.", "limits", first=True)] = Field(
        default=3, ge=1, le=50
    )
    max_drafts: Annotated[int, Option("Limit on the tutor's drafts per round.", "limits")] = Field(
        default=3, ge=1, le=10
    )
    exam: Annotated[
        Literal["all", "unseen"],
        Option("Exam questions: all, or unseen ones only, without the steps' key questions.", "encounter"),
    ] = "all"
    private_thought: Annotated[
        bool, Option("Whether the tutor reasons in private tags before it speaks.", "encounter")
    ] = True
    unknown: UnknownResults = "standard"
    max_attempts: MaxAttempts = 3
    order: Annotated[
        Literal["drawn", "fixed"],
        Option("The order of the students' analyses: drawn for each round, or by their seats.", "encounter"),
    ] = "drawn"
    expert_heard_by: Annotated[
        Literal["all", "asker"],
        Option("The students who hear a question to the expert, and its answer.", "encounter"),
    ] = "all"
    reviewers: Annotated[
        Literal["lenient", "strict"],
        Option(
            "What specialist and supervisor do with a draft they are not sure of: strict rejects.",
            "encounter",
        ),
    ] = "lenient"
    language: Language = THE_CASES
