"""`osler cases`: import, list, show and lint cases; start, generate and print them."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer
import yaml
from rich.console import Group
from rich.table import Table

from osler.authoring.new_case import write_new_case
from osler.cases.coherence import incoherent
from osler.cases.file_source import LIBRARY
from osler.cases.generator.source import MOST, NAME, generated
from osler.cases.importers import Images, Tally, import_file, write_case
from osler.cases.importers.osler_yaml import case_line
from osler.cases.lint import for_machines
from osler.cases.made_up import NOT_FOR_LEARNERS, made_up
from osler.cases.reviews import version_of
from osler.cli.author import write
from osler.cli.case_files import CaseName, Format, find_case, opened, say_rejected
from osler.cli.case_makeup import makeup
from osler.cli.case_orders import orders
from osler.cli.case_review import review
from osler.cli.case_shelf import list_cases
from osler.cli.options import AsJson, ConfigFile, ImageFiles, takes_images
from osler.cli.output import NOTHING_DONE, add_row, command, plain, result, say, some, write_lines
from osler.core.registry import protocol_named
from osler.errors import BadInput, InfrastructureFault
from osler.files import write_whole
from osler.judging.case_lint import import_flags, lint
from osler.models.config import configured

app = typer.Typer(no_args_is_help=True, help="Import, generate, list, show and lint cases.")
app.command("write")(write)
app.command("list")(list_cases)
app.command("makeup")(makeup)
app.command("orders")(orders)
app.command("review")(review)
CASES = typer.Argument(metavar="CASES", help="`library`, or a file or folder in an importable format.")
MOST_SEED: Final = 10**15 - 1
LINE_FILES: Final = (".jsonl", ".ndjson")
Knowledge = Literal["standard", "misspecified"]
SORTED_BY_MODEL = "note: sorted by the model"


@app.command("import")
@command
@takes_images
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
    *,
    pictured: ImageFiles,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Import cases; each record that cannot be read is rejected with its number and the reason."""
    say("Import no real patient's data: for education and research only.")
    tally, images = Tally(import_flags), Images(pictured.images, without=pictured.without_images)
    used: dict[str, Any] = {}
    if converter is None:
        for case in tally.watch(import_file(file, format, images=images)):
            write_case(case, out)
    else:
        used = _convert(file, format, out, converter, config, tally, images)
    report = tally.report()
    lines = [f"read {report.read}, imported {report.imported}, flagged {report.flagged}, "]
    lines[0] += f"rejected {report.rejected}"
    lines += some([f"  record {r.record} {r.kind}: {r.reason}" for r in report.reasons])
    if used:
        lines.append(f"sorted by {converter} {used['by_model']}, by the rules {used['by_rules']}")
    value = report.model_dump(mode="json") | ({"converter": used} if used else {})
    value["images"] = {"attached": tally.images, "missing": len(images.missing)}
    if any(value["images"].values()):
        lines.append("images: {attached} attached, {missing} missing".format(**value["images"]))
    result(as_json, value, plain("\n".join(lines)))
    if not report.imported or used.get("stopped"):
        raise typer.Exit(NOTHING_DONE)


def _convert(
    file: Path,
    format: str,
    out: Path,
    converter: str,
    config: Path | None,
    tally: Tally,
    images: Images,
) -> dict[str, Any]:
    """Write the cases a model converts from a file; return counts by model and by rules, and the usage."""
    # Imported here because the HTTP client takes a third of a second and few commands talk to a model.
    from osler.authoring.converting import convert_file  # noqa: PLC0415 - import time
    from osler.runs.seating import open_models  # noqa: PLC0415 - import time

    if not converter.startswith("model:"):
        raise BadInput(f"{converter!r} is not a model", where="--converter", hint="write model:NAME")
    opened = open_models([converter], configured(config))
    by_model, stopped = 0, False

    async def run() -> None:
        nonlocal by_model
        async with opened:
            client = opened.client(converter.removeprefix("model:"))
            async for item in convert_file(client, file, format, images=images):
                for case in tally.watch([item]):
                    write_case(case, out)
                    by_model += any(flag.startswith(SORTED_BY_MODEL) for flag in case.provenance.flags)

    try:
        asyncio.run(run())
    except InfrastructureFault as error:
        # Cases answered before the endpoint failed are written and shown.
        say(f"osler: {error}")
        stopped = True
    counts = {"by_model": by_model, "by_rules": tally.imported - by_model, "stopped": stopped}
    return {**counts, **opened.ledger.total.as_json()}


