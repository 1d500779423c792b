"""`osler cases list`: the shelf, as a learner may read it; with --educator what would give answers away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Final

import typer
from rich.table import Table

from osler.cases.file_source import LIBRARY
from osler.cases.made_up import MADE_UP, NOT_FOR_LEARNERS, made_up
from osler.cases.model import Case
from osler.cases.reviews import version_of
from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.sources import open_scenarios
from osler.cases.shelf import WARNING, Level, Skill, System
from osler.cli.case_files import Format, opened, say_rejected
from osler.cli.options import AsJson, ImageFiles, takes_images
from osler.cli.output import add_row, command, result, say

_LONGEST: Final = 100
_COLUMNS: Final = ("id", "what brings the patient; what it trains", "level", "min")


@command
@takes_images
def list_cases(
    cases: Annotated[
        str, typer.Argument(metavar="CASES", help="`library`, or a file or folder in an importable format.")
    ] = LIBRARY,
    complaint: Annotated[str | None, typer.Option(help="Only complaints with these words.")] = None,
    system: Annotated[System | None, typer.Option(help="Only this system, that of the complaint.")] = None,
    skill: Annotated[Skill | None, typer.Option(help="Only what asks for this skill.")] = None,
    level: Annotated[Level | None, typer.Option(help="Only this level.")] = None,
    warnings: Annotated[
        bool, typer.Option("--warnings", help="Say what may be distressing; it may give things away.")
    ] = False,
    educator: Annotated[
        bool, typer.Option("--educator", help="Also titles and reviews; they give answers away.")
    ] = False,
    *,
    pictured: ImageFiles,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """List cases, and the library's scenarios: no title names an answer, but an id names its specialty."""
    source = opened(cases, format, pictured)
    given = {"complaint": complaint, "system": system, "skill": skill, "level": level}
    wanted = {name: value for name, value in given.items() if value is not None}
    rows = [_row(case, warnings, educator) for case in source if _fits(case, wanted)]
    scenarios: Iterable[Scenario] = open_scenarios(LIBRARY) if cases == LIBRARY else ()
    played = [_row(scenario, warnings, educator) for scenario in scenarios if _fits(scenario, wanted)]
    table = Table(*_COLUMNS, *(("for educators",) if educator else ()))
    table.columns[0].no_wrap = True
    for row in (*rows, *played):
        cells = (row["id"], "\n".join(_lines(row)), row["level"] or "", str(row["minutes"] or ""))
        add_row(table, *cells, *((_for_educators(row),) if educator else ()))
    if any(row["made_up"] for row in rows):
        say(NOT_FOR_LEARNERS)
    result(as_json, {"cases": rows, "scenarios": played, "rejected": say_rejected(source)}, table)


def _fits(item: Case | Scenario, wanted: Mapping[str, str]) -> bool:
    """Whether an item has a shelf label that meets every filter."""
    label = item.shelf
    if label is None:
        return not wanted
    words = wanted.get("complaint", "").casefold()
    return (
        words in label.complaint.casefold()
        and wanted.get("system", label.system) == label.system
        and wanted.get("level", label.level) == label.level
        and ("skill" not in wanted or wanted["skill"] in label.skills)
    )


def _lines(row: Mapping[str, Any]) -> list[str]:
    """Return the lines of a row that a learner reads: title, complaint with its system, skills, a warning."""
    about = [f"{row['complaint']} ({row['system']})"] if row["complaint"] else []
    skills = [", ".join(row["skills"])] if row["skills"] else []
    warned = [f"! {', '.join(row.get('content_warnings', [])) or row['warning']}"] if row["warning"] else []
    marked = [f"! {MADE_UP}"] if row["made_up"] else []
    return [row["title"], *about, *skills, *warned, *marked]


def _for_educators(row: Mapping[str, Any]) -> str:
    reviewed = "; ".join(row["reviews"]) or (row["reviewed_by"] and f"reviewed by {row['reviewed_by']}")
    return f"{row['educator_title'] or ''}\n{reviewed or 'reviewed by nobody'}"


def _row(item: Case | Scenario, warnings: bool, educator: bool) -> dict[str, Any]:
    """One item as listed. One without a label is called by the note on its door."""
    label, kept = item.shelf, item.provenance
    door = item.opening.door_note if isinstance(item, Case) else item.opening
    row: dict[str, Any] = {
        "id": item.id,
        "title": label.title if label else " ".join(door.split())[:_LONGEST],
        "complaint": label.complaint if label else None,
        "system": label.system if label else None,
        "level": label.level if label else None,
        "minutes": label.minutes if label else None,
        "skills": list(label.skills) if label else [],
        "objectives": list(label.objectives) if label else [],
        "warning": WARNING if kept.content_warnings else None,
        "age_years": item.age_years,
        "sex": item.sex,
        "hash": item.content_hash,
        "made_up": isinstance(item, Case) and made_up(item),
        "reviewed_by": kept.reviewed_by,
        "reviews": [review.told(version_of(item)) for review in kept.reviews],
    }
    if warnings or educator:
        row["content_warnings"] = list(kept.content_warnings)
    if educator:
        row |= {"educator_title": item.title, "specialty": item.specialty, "flags": list(kept.flags)}
        if isinstance(item, Case):
            row |= {"task": item.task.kind, "facts": len(item.facts), "findings": len(item.findings)}
    return row
