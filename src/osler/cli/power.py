"""`osler power`: power analysis; the number of cases a difference needs, before anything is played."""

from __future__ import annotations

from math import isnan
from typing import Annotated, Any

import typer
from rich.text import Text

from osler.cli.options import AsJson
from osler.cli.output import command, result
from osler.errors import BadInput
from osler.stats.power import Design, cases_needed, greatest_correlation, smallest_difference

WANTED = 0.8
ASSUMED = (
    "answers are right or wrong, none is unscored, and cases are independent of each other",
    "both runs play every case equally often, and each case is about as alike in its repeats as any other",
    "the correlations are as given: estimate them from a pilot, or leave 0, which needs most cases",
    "one comparison of two runs is made; more pairs or scores need more cases (Holm's adjustment)",
)
"""What the figures assume, for readers."""


@command
def power(
    base: Annotated[float, typer.Option(min=0, max=1, help="The first run's accuracy.")] = 0.5,
    difference: Annotated[
        float | None,
        typer.Option(help="The difference to detect, second minus first: gives the number of cases."),
    ] = None,
    cases: Annotated[
        int | None,
        typer.Option(
            min=2, max=10_000_000, help="The number of cases: gives the smallest detectable increase."
        ),
    ] = None,
    correlation: Annotated[
        float,
        typer.Option(
            min=0, max=0.99, help="Correlation between the runs' answers to a case; 0 needs most cases."
        ),
    ] = 0.0,
    repeats: Annotated[int, typer.Option(min=1, max=1_000_000, help="Times each run plays a case.")] = 1,
    repeat_correlation: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="Correlation of one run's repeats.  [default: halfway from --correlation to 1]"
        ),
    ] = None,
    wanted: Annotated[
        float,
        typer.Option("--power", min=0.5, max=0.999, help="The probability of detecting a real difference."),
    ] = WANTED,
    as_json: AsJson = False,
) -> None:
    """Compute how many cases detect a difference in accuracy between two runs on the same cases."""
    for name, given in (
        ("base", base),
        ("correlation", correlation),
        ("repeat-correlation", repeat_correlation),
    ):
        if given is not None and isnan(given):
            raise BadInput("not a number", where=f"--{name}", hint="give a number from 0 to 1")
    alike = (1 + correlation) / 2 if repeat_correlation is None else repeat_correlation
    if alike < correlation:
        raise BadInput(
            "repeats of one run correlate at least as much as two runs",
            where="--repeat-correlation",
            hint=f"give {correlation:g} or more",
        )
    design = Design(base, correlation, repeats, alike)
    if difference is not None and cases is None:
        _check(design, difference)
        cases = cases_needed(design, difference, wanted)
        told = _told_cases(cases, difference, repeats)
    elif cases is not None and difference is None:
        difference = smallest_difference(design, cases, wanted)
        told = _told_difference(base, difference, cases)
    else:
        raise BadInput("give one of two options", hint="give either --difference or --cases")
    value: dict[str, Any] = {
        "cases": cases,
        "difference": None if difference is None else round(difference, 6),
        "base": base,
        "correlation": correlation,
        "repeats": repeats,
        "repeat_correlation": alike,
        "power": wanted,
        "episodes_each": None if cases is None else cases * repeats,
    }
    test = f"paired by case, 5 % two-sided, power {wanted:.0%}, correlation {correlation:g} between runs"
    test += f" and {alike:g} between repeats" if repeats > 1 else ""
    value["assumes"] = list(ASSUMED)
    assumed = "\n".join(f"- {one}" for one in ASSUMED)
    result(as_json, value, Text(f"{told}\n{test}\nThis assumes that\n{assumed}"))


def _check(design: Design, difference: float) -> None:
    if difference == 0 or not 0 <= design.base + difference <= 1:
        raise BadInput(
            f"{design.base:g} changed by {difference:g} is not another share between 0 and 1",
            where="--difference",
            hint=f"give at least {-design.base:g} and at most {1 - design.base:g}, and not 0",
        )
    most = greatest_correlation(design.base, difference)
    if design.correlation > most:
        raise BadInput(
            f"shares of {design.base:g} and {design.base + difference:g} cannot correlate that much",
            where="--correlation",
            hint=f"give at most {int(most * 1000) / 1000:g}",
        )


def _told_cases(cases: int | None, difference: float, repeats: int) -> str:
    if cases is None:
        return f"no practical number of cases detects a difference of {difference:+.1%}"
    each = f", each played {repeats} times by both runs" if repeats > 1 else ""
    return f"{cases:,} cases{each} detect a difference of {difference:+.1%}"


def _told_difference(base: float, difference: float | None, cases: int) -> str:
    if difference is None:
        return f"{cases:,} cases detect no increase from {base:.1%}, not even one to 100 %"
    return f"{cases:,} cases detect an increase of {difference:.1%} from {base:.1%}, and no smaller one"
