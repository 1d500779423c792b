"""`osler cases makeup`: the cases of a source, counted by age, sex, specialty, origin and format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, Final

import typer
from rich.table import Table

from osler.cases.file_source import LIBRARY
from osler.cases.model import Case
from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.sources import open_scenarios
from osler.cli.case_files import Format, opened, say_rejected
from osler.cli.options import AsJson, ImageFiles, takes_images
from osler.cli.output import NOTHING_DONE, add_row, command, result

NOT_SAID: Final = "not said"
_AGES: Final = (
    (1, "under 1"),
    (5, "1 to 4"),
    (18, "5 to 17"),
    (40, "18 to 39"),
    (65, "40 to 64"),
    (80, "65 to 79"),
)
"""The bands of age by the year in which they end."""
_OLDEST: Final = "80 and over"
_DECIMALS: Final = 4


@command
@takes_images
def makeup(
    cases: Annotated[
        str,
        typer.Argument(metavar="CASES", help="`library`, generated:N:SEED, or a file or folder of cases."),
    ] = LIBRARY,
    *,
    pictured: ImageFiles,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Count cases by age, sex, specialty, origin and format, and the library's scenarios too."""
    source = opened(cases, format, pictured)
    parts = [_parts(case) for case in source]
    scenarios = [_parts(each) for each in open_scenarios(LIBRARY)] if cases == LIBRARY else []
    value = {"source": source.label, "cases": _made_up_of(parts), "rejected": say_rejected(source)}
    if scenarios:
        value["scenarios"] = _made_up_of(scenarios)
    table = Table("", "", "cases", "share", *(("scenarios", "share") if scenarios else ()))
    for name in dict.fromkeys(name for each in (parts, scenarios) for row in each for name in row):
        counts = [Counter(row[name] for row in each if name in row) for each in (parts, scenarios)]
        for part in _in_order(name, counts[0] | counts[1]):
            cells = (text for each in counts[: 1 + bool(scenarios)] for text in _cells(each, part))
            add_row(table, name, part, *cells)
        table.add_section()
    result(as_json, value, table)
    if not parts:
        raise typer.Exit(NOTHING_DONE)


def _parts(item: Case | Scenario) -> dict[str, str]:
    """An item's part in each of the counts; its format is the kind of its question."""
    specialty = " ".join((item.specialty or "").split())
    parts = {
        "age": _age(item.age_years),
        "sex": item.sex or NOT_SAID,
        "specialty": specialty[:1].upper() + specialty[1:] or NOT_SAID,
        "origin": item.provenance.origin,
    }
    return {**parts, "format": item.task.kind} if isinstance(item, Case) else parts


def _age(years: float | None) -> str:
    if years is None:
        return NOT_SAID
    return next((words for end, words in _AGES if years < end), _OLDEST)


def _in_order(name: str, counts: Counter[str]) -> list[str]:
    """The parts of one kind: ages from the youngest, all else from the most frequent, unknown ones last."""
    ages = [words for _, words in _AGES] + [_OLDEST]
    if name == "age":
        return sorted(counts, key=lambda part: ages.index(part) if part in ages else len(ages))
    return sorted(counts, key=lambda part: (part == NOT_SAID, -counts[part], part))


def _made_up_of(rows: Sequence[dict[str, str]]) -> dict[str, Any]:
    """The number of items, and each part's count and share, by the name of the count."""
    names = dict.fromkeys(name for row in rows for name in row)
    counted = {name: Counter(row[name] for row in rows) for name in names}
    parts = {
        name: {
            part: {"n": counts[part], "share": round(counts[part] / len(rows), _DECIMALS)}
            for part in _in_order(name, counts)
        }
        for name, counts in counted.items()
    }
    return {"n": len(rows), **parts}


def _cells(counts: Counter[str], part: str) -> tuple[str, str]:
    total = counts.total()
    return f"{counts[part]:,}", f"{counts[part] / total:.1%}" if total else "-"
