"""`osler cases scores`: which scores a set of cases allows, before anything is played."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer
from rich.console import Group
from rich.table import Table

from osler.cases.file_source import LIBRARY
from osler.cli.case_files import Format, say_rejected
from osler.cli.options import AsJson
from osler.cli.output import add_row, command, plain, result
from osler.core.registry import protocol_named


@command
def scores(
    cases: Annotated[
        str, typer.Argument(metavar="CASES", help="`library`, or a file or folder the protocol can read.")
    ] = LIBRARY,
    protocol: Annotated[
        str, typer.Option(help="consultation, ward_round, scenario, or one from a plug-in.")
    ] = "consultation",
    format: Format = "auto",
    as_json: AsJson = False,
) -> None:
    """Show which scores these cases allow, and what a case must hold for each.

    A score that a case does not allow is unscored (not_in_case) whoever plays it, and never 0.
    """
    found = protocol_named(protocol)
    config = found.config(cases=cases, format=format)
    source, read, allowed = config.opened(), 0, Counter[str]()
    needy = [measure for measure in found.measures if measure.needs]
    for case in source:
        read += 1
        ready = config.ready(case)
        allowed.update(one.name for one in needy if one.needs and one.needs.met(ready))
    rows = [
        {"score": one.name, "needs": one.needs.words, "cases": allowed[one.name]}
        for one in needy
        if one.needs
    ]
    others = [one.name for one in found.measures if not one.needs]
    value = {"cases": read, "rejected": say_rejected(source), "scores": rows, "any_case": others}
    table = Table("score", "allowed by", "a case needs")
    for row in rows:
        add_row(table, str(row["score"]), f"{row['cases']:,} of {read:,}", str(row["needs"]))
    result(as_json, value, Group(table, plain(f"Any case allows: {', '.join(others)}")))
