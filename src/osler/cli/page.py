"""An episode as one HTML file that plays it: `osler export EPISODE --format page`, `osler show --player`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from osler.cli.output import result, say
from osler.files import whole_file
from osler.store.store import open_store

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