@app.command("show")
@command
@takes_images
def show(
    case: CaseName,
    *,
    pictured: ImageFiles,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Show a whole case, including its answer."""
    _, found = find_case(case, format, pictured)
    if for_machines(found):
        say(NOT_FOR_LEARNERS)
    value: dict[str, Any] = {**found.model_dump(mode="json"), "hash": found.content_hash}
    said = found.model_dump(mode="json", exclude_none=True)
    # That nobody has checked or reviewed something is said, not left out.
    kept = said["provenance"]
    kept.setdefault("reviewed_by", None)
    kept["sources"] = [{**source, "checked": source.get("checked")} for source in kept["sources"]]
    text = yaml.safe_dump(said, sort_keys=False, allow_unicode=True)
    told = [review.told(version_of(found)) for review in found.provenance.reviews]
    result(as_json, value, plain("\n".join([text.rstrip(), *(f"# reviewed: {line}" for line in told)])))


@app.command("lint")
@command
@takes_images
def lint_cases(
    cases: Annotated[str, CASES] = "library",
    *,
    pictured: ImageFiles,
    format: Format = "auto",
    coherence: Annotated[
        bool,
        typer.Option(
            "--coherence", help="Also report what does not go together; always done in made-up cases."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Lint cases: report errors and warnings. The library is checked strictly, imported cases leniently."""
    rows, read = [], 0
    source = opened(cases, format, pictured)
    for case in source:
        read += 1
        problems = lint(case, strict=cases == "library")
        if coherence and not made_up(case):
            # A person may break these rules rightly.
            problems += tuple(problem._replace(level="warning") for problem in incoherent(case))
        for problem in problems:
            rows.append({"case": case.id, **problem._asdict()})
    errors = sum(row["level"] == "error" for row in rows)
    lines = [f"{row['case']} {row['level']} {row['code']} {row['where']}: {row['message']}" for row in rows]
    lines.append(f"{read} cases, {errors} errors, {len(rows) - errors} warnings")
    value = {
        "cases": read,
        "rejected": say_rejected(source),
        "errors": errors,
        "warnings": len(rows) - errors,
        "findings": rows,
        "problems": rows,  # the older name
    }
    result(as_json, value, plain("\n".join(lines)))
    if errors or not read or value["rejected"]:
        raise typer.Exit(NOTHING_DONE)


@app.command("new")
@command
def new(
    id: Annotated[str, typer.Argument(metavar="ID", help="A neutral name; it must not hint at the answer.")],
    out: Annotated[Path, typer.Option(help="The folder to write ID.yaml to.")] = Path("."),
    as_json: AsJson = False,
) -> None:
    """Create a case template: a file with every section, and comments that explain what goes there."""
    path = write_new_case(id, out)
    words = f"written: {path}\nFill in every TO WRITE. To see what is left: osler cases lint {path}"
    result(as_json, {"case": id, "file": str(path)}, plain(words))


@app.command("generate")
@command
def generate(
    n: Annotated[int, typer.Option("--n", min=1, max=MOST, help="Number of cases.")],
    out: Annotated[Path, typer.Option(help="The .jsonl file to write; read it with `osler consult FILE`.")],
    seed: Annotated[int, typer.Option(min=0, max=MOST_SEED, help="Same seed, same cases.")] = 0,
    knowledge: Annotated[
        Knowledge, typer.Option(help="The knowledge base to sample from; misspecified is wrong on purpose.")
    ] = "standard",
    as_json: AsJson = False,
) -> None:
    """Generate synthetic cases from the packaged knowledge. An identical file is left as it is."""
    if out.suffix.lower() not in LINE_FILES:
        raise BadInput(
            "cases are written as JSON lines", where=str(out), hint="name a .jsonl file with --out"
        )
    say("Synthetic cases from approximate knowledge; no patients. For education and research only.")
    source = generated(f"{NAME}:{n}:{seed}" + (":misspecified" if knowledge == "misspecified" else ""))
    new = write_lines((case_line(case).encode() for case in source), out)
    value = {"written": n if new else 0, "kept": 0 if new else n, "cases": source.label, "file": str(out)}
    text = f"wrote {n} cases to {out}" if new else f"{out} already holds these {n} cases"
    result(as_json, value, plain(text))


@app.command("pack")
@command
@takes_images
def pack(
    case: CaseName,
    out: Annotated[Path, typer.Option(help="The HTML file to write; an existing one is replaced.")],
    *,
    pictured: ImageFiles,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Write a printable station pack: candidate's page, patient brief, cards, mark sheet, teaching notes."""
    # Imported here because drawing loads Pillow, which other commands do not need.
    from osler.authoring.station_pack import station_pack  # noqa: PLC0415 - import time

    _, found = find_case(case, format, pictured)
    pictures = sum(finding.picture is not None for finding in found.findings)
    text = station_pack(found)
    write_whole(out, text)
    say("For education and research only. Hand out only the candidate's page: the rest has the answer.")
    value = {"case": found.id, "out": str(out), "bytes": len(text.encode()), "pictures": pictures}
    result(as_json, value, plain(f"written: {out}"))


@app.command("scores")
@command
def scores(
    cases: Annotated[
        str, typer.Argument(metavar="CASES", help="`library`, or a file or folder the protocol can read.")
    ] = LIBRARY,
    protocol: Annotated[
        str, typer.Option(help="consultation, ward_round, scenario, or one from a plug-in.")
    ] = "consultation",
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Show which scores these cases allow, and what a case must hold for each.

    A score that a case does not allow is unscored (not_in_case) whoever plays it, and never 0.
    """
    found = protocol_named(protocol)
    config = found.config(cases=cases, format=format)
    source, read, allowed = config.opened(), 0, Counter[str]()
    needy = [measure for measure in found.measures if measure.needs]
    for case in source:
        read += 1
        ready = config.ready(case)
        allowed.update(one.name for one in needy if one.needs and one.needs.met(ready))
    rows = [
        {"score": one.name, "needs": one.needs.words, "cases": allowed[one.name]}
        for one in needy
        if one.needs
    ]
    others = [one.name for one in found.measures if not one.needs]
    value = {"cases": read, "rejected": say_rejected(source), "scores": rows, "any_case": others}
    table = Table("score", "allowed by", "a case needs")
    for row in rows:
        add_row(table, str(row["score"]), f"{row['cases']:,} of {read:,}", str(row["needs"]))
    result(as_json, value, Group(table, plain(f"Any case allows: {', '.join(others)}")))
