"""The runs of a study's conditions, found in the store again."""

from __future__ import annotations

import re
from typing import Any, Final

from osler.errors import BadInput
from osler.store.records import RunInfo
from osler.store.store import Store

_WORLDS: Final = ("cases", "seed", "repeats", "limit", "left_out")
"""The fields of a configuration that decide which worlds are met: all conditions of a study share them."""


def in_file(name: str) -> str:
    """The name of a set or a condition as part of a file's name."""
    return re.sub(r"[^\w.-]+", "-", name)


def runs_of_study(study: str, store: Store) -> dict[str, RunInfo]:
    """Return the run of each condition of a study as it was last played, by condition. Raises BadInput if it
    was not played, or not to the end, or if its conditions were last played on different worlds."""
    last: dict[str, RunInfo] = {}
    for run in reversed(store.runs()):
        about = run.manifest.get("study") or {}
        if about.get("name") == study and "condition" in about:
            last[about["condition"]] = run
    if unfinished := next((name for name, run in last.items() if run.done < run.planned), ""):
        hint = "play the study to its end: the same command continues"
        raise BadInput(f"its condition {unfinished!r} is not played to the end", where=study, hint=hint)
    if not last:
        hint = f"osler study run {study}, with this store"
        raise BadInput(f"no run is of a study called {study!r}", where="--study", hint=hint)
    first, *others = last.items()
    for name, run in others:
        if odd := next((field for field in _WORLDS if _field(run, field) != _field(first[1], field)), ""):
            what = f"its conditions {first[0]!r} and {name!r} were last played with different {odd}"
            hint = "play the study once more with the same options, or name the run of each condition"
            raise BadInput(what, where=study, hint=hint)
    return last


def _field(run: RunInfo, name: str) -> Any:
    return run.manifest["configuration"].get(name)
