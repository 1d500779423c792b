"""The scenes of an episode as one view has them: as text (`osler show EPISODE --scenes`), and as one HTML
file that plays them (`osler show --player`, `osler export EPISODE --format page`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from rich.table import Table

from osler.choreography.scene import Choreography, Scene
from osler.cli.output import add_row, result, say
from osler.core.wording import clock
from osler.files import whole_file
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


def _show(episode: dict[str, Any], choreography: Choreography, view: str, as_json: bool) -> None:
    table = Table.grid(padding=(0, 1))
    for justify, style in (("right", "dim"), ("right", "dim"), ("right", "dim"), ("left", "cyan")):
        table.add_column(justify=justify, style=style, no_wrap=True)  # type: ignore[arg-type]
    table.add_column(ratio=1)
    for line in storyboard_lines(choreography):
        add_row(table, str(line.exchange), line.clock, f"{line.seconds:.1f} s", line.where, line.what)
    minutes, seconds = divmod(round(choreography.end / 1000), 60)
    result(
        as_json,
        {**episode, **storyboard_object(choreography)},
        table,
        f"On the screen: {minutes}:{seconds:02} as {view} sees it.",
    )


_PASSED_OVER: Final = frozenset({"turn", "place", "released"})
"""Kinds of scenes that the text leaves out, the bookkeeping that transcripts leave out too; the JSON has
them."""


class StoryboardLine(NamedTuple):
    """A line of a storyboard: the exchange, simulated time, seconds on the screen, place, and words."""

    exchange: int
    clock: str
    seconds: float
    where: str
    what: str


def storyboard_lines(choreography: Choreography) -> Iterator[StoryboardLine]:
    """Yield a line for each scene."""
    for scene in choreography.scenes:
        if scene.kind not in _PASSED_OVER:
            yield StoryboardLine(scene.exchange, clock(scene.minute), scene.seconds, scene.where, scene.what)


def scene_object(scene: Scene) -> dict[str, Any]:
    """A scene for other programs."""
    return {
        "id": scene.id,
        "minute": scene.minute,
        "seconds": scene.seconds,
        "who": list(scene.who),
        "where": scene.where,
        "what": scene.what,
        "exchange": scene.exchange,
        "kind": scene.kind,
        "mark": scene.mark,
    }


def storyboard_object(choreography: Choreography) -> dict[str, Any]:
    """A storyboard for other programs: its scenes, and the seconds of the whole."""
    return {
        "plan": choreography.plan,
        "key": choreography.key,
        "view": choreography.view,
        "seconds": choreography.end / 1000,
        "scenes": [scene_object(scene) for scene in choreography.scenes],
    }


PAGE: Final = "page"
ALL: Final = "all"
"""The view of everything, whose page holds the other views, too."""


def write_page(episode: str, store_url: str | None, out: Path, view: str, as_json: bool) -> None:
    """Write the page of a stored episode. Raises BadInput if there is no such episode or view, and
    NotPermitted."""
    from osler.web.watch.player import player_html  # noqa: PLC0415 - import time

    with open_store(store_url, create=False) as store:
        run_id, ordinal = store.find_episode(episode)
        run = store.info(run_id)
        page = player_html(store, run, ordinal, view)
    with whole_file(out, private=True) as partial:
        size = partial.write_text(page.text, encoding="utf-8", newline="\n")
    say(f"written: {out} ({size / 1e6:.1f} MB), which any browser opens without a network")
    result(as_json, {"run": run.name, "ordinal": ordinal, "view": view, "written": str(out)})
