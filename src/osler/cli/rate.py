"""`osler rate`: blind human ratings of episodes, and their agreement with the judges' scores."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from osler.cases.rubrics.model import Rubric
from osler.cases.rubrics.reading import read_all
from osler.cli.options import AsJson, RunNames, StoreUrl
from osler.cli.output import NOTHING_DONE, command, err, plain, result, say, write_page
from osler.cli.terminal import Terminal
from osler.errors import BadInput
from osler.files import whole_file
from osler.store.store import open_store
from osler.studies.comparable import check_one_protocol
from osler.studies.rating.agreement import agreement as agree
from osler.studies.rating.agreement_tables import agreement_shown, boxes_page
from osler.studies.rating.export import SampleRequest, write_export
from osler.studies.rating.importing import import_sheets, rater_named
from osler.studies.rating.interactive_form import sit
from osler.studies.rating.scales import scale_for
from osler.studies.rating.sheet import read_sheet, text_of
from osler.studies.rating.unblinding_key import read_key
from osler.text.hostile import safe

app = typer.Typer(
    no_args_is_help=True, help="Blind human ratings of episodes, and agreement with the judges."
)

ScaleName = Annotated[
    str | None,
    typer.Option(
        "--scale",
        help="The rating scale: its name, or your own YAML file.  [default: the one for what was played]",
        show_default=False,
    ),
]
_MOST_SHOWN = 20


@app.callback()
def about() -> None:
    """Blind human ratings of episodes, and agreement with the judges."""


@app.command("export")
@command
def export(
    runs: RunNames,
    out: Annotated[Path, typer.Option(help="A new folder for the sheets and the unblinding key.")],
    n: Annotated[int, typer.Option("--n", min=1, max=100_000, help="Number of episodes to sample.")] = 50,
    seed: Annotated[int, typer.Option(help="The random seed: same runs and seed, same bytes.")] = 0,
    raters: Annotated[int, typer.Option(min=1, max=100, help="Number of raters.")] = 2,
    overlap: Annotated[
        int | None,
        typer.Option(min=0, help="Episodes that every rater rates; the rest are divided up.  [default: all]"),
    ] = None,
    scale: ScaleName = None,
    rubric: Annotated[
        Path | None,
        typer.Option(help="Rate the items of these rubrics, one file or a folder; see `osler rubric judge`."),
    ] = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Sample episodes at random and write a blinded sheet for each rater, and the unblinding key."""
    request = SampleRequest(n, seed, raters, overlap)
    with open_store(store, create=False) as opened:
        infos = [opened.run(run) for run in runs]
        rubrics = _rubrics(rubric) if rubric else []
        name = scale or ("rubric" if rubrics else None)
        chosen = scale_for(check_one_protocol(*infos), name, rubrics=bool(rubrics))
        found = write_export(opened, infos, chosen, request, out, rubrics)
    drawn = found.drawn
    if drawn < n:
        say(f"only {drawn} episodes can be rated; the sheets have all of them")
    say(safe(f"give the raters what is in {found.files[0].parent}; keep {found.files[-1].name} to yourself"))
    value = {
        "batch": found.key.batch,
        "scale": found.key.scale.full_version,
        "runs": list(found.key.runs),
        "episodes": drawn,
        "eligible": found.key.eligible,
        "sheets": {rater: len(mine) for rater, mine in found.key.sheets.items()},
        "written": [str(path) for path in found.files],
    }
    result(as_json, value, plain("\n".join(f"written: {path}" for path in found.files)))


def _rubrics(path: Path) -> list[Rubric]:
    """The rubrics of a file or folder, with a line for each that cannot be read. BadInput if none can."""
    result = list(read_all(path))
    for one in result:
        if one.rubric is None:
            say(safe(f"{one.file}: {one.reason}"))
    if not (rubrics := [one.rubric for one in result if one.rubric]):
        raise BadInput("holds no rubric that can be read", where=str(path), hint="osler rubric lint PATH")
    return rubrics


@app.command("fill")
@command
def fill(
    sheet: Annotated[Path, typer.Argument(metavar="SHEET", help="A sheet written by the export.")],
    rater: Annotated[
        str | None, typer.Option(help="Your name or code.  [default: the one on the sheet]")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Rate at the terminal, one episode at a time; stop at any point and continue later."""
    if rater is not None and rater_named(rater) is None:
        raise BadInput(f"{rater!r} is not a name", where="--rater", hint="use letters, digits, '.', '_', '-'")
    found = read_sheet(sheet)
    if not found.items():
        raise BadInput(
            "no column asks for a number",
            where=sheet.name,
            hint="the item headings hold the levels: use a sheet as it was exported",
        )

    def keep() -> None:
        with whole_file(sheet) as partial:
            partial.write_text(text_of(found), encoding="utf-8", newline="")

    sitting = asyncio.run(sit(found, Terminal(), rater, keep))
    words = f"{sitting.rated} rated in this session, {sitting.open} still open"
    result(as_json, {"sheet": str(sheet), **sitting._asdict()}, Text(words))


@app.command("import")
@command
def import_(
    sheets: Annotated[list[Path], typer.Argument(metavar="SHEET...", help="Completed sheets, as CSV.")],
    key: Annotated[Path, typer.Option(help="The unblinding key, key.json of the export.")],
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Check every cell and store the ratings; valid rows are kept, invalid ones are reported.

    Exits 1 if any row is rejected. A row given again replaces the same rater's earlier rating.
    """
    known = read_key(key)
    with open_store(store, create=False) as opened:
        found = import_sheets(opened, sheets, known)
    for what in (*found.problems, *found.passed_over)[:_MOST_SHOWN]:
        column = f", {what.column}" if what.column else ""
        say(safe(f"{what.file} row {what.row}{column}: {what.what} ({what.mend})"))
    hidden = len(found.problems) + len(found.passed_over) - _MOST_SHOWN
    if hidden > 0:
        say(f"and {hidden} more; --json lists them")
    value = {
        **found._asdict(),
        "problems": [problem._asdict() for problem in found.problems],
        "passed_over": [problem._asdict() for problem in found.passed_over],
    }
    kept = found.stored + found.replaced + found.unchanged
    who = ", ".join(f"{name} {count}" for name, count in found.raters.items()) or "none"
    lines = [
        f"{kept} ratings kept ({found.stored} new, {found.replaced} replaced, {found.unchanged} unchanged)",
        f"by rater: {who}",
        f"{found.unfilled} rows not filled in, {found.refused} rows rejected",
    ]
    result(as_json, value, plain("\n".join(lines)))
    if found.refused or not kept:
        raise typer.Exit(NOTHING_DONE)


@app.command("agreement")
@command
def agreement(
    runs: RunNames,
    scale: ScaleName = None,
    out: Annotated[
        Path | None, typer.Option(help="Also write box plots of the ratings to this HTML file.")
    ] = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Report inter-rater agreement, agreement with the judges, and prediction-powered corrected rates."""
    with open_store(store, create=False) as opened:
        infos = [opened.run(run) for run in runs]
        wording = scale_for(check_one_protocol(*infos), scale, rubrics=True)
        found = agree(opened, infos, wording)
    if found.other_versions:
        err.print(f"{found.other_versions} ratings used another version of this scale and are not counted")
    if out is not None:
        write_page(boxes_page(found, wording), out)
    result(as_json, found.model_dump(mode="json"), *agreement_shown(found))
