"""Options that several commands share, named once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from osler.errors import BadInput

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
        help="Exit 1 where the headline score is below this, what could not be scored counted as 0.",
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
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only estimate what the models would use.")]
Seats = Annotated[
    list[str] | None,
    typer.Option(
        "--seat",
        metavar="SEAT=PLAYER",
        help="Who sits where; may be given several times.",
        show_default=False,
    ),
]


def seats_given(given: list[str] | None) -> dict[str, str]:
    """What `--seat SEAT=PLAYER` says, by seat. Raises BadInput where one says neither or a seat twice."""
    found: dict[str, str] = {}
    for one in given or ():
        seat, sign, name = one.partition("=")
        seat, name = seat.strip(), name.strip()
        if not (sign and seat and name):
            raise BadInput(f"{one!r} names no player in a seat", where="--seat", mend="write SEAT=PLAYER")
        if seat in found:
            raise BadInput(f"{seat} is named twice", where="--seat", mend="name several with commas")
        found[seat] = name
    return found
