"""`osler judge compare`: the judges of the same stored encounters beside each other, and their jury."""

from __future__ import annotations

from typing import Annotated

import typer

from osler.cli.options import AsJson, RunNames, StoreUrl
from osler.cli.output import command, result
from osler.store.store import open_store
from osler.studies.judges.comparison import compare_judges
from osler.studies.judges.comparison_tables import judges_shown


@command
def judge_compare(
    runs: RunNames,
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="A judge that has judged them, NAME or NAME@VERSION; name two or more.  [default: all]",
            show_default=False,
        ),
    ] = None,
    score: Annotated[
        list[str] | None,
        typer.Option(
            help="correct, net, ets, ...  [default: the first that two of the judges give]",
            show_default=False,
        ),
    ] = None,
    scale: Annotated[
        str | None,
        typer.Option(
            help="The scale of people's labels: its name, or your own YAML file."
            "  [default: the one for what was played]",
            show_default=False,
        ),
    ] = None,
    width: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            help="Of two runs that people rated in part: how many labels make the interval of the corrected"
            " difference this wide; 0.1 of a share is 10 points.",
        ),
    ] = None,
    store: StoreUrl = None,
    as_json: AsJson = False,
) -> None:
    """Compare the judges of the same encounters: agreement, the headline under each, their jury, kinship with
    players, and a liking for length. Of several runs, the difference between them under each judge."""
    with open_store(store, create=False) as opened:
        named = [opened.run(name) for name in runs]
        found = opened.as_far_as_readable(
            lambda: compare_judges(named, opened, judge or (), score or (), scale=scale, width=width)
        )
    result(as_json, found.model_dump(mode="json"), *judges_shown(found))
