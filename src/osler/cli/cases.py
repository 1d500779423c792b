"""`osler cases`: import, list, show and lint cases."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml
from rich.table import Table
from rich.text import Text

from osler.cases.importers import Tally, import_file, write_case
from osler.cases.lint import lint
from osler.cases.sources import CaseSource, open_source
from osler.cli.author import write
from osler.cli.case_format import Format
from osler.cli.generate import generate
from osler.cli.new import new
from osler.cli.options import AsJson, ConfigFile
from osler.cli.output import NOTHING_DONE, command, result, say
from osler.cli.pack import pack
from osler.cli.play import find_case
from osler.errors import BadInput, InfrastructureFault
from osler.text.hostile import safe

app = typer.Typer(no_args_is_help=True, help="Import, generate, list, show and lint cases.")
app.command("generate")(generate)
app.command("new")(new)
app.command("pack")(pack)
app.command("write")(write)
CASES = typer.Argument(metavar="CASES", help="`library`, or a file or folder in an importable format.")
SHOWN = 20
SORTED_BY_MODEL = "note: sorted by the model"


@app.command("import")
@command
def import_cases(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to read.")],
    out: Annotated[Path, typer.Option(help="The folder to write to, one YAML file per case.")],
    converter: Annotated[
        str | None,
        typer.Option(
            metavar="model:NAME",
            help="Let a model assign each clause of prose vignettes to the seat that holds it.",
        ),
    ] = None,
    config: ConfigFile = None,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Import cases; each record that cannot be read is rejected with its number and the reason."""
    say("Import no real patient's data: for education and research only.")
    tally = Tally()
    used: dict[str, Any] = {}
    if converter is None:
        for case in tally.watch(import_file(file, format)):
            write_case(case, out)
    else:
        used = _convert(file, format, out, converter, config, tally)
    report = tally.report()
    lines = [f"read {report.read}, imported {report.imported}, flagged {report.flagged}, "]
    lines[0] += f"rejected {report.rejected}"
    lines += [f"  record {r.record} {r.kind}: {r.reason}" for r in report.reasons[:SHOWN]]
    if len(report.reasons) > SHOWN:
        lines.append(f"  and {len(report.reasons) - SHOWN} more; --json lists them")
    if used:
        lines.append(f"sorted by {converter} {used['by_model']}, by the rules {used['by_rules']}")
    value = report.model_dump(mode="json") | ({"converter": used} if used else {})
    result(as_json, value, Text(safe("\n".join(lines))))
    if not report.imported or used.get("stopped"):
        raise typer.Exit(NOTHING_DONE)


def _convert(
    file: Path, format: str, out: Path, converter: str, config: Path | None, tally: Tally
) -> dict[str, Any]:
    """Write the cases a model converts from a file; return counts by model and by rules, and the usage."""
    # Imported here because the HTTP client takes a third of a second and few commands talk to a model.
    from osler.authoring.converting import convert_file  # noqa: PLC0415 - import time
    from osler.cli import models  # noqa: PLC0415 - import time

    if not converter.startswith("model:"):
        raise BadInput(f"{converter!r} is not a model", where="--converter", mend="write model:NAME")
    opened = models.open_models([converter], models.configured(config))
    by_model, stopped = 0, False

    async def run() -> None:
        nonlocal by_model
        async with opened:
            client = opened.client(converter.removeprefix("model:"))
            async for item in convert_file(client, file, format):
                for case in tally.watch([item]):
                    write_case(case, out)
                    by_model += any(flag.startswith(SORTED_BY_MODEL) for flag in case.provenance.flags)

    try:
        asyncio.run(run())
    except InfrastructureFault as error:
        # Cases answered before the endpoint failed are written and shown.
        say(f"osler: {error}")
        stopped = True
    total = opened.ledger.total
    return {
        "by_model": by_model,
        "by_rules": tally.imported - by_model,
        "stopped": stopped,
        "calls": total.calls,
        "prompt_tokens": total.prompt_tokens,
        "completion_tokens": total.completion_tokens,
        "cost": None if total.unpriced else total.cost,
    }


def say_rejected(source: CaseSource) -> int:
    """Report the records of a source that could not be read, after a full pass; return their number."""
    if source.report is None or not source.report.rejected:
        return 0
    for reason in source.report.reasons[:SHOWN]:
        if reason.kind == "rejected":
            say(safe(f"record {reason.record} rejected: {reason.reason}"))
    return source.report.rejected


@app.command("list")
@command
def list_cases(
    cases: Annotated[str, CASES] = "library", format: Format = "auto", as_json: AsJson = False
) -> None:
    """List cases. With --json also titles, which may give answers away: for educators, not for players."""
    table = Table("id", "specialty", "age", "sex", "task", "facts", "findings")
    table.columns[0].no_wrap = True
    rows = []
    source = open_source(cases, format)
    for case in source:
        rows.append(
            {
                "id": case.id,
                "title": case.title,
                "specialty": case.specialty,
                "age_years": case.age_years,
                "sex": case.sex,
                "task": case.task.kind,
                "facts": len(case.facts),
                "findings": len(case.findings),
                "hash": case.content_hash,
                "flags": list(case.provenance.flags),
                "reviewed_by": case.provenance.reviewed_by,
            }
        )
        age = "" if case.age_years is None else f"{case.age_years:g}"
        cells = (case.id, case.specialty or "", age, case.sex or "", case.task.kind)
        counts = (str(len(case.facts)), str(len(case.findings)))
        table.add_row(*(Text(safe(cell)) for cell in (*cells, *counts)))
    rejected = say_rejected(source)
    result(as_json, {"cases": rows, "rejected": rejected}, table)


@app.command("show")
@command
def show(
    case: Annotated[str, typer.Argument(metavar="CASE", help="A library case's id, or FILE#ID.")],
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Show a whole case, including its answer."""
    _, found = find_case(case, format)
    value: dict[str, Any] = {**found.model_dump(mode="json"), "hash": found.content_hash}
    text = yaml.safe_dump(
        found.model_dump(mode="json", exclude_none=True), sort_keys=False, allow_unicode=True
    )
    result(as_json, value, Text(safe(text)))


@app.command("lint")
@command
def lint_cases(
    cases: Annotated[str, CASES] = "library", format: Format = "auto", as_json: AsJson = False
) -> None:
    """Lint cases: report errors and warnings. The library is checked strictly, imported cases leniently."""
    rows, read = [], 0
    source = open_source(cases, format)
    for case in source:
        read += 1
        for problem in lint(case, strict=cases == "library"):
            rows.append({"case": case.id, **problem._asdict()})
    errors = sum(row["level"] == "error" for row in rows)
    lines = [f"{row['case']} {row['level']} {row['code']} {row['where']}: {row['message']}" for row in rows]
    lines.append(f"{read} cases, {errors} errors, {len(rows) - errors} warnings")
    value = {
        "cases": read,
        "rejected": say_rejected(source),
        "errors": errors,
        "warnings": len(rows) - errors,
        "problems": rows,
    }
    result(as_json, value, Text(safe("\n".join(lines))))
    if errors or not read or value["rejected"]:
        raise typer.Exit(NOTHING_DONE)
