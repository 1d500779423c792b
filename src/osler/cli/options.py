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
RunName = Annotated[str, typer.Argument(metavar="RUN", help="A run's name, the beginning of it, or `last`.")]
