"""`osler train plan`: what a fine-tuning would take on this machine, measured on three of its updates."""

from __future__ import annotations

from rich.table import Table

from osler.cli.options import AsJson
from osler.cli.output import command, result, say
from osler.cli.train_options import Base, Changes, DataSet, Profile, rows_with_left_out
from osler.training.backend import libraries
from osler.training.config import sft_config


@command
def plan(
    data: DataSet,
    base: Base,
    profile: Profile = "paper",
    changes: Changes = None,
    as_json: AsJson = False,
) -> None:
    """Measure three updates of a fine-tuning, and say what all of it would take. Nothing is kept.

    The minutes are those of the updates alone, at the speed of now; validation and saving come on top.
    """
    config = sft_config(profile, changes or ())
    libraries.need()
    from osler.training.backend.planning import plan_of  # noqa: PLC0415 - torch

    say("Three updates are measured")
    found = plan_of(data, base, config)
    grid = Table(show_header=False, box=None)
    for name, value in (
        ("data", rows_with_left_out(found.rows, found.left_out)),
        ("tokens of a row", f"{found.tokens_row:,.0f} on average, {found.tokens_most:,.0f} at most"),
        ("updates", f"{found.updates:,} of {config.batch} rows: {found.tokens:,} tokens"),
        ("speed here", f"{found.tokens_second:,.0f} tokens a second on {found.device}"),
        ("an update", f"{found.seconds_update:,.1f} s"),
        ("all updates", f"{found.minutes:,.0f} minutes"),
        ("memory", f"{found.memory_mb:,} MB at most in the three updates"),
    ):
        grid.add_row(name, value)
    result(as_json, found._asdict(), grid)
