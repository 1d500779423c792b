"""Triage: whether a source can be played at all, and as which scenarios.

A source whose files are already in role folders is taken as it is. For any other, a model decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import TypeAdapter

from osler.authoring.scenarios.asking import Asker, Line, Part, Question, ask, shaped, source_block
from osler.models.types import Output

MAX_SCENARIOS: Final = 20
SORTED: Final = "its files lie in role folders"


class Scenario(Part):
    """One scenario. `hidden` are names of what the examinee has to find out and must not be told; `files`
    are the source's, counted from 1. Every field is required: endpoints hold a model to such a schema."""

    scenario_id: Line
    scenario_title: Line
    department: Line
    urgency_level: Literal["emergency", "urgent", "routine", "not stated"]
    patient_gender: Literal["female", "male", "other", "not stated"]
    patient_age: Line
    hidden: list[Line]
    files: list[int]


class Triage(Part):
    """What is made of a source."""

    simulatable: bool
    simulatable_reason: Line
    case_shape: Line
    scenarios: list[Scenario]

    @property
    def plays(self) -> bool:
        """Whether there is anything to play."""
        return self.simulatable and bool(self.scenarios)


_OUTPUT: Final = Output.of(TypeAdapter(Triage), "scenario_triage")


def question_of(texts: Sequence[tuple[str, str]]) -> Question:
    """The triage question about a source's texts, each a name and Markdown."""
    return Question("triage", "triage", (source_block(texts),), _OUTPUT)


async def triaged(asker: Asker, texts: Sequence[tuple[str, str]]) -> Triage:
    """A model's triage of a source. Raises as `asking.ask` does."""

    def check(parsed: object) -> tuple[Triage | None, tuple[str, ...]]:
        found, wrong = shaped(Triage, parsed)
        if found is None:
            return None, wrong
        if not found.simulatable_reason:
            return None, ("simulatable_reason: must say why",)
        if len(found.scenarios) > MAX_SCENARIOS:
            return None, (f"scenarios: {len(found.scenarios)} of them; at most {MAX_SCENARIOS}",)
        strange = [n for s in found.scenarios for n in s.files if not 1 <= n <= len(texts)]
        return found, tuple(f"files: there is no file {number}" for number in dict.fromkeys(strange))

    found, _ = await ask(asker, question_of(texts), check)
    return found


def sorted_triage(count: int) -> Triage:
    """The triage of a source that is already sorted: only the number of its scenarios is known."""
    scenarios = [
        Scenario(
            scenario_id=f"scenario{n}",
            scenario_title="",
            department="",
            urgency_level="not stated",
            patient_gender="not stated",
            patient_age="",
            hidden=[],
            files=[],
        )
        for n in range(1, count + 1)
    ]
    return Triage(simulatable=True, simulatable_reason=SORTED, case_shape="role folders", scenarios=scenarios)
