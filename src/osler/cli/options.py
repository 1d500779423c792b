"""Options that several commands share, named once."""

from __future__ import annotations

from typing import Annotated

import typer

from osler.cases.importers import formats

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]
StoreUrl = Annotated[
    str | None,
    typer.Option(
        "--store",
        help="Where runs are kept: a file or a database URL.  [default: $OSLER_STORE or ./osler.db]",
        show_default=False,
    ),
]
Format = Annotated[str, typer.Option("--format", help=f"auto, {', '.join(formats())}.")]
GraderName = Annotated[
    str | None,
    typer.Option(
        "--grader",
        metavar="NAME[@VERSION]",
        help="Whose judgement, and which version's.  [default: the built-in judge's last]",
        show_default=False,
    ),
]
RunName = Annotated[str, typer.Argument(metavar="RUN", help="A run's name, the beginning of it, or `last`.")]
FailUnder = Annotated[
    float | None,
    typer.Option(
        "--fail-under",
        min=0,
        max=1,
        help="Exit 1 where accuracy is below this share, what could not be scored counted as wrong.",
        show_default=False,
    ),
]
