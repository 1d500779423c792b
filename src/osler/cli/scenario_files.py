"""`osler scenario import|export|lint|figures`: import, export, lint and count scenarios and packets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from osler.cases.file_source import LIBRARY
from osler.cases.lint import unmarked
from osler.cases.lint_problem import Problem
from osler.cases.rubrics.model import COMPETENCIES
from osler.cases.scenarios.export import export_packets
from osler.cases.scenarios.figures import distribution
from osler.cases.scenarios.lint import lint, lint_together
from osler.cases.scenarios.model import Scenario
from osler.cases.scenarios.reading import read_subset, write_scenario
from osler.cases.scenarios.sources import FORMATS, ScenarioSource, open_scenarios
from osler.cli.options import AsJson
from osler.cli.output import NOTHING_DONE, command, plain, result, say, some
from osler.text.hostile import safe

Scenarios = Annotated[
    str,
    typer.Argument(
        metavar="PATH", help="`library`, a scenario's file, a folder of them, or a folder of packets."
    ),
]
RubricsFolder = Annotated[
    Path | None,
    typer.Option(
        "--rubrics", help="The folder with the packets' frozen rubrics, if not `rubrics` beside them."
    ),
]
SubsetFile = Annotated[
    Path | None, typer.Option("--subset", help="A subset or manifest file: only the scenarios it lists.")
]
ScenarioFormat = Annotated[str, typer.Option("--format", help=f"{', '.join(FORMATS)}.")]


@command
def import_(
    path: Scenarios,
    rubrics: RubricsFolder = None,
    subset: SubsetFile = None,
    out: Annotated[
        Path | None,
        typer.Option(help="The folder to write to, one file per scenario; only counted if omitted."),
    ] = None,
    format: ScenarioFormat = "auto",
    as_json: AsJson = False,
) -> None:
    """Import scenarios or published packets with their rubrics; unreadable ones are rejected with reasons."""
    say("Import no real patient's data: for education and research only.")
    source = _opened(path, format, rubrics, subset)
    items: Counter[str] = Counter()
    judged = written = 0
    for scenario in source:
        if scenario.items is not None and scenario.items.items:
            judged += 1
            items.update(item.competency for item in scenario.items.items)
        if out is not None:
            write_scenario(scenario, out)
            written += 1
    report = source.report
    value: dict[str, Any] = {
        **(report.model_dump(mode="json") if report else {}),
        "with_rubric": judged,
        "items": items.total(),
        "items_by_competency": {name: items[name] for name in COMPETENCIES},
        "written": written,
    }
    lines = [
        f"read {value['read']}: imported {value['imported']}, rejected {value['rejected']}",
        f"{judged} with a non-empty rubric ({items.total()} items), written {written}",
        *some([f"  {one['kind']}: {one['reason']}" for one in value["reasons"]]),
    ]
    result(as_json, value, plain("\n".join(lines)))
    if not value["imported"]:
        raise typer.Exit(NOTHING_DONE)


@command
def export(
    path: Scenarios,
    out: Annotated[Path, typer.Option(help="The folder to write packets, rubrics, manifest and subset to.")],
    rubrics: RubricsFolder = None,
    subset: SubsetFile = None,
    format: ScenarioFormat = "auto",
    as_json: AsJson = False,
) -> None:
    """Export scenarios as prose packets with frozen rubrics, in the published form."""
    source = _opened(path, format, rubrics, subset)
    done = export_packets(source, out, source.label)
    reasons = [f"{name}: {why}" for name, why in done.rejected] + _rejected(source)
    value = {
        "written": len(done.scenarios),
        "rubrics": done.rubrics,
        "rejected": len(reasons),
        "scenarios": list(done.scenarios),
        "reasons": reasons,
        "out": str(out),
    }
    lines = [f"written {len(done.scenarios)}, rubrics {done.rubrics}, rejected {len(reasons)}"]
    result(as_json, value, plain("\n".join(lines + some([f"  {one}" for one in reasons]))))
    if not done.scenarios:
        raise typer.Exit(NOTHING_DONE)


@command
def lint_(
    path: Scenarios = LIBRARY,
    rubrics: RubricsFolder = None,
    subset: SubsetFile = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Apply the standards of the packaged library to any scenario.")
    ] = False,
    format: ScenarioFormat = "auto",
    as_json: AsJson = False,
) -> None:
    """Lint scenarios or packets. Exits 1 on an error, or if something cannot be read."""
    source = _opened(path, format, rubrics, subset)
    strict = strict or path == LIBRARY
    pairs: list[tuple[str, Problem]] = []
    held = {}
    for scenario in source:
        pairs += [(scenario.id, problem) for problem in lint(scenario, strict=strict)]
        held[scenario.id] = scenario.items
    pairs += lint_together({name: rubric for name, rubric in held.items() if rubric is not None})
    if path == LIBRARY:
        folder = Path(str(resources.files("osler.cases.scenarios") / LIBRARY))
        pairs += [(problem.where, problem) for problem in unmarked(folder)]
    rows = [{"scenario": name, **problem._asdict()} for name, problem in pairs]
    errors = sum(problem.level == "error" for _, problem in pairs)
    refused = _rejected(source)
    value = {
        "scenarios": len(held),
        "rejected": len(refused),
        "errors": errors,
        "warnings": len(rows) - errors,
        "counts": dict(sorted(Counter(problem.code for _, problem in pairs).items())),
        "problems": rows,
        "reasons": refused,
    }
    lines = [
        f"{row['scenario']} {row['level']} {row['code']} {row['where']}: {row['message']}" for row in rows
    ]
    lines += [f"rejected: {reason}" for reason in refused]
    lines.append(
        f"{len(held)} scenarios, {len(refused)} rejected, {errors} errors, {len(rows) - errors} warnings"
    )
    result(as_json, value, plain("\n".join(lines)))
    if errors or refused or not held:
        raise typer.Exit(NOTHING_DONE)


@command
def figures(
    path: Scenarios = LIBRARY,
    rubrics: RubricsFolder = None,
    subset: SubsetFile = None,
    format: ScenarioFormat = "auto",
    as_json: AsJson = False,
) -> None:
    """Count scenarios or packets by sex, age, specialty, urgency, case shape, body part and modality."""
    source = _opened(path, format, rubrics, subset)
    number = 0

    def counted() -> Iterator[Scenario]:
        nonlocal number
        for number, scenario in enumerate(source, start=1):  # noqa: B007 - the last number is the count
            yield scenario

    found = distribution(counted())
    refused = _rejected(source)
    value = {"scenarios": number, "rejected": len(refused), "figures": found, "reasons": refused}
    table = Table("figure", "value", "scenarios", "share")
    for name, counts in found.items():
        for at, (each, count) in enumerate(counts.items()):
            first = "" if at else name.replace("_", " ")
            table.add_row(first, Text(safe(each)), f"{count:,}", f"{100 * count / number:.1f} %")
    lines = [f"{number} scenarios, {len(refused)} rejected", *some([f"  {one}" for one in refused])]
    result(as_json, value, plain("\n".join(lines)), *([table] if number else []))
    if not number:
        raise typer.Exit(NOTHING_DONE)


def _opened(path: str, format: str, rubrics: Path | None, subset: Path | None) -> ScenarioSource:
    only = read_subset(subset).scenarios if subset else ()
    return open_scenarios(path, format, rubrics=rubrics, only=only)


def _rejected(source: ScenarioSource) -> list[str]:
    reasons = source.report.reasons if source.report else ()
    return [one.reason for one in reasons if one.kind == "rejected"]
