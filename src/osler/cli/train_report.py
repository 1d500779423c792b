"""`osler train report`: trainings side by side, as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from osler.cli.options import AsJson
from osler.cli.output import command, result, write_page
from osler.training.folder import Folder
from osler.training.report import training_html


@command
def report(
    folders: Annotated[
        list[Path],
        typer.Argument(metavar="OUT...", help="Folders that trainings wrote; also unfinished ones."),
    ],
    out: Annotated[Path, typer.Option(help="The HTML file to write.")],
    title: Annotated[str, typer.Option(help="The title of the report.")] = "",
    as_json: AsJson = False,
) -> None:
    """Write curves, decoded labels, settings and results of trainings side by side as one HTML file."""
    write_page(training_html([Folder(one) for one in folders], title), out)
    result(as_json, {"out": str(out), "trainings": len(folders)})
