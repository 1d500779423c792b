"""An item of a scenario's own rubric, and the evidence in an encounter that shows it.

Word rules (`said`) are those of `osler.text.act_rules`. An imported frozen rubric has no such evidence.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from osler.cases.rubrics.model import Competency, Traits
from osler.core.events import Frozen
from osler.text.act_rules import rule

Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,59}$")]
RuleInWords = Annotated[str, AfterValidator(lambda text: rule(text).text)]


class Evidence(Frozen):
    """One way of showing an item. All the conditions it names must hold.

    `did`: all these actions were done; `before`: each of them before this one was (or without it); `within`:
    minutes from the beginning, or from entering the state `since`. `said`: rules, all met by what the
    examinee said in one turn (`in_state`: while in one of these states). `not_did`: none of these was ever
    done.
    """

    did: tuple[Id, ...] = ()
    before: Id | None = None
    within: int | None = Field(default=None, ge=0)
    since: Id | None = None
    said: tuple[RuleInWords, ...] = ()
    in_state: tuple[Id, ...] = ()
    not_did: tuple[Id, ...] = ()

    @model_validator(mode="after")
    def _shows_something(self) -> Self:
        if not (self.did or self.said):
            raise ValueError("evidence needs did or said: what was left undone shows nothing")
        return self


class RubricLine(Frozen):
    """An item of the rubric, with the evidence for a built-in judge and a model answer that shows it.

    `shown_by`: any one suffices. `say` and `do` are what a perfect examinee says and does for it in the state
    `when`; `do` are ids of actions.
    """

    competency: Competency
    text: str
    traits: Traits = Traits()
    shown_by: tuple[Evidence, ...] = Field(min_length=1)
    when: Id | None = None
    say: str = ""
    do: tuple[Id, ...] = ()
