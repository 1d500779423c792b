"""`osler rubric`: import, export and lint frozen rubrics, and judge by them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from osler.cases.rubrics.importing import Reason, export_rubrics, import_rubrics
from osler.cases.rubrics.lint import KINDS, lint
from osler.cases.rubrics.model import Rubric
from osler.cases.rubrics.of_history import history_rubric
from osler.cases.rubrics.reading import published_text, read_all
from osler.cli.case_files import CaseName, Format, find_case
from osler.cli.model_options import takes_models
from osler.cli.options import PORTION, AsJson, Batch, DryRun, ImageFiles, StoreUrl, takes_images
from osler.cli.output import NOTHING_DONE, command, plain, result, say, some
from osler.cli.rubric_trying import try_
from osler.errors import BadInput
from osler.files import write_whole

if TYPE_CHECKING:
    from osler.runs.seating import ModelOptions

app = typer.Typer(help="Frozen rubrics: import, lint, judge by.", no_args_is_help=True)
app.command("try")(try_)
Rubrics = Annotated[Path, typer.Argument(metavar="PATH", help="A rubric's JSON file, or a folder of them.")]


@app.command("import")
@command
def import_(
    path: Rubrics,
    out: Annotated[
        Path | None,
        typer.Option(help="The folder to write rubrics and side files to; nothing is written if omitted."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Read published rubrics and, with --out, write each with a side file on how its items are interpreted.

    Correct the side file, never the rubric. Rubrics that cannot be read are listed with the reason.
    """
    rubrics = import_rubrics(path, out)
    value = {**rubrics._asdict(), "reasons": [reason._asdict() for reason in rubrics.reasons]}
    by = ", ".join(f"{name} {count}" for name, count in rubrics.items_by_competency.items())
    lines = [
        f"read {rubrics.read}: imported {rubrics.imported}, empty {rubrics.empty},"
        f" rejected {rubrics.rejected}",
        f"{rubrics.items} items: {by}",
        *_reasons(rubrics.reasons),
    ]
    if rubrics.kept:
        lines.append(f"{rubrics.kept} existing side files were kept")
    result(as_json, value, plain("\n".join(lines)))
    if not (rubrics.imported or rubrics.empty):
        raise typer.Exit(NOTHING_DONE)


@app.command("export")
@command
def export(
    path: Rubrics,
    out: Annotated[Path, typer.Option(help="The folder to write the published form to.")],
    as_json: AsJson = False,
) -> None:
    """Write rubrics as they were published: equal in content to their source, with nothing added."""
    written, reasons = export_rubrics(path, out)
    value = {"written": written, "rejected": len(reasons), "reasons": [one._asdict() for one in reasons]}
    lines = [f"written {written}, rejected {len(reasons)}", *_reasons(reasons)]
    result(as_json, value, plain("\n".join(lines)))
    if not written:
        raise typer.Exit(NOTHING_DONE)


