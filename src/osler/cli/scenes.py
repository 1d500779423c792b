"""`osler show EPISODE --scenes`: the storyboard of an episode, as one view has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.table import Table

from osler.choreography.scene import Choreography
from osler.choreography.storyboard import lines, storyboard_object
from osler.cli.output import add_row, result
from osler.runs.run import protocol_in
from osler.store.export import find_exported, read_configuration
from osler.store.store import open_store


def show_scenes(episode: str, store_url: str | None, view: str, as_json: bool) -> None:
    """Show the storyboard of a stored or an exported episode. Raises BadInput if there is no such episode or
    view."""
    from osler.web.watch.scenes import choreography, exported  # noqa: PLC0415 - import time

    file, _, number = episode.rpartition(":")
    if file and number.isdecimal() and Path(file).is_file():
        configuration = read_configuration(Path(file))
        plays = protocol_in(configuration)
        made = exported(find_exported(Path(file), int(number)), plays, view)
        _show({"ordinal": int(number)}, made, view, as_json)
        return
    with open_store(store_url, create=False) as store:
        run_id, ordinal = store.find_episode(episode)
        run = store.info(run_id)
        _show({"run": run.name, "ordinal": ordinal}, choreography(store, run, ordinal, view), view, as_json)


def _show(episode: dict[str, Any], made: Choreography, view: str, as_json: bool) -> None:
    table = Table.grid(padding=(0, 1))
    for justify, style in (("right", "dim"), ("right", "dim"), ("right", "dim"), ("left", "cyan")):
        table.add_column(justify=justify, style=style, no_wrap=True)  # type: ignore[arg-type]
    table.add_column(ratio=1)
    for line in lines(made):
        add_row(table, str(line.exchange), line.clock, f"{line.seconds:.1f} s", line.where, line.what)
    minutes, seconds = divmod(round(made.end / 1000), 60)
    result(
        as_json,
        {**episode, **storyboard_object(made)},
        table,
        f"On the screen: {minutes}:{seconds:02} as {view} sees it.",
    )
