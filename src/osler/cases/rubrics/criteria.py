"""Rubrics whose criteria have points: rows of `criterion`, `points` and `tags`, as HealthBench has them.

A file holds such rows, or prompts with their rows under `rubrics`: JSON, JSON lines or, for rows alone, CSV.
A criterion with negative points counts against the examinee, whatever its wording; one without points or
words is refused, never counted as 0 or 1.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from osler.cases.rubrics.inference import infer
from osler.cases.rubrics.model import COMPETENCIES, VERSION_FIELD, Competency, Rubric, items_of
from osler.errors import BadInput
from osler.text.marks import MINUS, MOST, figure
from osler.text.records.missing import is_missing
from osler.text.safe_csv import original, read_table

ROWS: Final = "rubrics"
SCENARIO: Final = "criteria"
KEPT: Final = "criteria"
_AXES: Final[dict[str, Competency]] = {
    "accuracy": "MK",
    "communication_quality": "ICS",
    "instruction_following": "PROF",
}
"""The competency of an axis of HealthBench; of any other, patient care."""
_MOST_ITEMS: Final = 5_000
_SHOWN: Final = 40


class Criteria(NamedTuple):
    """One rubric with the traits that its points give, or why it is refused; `name` tells it in its file."""

    name: str
    rubric: Rubric | None
    reason: str = ""


def criteria_of(path: Path, raw: str) -> list[Criteria] | None:
    """The rubrics in the text of a file; `None` if it does not hold criteria with points. Raises BadInput."""
    values = _values(path, raw)
    if not values or not all(isinstance(value, dict) for value in values):
        return None
    if all(_is_row(value) for value in values):
        return [_rubric(path.stem, values)]
    if not all(isinstance(value.get(ROWS), list) for value in values):
        return None
    return [_of_prompt(path.stem, number, value) for number, value in enumerate(values, start=1)]


def _values(path: Path, raw: str) -> list[Any] | None:
    """The values that a file lists; not a number is `None`."""
    if path.suffix.lower() == ".csv":
        head, *rows = [[original(cell).strip() for cell in row] for row in read_table(path)] or [[]]
        names = [name.lower() for name in head]
        wide = (row for row in rows if any(row))
        return [dict(zip(names, [*row, *[""] * len(names)], strict=False)) for row in wide]
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        return [
            _json(line, f"line {number}: ") for number, line in enumerate(raw.split("\n"), 1) if line.strip()
        ]
    value = _json(raw, "")
    return value if isinstance(value, list) else [value]


def _json(text: str, where: str) -> Any:
    try:
        value = json.loads(text, parse_constant=lambda _: None)
        json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{where}not valid JSON: {error or 'nested too deeply'}") from None
    return value


def _is_row(value: Mapping[str, Any]) -> bool:
    return "criterion" in value and "points" in value


def _of_prompt(stem: str, number: int, value: Mapping[str, Any]) -> Criteria:
    prompt = value.get("prompt_id")
    is_named = isinstance(prompt, str | int) and not is_missing(prompt, named=False)
    name = str(prompt) if is_named else f"{stem}_{number}"
    return _rubric(name, value[ROWS])


def _rubric(name: str, rows: Sequence[Any]) -> Criteria:
    try:
        read = [_criterion(number, row) for number, row in enumerate(rows, start=1)]
        if len(read) > _MOST_ITEMS:
            raise BadInput(f"holds {len(read):,} criteria; at most {_MOST_ITEMS:,} can be judged")
    except BadInput as error:
        return Criteria(name, None, error.what)
    ordered = [one for competency in COMPETENCIES for one in read if one[0] == competency]
    rubric = Rubric(
        case_id=name,
        scenario=SCENARIO,
        version=None,
        items=items_of((competency, text) for competency, text, _, _ in ordered),
        layout=("case_id", "scenario", VERSION_FIELD, *COMPETENCIES, KEPT),
        other={KEPT: [{"points": value, "tags": tags} for _, _, value, tags in ordered]},
    )
    inferred = infer(rubric)
    traits = [
        item.traits.model_copy(
            update={"negative": value < 0, "weight": abs(value), "group": "", "level": 1.0, "finding": False}
        )
        for item, (_, _, value, _) in zip(inferred.items, ordered, strict=True)
    ]
    return Criteria(name, inferred.with_traits(traits))


def _criterion(number: int, row: Any) -> tuple[Competency, str, float, list[str]]:
    """One criterion: its competency, its words, its points and its tags. Raises BadInput."""
    if not isinstance(row, dict):
        raise BadInput(f"criterion {number}: must be an object with criterion and points")
    text, tags = row.get("criterion"), list(_tags(row.get("tags")))
    if not isinstance(text, str) or is_missing(text, named=False):
        raise BadInput(f"criterion {number}: has no words")
    axis = next((tag.removeprefix("axis:") for tag in tags if tag.startswith("axis:")), "")
    return _AXES.get(axis, "PC"), text, _value(number, row.get("points")), tags


def _value(number: int, told: Any) -> float:
    if is_missing(told, named=False):
        raise BadInput(f"criterion {number}: has no points")
    value: float | None = None
    if isinstance(told, int | float) and not isinstance(told, bool):
        value = float(told)
    elif isinstance(told, str):
        bare = told.strip().lstrip("+").strip()
        less = bare[:1] in tuple(MINUS)
        value = figure(bare[1:] if less else bare)
        value = -value if less and value is not None else value
    if value is None or not abs(value) <= MOST:
        raise BadInput(f"criterion {number}: {str(told)[:_SHOWN]!r} is no number of points")
    return value


def _tags(told: Any) -> Iterator[str]:
    parts = told if isinstance(told, list) else str(told).split(",") if isinstance(told, str) else []
    yield from (tag.strip() for tag in parts if isinstance(tag, str) and not is_missing(tag, named=False))
