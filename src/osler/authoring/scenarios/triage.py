"""Triage: whether a source can be played at all, and as which scenarios.

A source whose files are already in role folders is taken as it is. For any other, a model decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from pydantic import TypeAdapter

from osler.authoring.scenarios.asking import Asker, Forgiving, Line, Question, ask, shaped, source_block
from osler.cases.scenarios.triage import triage_of, triage_text
from osler.models.types import Output

MAX_SCENARIOS: Final = 20
NOT_STATED: Final = "not stated"
SORTED: Final = "its files lie in role folders"


class Scenario(Forgiving):
    """One scenario. `hidden` are names of what the examinee has to find out and must not be told; `files`
    are the source's, counted from 1. Every field is required: endpoints hold a model to such a schema."""

    scenario_id: Line
    scenario_title: Line
    department: Line
    urgency_level: Literal["emergency", "urgent", "routine", "not stated"]
    patient_gender: Literal["female", "male", "other", "not stated"]
    patient_age: Line
    injury_body_part: Line
    hidden: list[Line]
    files: list[int]


class Triage(Forgiving):
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
        result, wrong = shaped(Triage, parsed)
        if result is None:
            return None, wrong
        if not result.simulatable_reason:
            return None, ("simulatable_reason: must say why",)
        if len(result.scenarios) > MAX_SCENARIOS:
            return None, (f"scenarios: {len(result.scenarios)} of them; at most {MAX_SCENARIOS}",)
        strange = [n for s in result.scenarios for n in s.files if not 1 <= n <= len(texts)]
        return result, tuple(f"files: there is no file {number}" for number in dict.fromkeys(strange))

    triage, _ = await ask(asker, question_of(texts), check)
    return triage


def sorted_triage(folder: Path, names: Sequence[str]) -> Triage:
    """The triage of a source that is already sorted: the names of its scenarios, and what a published triage
    file beside them says."""
    shape, scenarios = "", list[Scenario]()
    places = [folder, *sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())]
    for name in names:
        told = next((found for place in places if (found := triage_of(place, name))), {})
        shape = shape or told.get("case_shape", "")
        age = told.get("age_years")
        scenarios.append(
            Scenario(
                scenario_id=name,
                scenario_title=told.get("title", ""),
                department=told.get("specialty", ""),
                urgency_level=told.get("urgency", NOT_STATED),
                patient_gender=told.get("sex", NOT_STATED),
                patient_age="" if age is None else f"{age:g} years",
                injury_body_part=told.get("body_part", ""),
                hidden=[],
                files=[],
            )
        )
    return Triage(
        simulatable=True,
        simulatable_reason=SORTED,
        case_shape=shape or "role folders",
        scenarios=scenarios,
    )


def published(triage: Triage, names: Sequence[str]) -> str:
    """A triage as its published file, for the scenarios released under these names."""
    entries = []
    for name, scenario in zip(names, triage.scenarios, strict=True):
        told = {field: value for field, value in scenario.model_dump().items() if value != NOT_STATED}
        entries.append({**told, "scenario_id": name})
    return triage_text(triage.case_shape, entries)
