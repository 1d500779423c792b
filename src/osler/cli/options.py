"""Options that several commands share, named once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]
StoreUrl = Annotated[
    str | None,
    typer.Option(
        "--store",
        help="Where runs are kept: a file or a database URL.  [default: $OSLER_STORE or ./osler.db]",
        show_default=False,
    ),
]
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
CacheMode = Literal["off", "read", "write"]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", help="An osler.toml to use instead of ./osler.toml.")
]
CacheUse = Annotated[CacheMode, typer.Option("--cache", help="A model's answers: off, read or write.")]
MaxTokens = Annotated[int | None, typer.Option(min=1, help="Tokens the models may use; then the run pauses.")]
MaxMoney = Annotated[
    float | None, typer.Option(min=0, help="Money the models may cost; then the run pauses.")
]

SecondReaderName = Annotated[
    str | None,
    typer.Option(
        "--second-reader", help="model:NAME that checks what a patient says against the facts, as well."
    ),
]
