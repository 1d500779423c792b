"""`osler power`: how many cases for which difference, before anything is played."""

from __future__ import annotations

from math import isnan
from typing import Annotated, Any

import typer
from rich.text import Text

from osler.cli.options import AsJson
from osler.cli.output import command, result
from osler.errors import BadInput
from osler.judging.power import Design, cases_needed, greatest_correlation, smallest_difference

WANTED = 0.8


@command
def power(
    base: Annotated[float, typer.Option(min=0, max=1, help="The first run's share of right answers.")] = 0.5,
    difference: Annotated[
        float | None, typer.Option(help="Second minus first, to be shown: how many cases does it take?")
    ] = None,
    cases: Annotated[
        int | None, typer.Option(min=2, max=10_000_000, help="So many cases: which rise do they show?")
    ] = None,
    correlation: Annotated[
        float, typer.Option(min=0, max=0.99, help="Of the two runs' answers to a case; 0 asks most cases.")
    ] = 0.0,
    repeats: Annotated[int, typer.Option(min=1, max=1_000_000, help="How often each run plays a case.")] = 1,
    repeat_correlation: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="Of one run's repeats of a case.  [default: halfway from --correlation to 1]"
        ),
    ] = None,
    wanted: Annotated[
        float, typer.Option("--power", min=0.5, max=0.999, help="The chance to show it, if it is there.")
    ] = WANTED,
    as_json: AsJson = False,
) -> None:
    """Say how many cases show a difference in right answers between two runs on the same cases."""
    for name, given in (
        ("base", base),
        ("correlation", correlation),
        ("repeat-correlation", repeat_correlation),
    ):
        if given is not None and isnan(given):
            raise BadInput("not a number", where=f"--{name}", mend="give a number from 0 to 1")
    alike = (1 + correlation) / 2 if repeat_correlation is None else repeat_correlation
    if alike < correlation:
        raise BadInput(
            "one run's repeats are at least as alike as two runs",
            where="--repeat-correlation",
            mend=f"give {correlation:g} or more",
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
        raise BadInput("one question at a time", mend="give either --difference or --cases")
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
    result(as_json, value, Text(f"{told}\n{test}"))


def _check(design: Design, difference: float) -> None:
    if difference == 0 or not 0 <= design.base + difference <= 1:
        raise BadInput(
            f"from {design.base:g} by {difference:g} is no change between 0 and 1",
            where="--difference",
            mend=f"give at least {-design.base:g} and at most {1 - design.base:g}, and not 0",
        )
    most = greatest_correlation(design.base, difference)
    if design.correlation > most:
        raise BadInput(
            f"shares of {design.base:g} and {design.base + difference:g} cannot correlate that much",
            where="--correlation",
            mend=f"give at most {int(most * 1000) / 1000:g}",
        )


def _told_cases(cases: int | None, difference: float, repeats: int) -> str:
    if cases is None:
        return f"no practical number of cases shows a difference of {difference:+.1%}"
    each = f", each played {repeats} times by either run" if repeats > 1 else ""
    return f"{cases:,} cases{each} show a difference of {difference:+.1%}"


def _told_difference(base: float, difference: float | None, cases: int) -> str:
    if difference is None:
        return f"{cases:,} cases show no rise from {base:.1%}, not even one to 100 %"
    return f"{cases:,} cases show a rise of {difference:.1%}, from {base:.1%}, and no smaller one"
