"""Options that several commands of `osler train` share, their values, and how rows are counted in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from osler.errors import BadInput
from osler.training.config import PROFILES

DataSet = Annotated[Path, typer.Argument(metavar="DIR", help="A data set: what osler dataset build wrote.")]
Output = Annotated[Path, typer.Argument(metavar="OUT", help="The folder that a training wrote.")]
Base = Annotated[
    str,
    typer.Option(
        metavar="MODEL", help="The base: a folder, a training's OUT, or OWNER/NAME of a public one."
    ),
]
Out = Annotated[
    Path, typer.Option(help="The folder for weights, log and result; the same command goes on with it.")
]
Profile = Annotated[str, typer.Option(metavar="|".join(PROFILES), help="The settings to begin from.")]
Changes = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a setting, such as learning_rate=1e-5 or seed=8; may be given several times.",
        show_default=False,
    ),
]
RewardName = Annotated[
    str,
    typer.Option(
        "--reward",
        help="A tutor's: rubric, rule, vanilla, gain, no-thinking; of whole encounters: outcome.",
    ),
]
Weights = Annotated[
    list[str] | None,
    typer.Option("--weight", metavar="ITEM=W", help="An item's weight, 1 unless given. May be repeated."),
]
Theory = Annotated[str, typer.Option(help="The theory of learning of a gain: construct, telling or novice.")]


def weights_of(given: Sequence[str] | None) -> dict[str, float]:
    """Weights by item from ITEM=W. Raises BadInput."""
    return dict(map(_weight, given or ()))


def _weight(text: str) -> tuple[str, float]:
    item, sign, value = text.partition("=")
    try:
        return item.strip(), float(value) if sign else float("nan")
    except ValueError:
        raise BadInput(f"{text[:40]!r} is no weight", where="--weight", hint="write ITEM=NUMBER") from None


def rows_with_left_out(rows: int, left_out: Mapping[str, int]) -> str:
    """The count of rows, and of those left out by reason.

    >>> rows_with_left_out(108, {"over_long": 235, "pictures": 0})
    '108 rows (left out: 235 over long)'
    """
    reasons = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in left_out.items() if count)
    return f"{rows:,} rows" + (f" (left out: {reasons})" if reasons else "")