@app.command("lint")
@command
def lint_(
    path: Rubrics,
    show: Annotated[
        str | None, typer.Option(metavar="KIND", help=f"Only this kind: {', '.join(KINDS)}.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Remarks to know before reading the scores of rubrics. Exits 0: these are remarks, not errors."""
    if show is not None and show not in KINDS:
        raise BadInput(f"there is no kind {show!r}", where="--show", hint=f"one of {', '.join(KINDS)}")
    rubrics, rejected = _rubrics(path)
    remarks = list(lint(rubrics))
    counts = Counter(remark.kind for remark in remarks)
    chosen = [remark for remark in remarks if show in (None, remark.kind)]
    value = {
        "rubrics": len(rubrics),
        "items": sum(len(rubric.items) for rubric in rubrics.values()),
        "rejected": len(rejected),
        "counts": {kind: counts[kind] for kind in KINDS},
        "remarks": [remark._asdict() for remark in chosen],
        "reasons": [reason._asdict() for reason in rejected],
    }
    lines = [f"rubrics {len(rubrics)}, items {value['items']}, rejected {len(rejected)}"]
    lines += [f"  {kind}: {counts[kind]}" for kind in KINDS if counts[kind]]
    told = [f"  {one.file} {one.item} {one.kind}: {' '.join(one.what.split())[:100]}" for one in chosen]
    lines += told if show else some(told)
    lines += _reasons(rejected)
    result(as_json, value, plain("\n".join(lines)))


@app.command("history")
@command
@takes_images
def history(
    case: CaseName,
    out: Annotated[Path, typer.Option(help="The JSON file to write; an existing one is replaced.")],
    *,
    pictured: ImageFiles,
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Write the rubric of a case's history: what a doctor must ask about, without what the patient says."""
    _, found = find_case(case, format, pictured)
    rubric = history_rubric(found)
    write_whole(out, published_text(rubric))
    value = {"case": found.id, "out": str(out), "items": len(rubric.items)}
    result(as_json, value, plain(f"{len(rubric.items)} items written to {out}"))


@app.command("judge")
@command
@takes_models(plays=False)
def judge(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN|TRANSCRIPT",
            help="A run's name; or a file: a transcript.json, OpenAI messages, WhisperX segments, or text"
            " whose lines begin with a speaker.",
        ),
    ],
    by: Annotated[
        Path | None,
        typer.Argument(metavar="[RUBRIC]", help="The same as --rubric.", show_default=False),
    ] = None,
    rubric: Annotated[
        Path | None,
        typer.Option(help="A rubric's file, or a folder with one per case.", show_default=False),
    ] = None,
    roles: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEAKER=ROLE,...",
            help="Who the speakers of a transcript are, such as D=doctor,P=patient; `nobody` leaves one out.",
            show_default=False,
        ),
    ] = None,
    judge: Annotated[str, typer.Option(help="lexical (built in), or model:NAME of osler.toml.")] = "lexical",
    repeats: Annotated[int, typer.Option(min=1, help="Times a model is asked; the majority counts.")] = 1,
    batch: Batch = PORTION,
    any_case: Annotated[
        bool, typer.Option("--any-case", help="Judge all cases by this one rubric, whichever case it names.")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="A folder for one final_evaluation_frozen_rubric.json per episode.")
    ] = None,
    same_endpoint_allowed: Annotated[
        bool, typer.Option("--same-endpoint-allowed", help="Let a model judge a run it played in.")
    ] = False,
    concurrency: Annotated[
        int, typer.Option(min=1, max=4096, help="Episodes judged concurrently by a model.")
    ] = 16,
    dry_run: DryRun = False,
    *,
    modelling: ModelOptions,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Judge a stored run, or one transcript of Osler's or of others, against frozen rubrics.

    Episodes of a run that this judge has already judged are skipped.

    Every item gets a verdict, or the episode has no score. The built-in judge is a baseline.
    """
    # Imported here because the store and numpy are slow to import and the other commands need neither.
    from osler.cli.rubric_judging import (  # noqa: PLC0415 - import time
        judge_options,
        judge_stored,
        judge_transcript,
    )

    if by is None and rubric is None:
        raise BadInput("no rubric is named", where="RUBRIC", hint="name its file, or a folder of rubrics")
    if by is not None and rubric is not None:
        raise BadInput("two rubrics are named", where="--rubric", hint="name one file or folder")
    rubrics, rejected = _rubrics(by or rubric or Path())
    for reason in rejected:
        say(f"{reason.file}: {reason.reason}")
    options = judge_options(judge, repeats, batch, same_endpoint_allowed, modelling, concurrency)
    if Path(run).is_file():
        if dry_run:
            raise BadInput("is not estimated for one transcript", where="--dry-run", hint="leave it out")
        judge_transcript(
            Path(run), list(rubrics.values()), options, roles=roles or (), out=out, as_json=as_json
        )
        return
    if roles:
        raise BadInput("there is no such file", where=run, hint="--roles goes with the file of a transcript")
    judge_stored(
        run,
        list(rubrics.values()),
        options,
        any_case=any_case,
        out=out,
        dry_run=dry_run,
        store=store,
        as_json=as_json,
    )


def _rubrics(path: Path) -> tuple[dict[str, Rubric], list[Reason]]:
    """The rubrics of a file or folder by name, and rejections with reasons. BadInput if none is valid."""
    rubrics: dict[str, Rubric] = {}
    rejected = []
    for reading in read_all(path):
        if reading.rubric is None:
            rejected.append(Reason(reading.file, "rejected", reading.reason))
        else:
            rubrics[reading.file] = reading.rubric
    if not rubrics:
        raise BadInput(rejected[0].reason, where=rejected[0].file)
    return rubrics, rejected


def _reasons(reasons: Sequence[Reason]) -> list[str]:
    return some([f"  {reason.file}: {reason.kind}: {reason.reason}" for reason in reasons])
