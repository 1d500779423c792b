"""The export of a large run by several processes: each writes a range of ordinals, and the ranges are joined.

The bytes are those of `osler.store.export.export_run`, since a line depends on its episode alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from osler.errors import OslerError
from osler.store.child_process import end_with_parent
from osler.store.export import episode_lines, export_run, head_line, write_lines
from osler.store.permitted_store import for_reader
from osler.store.store import Store, open_store

RANGES: Final = 4
"""The ranges of each process: several, since episodes differ in length."""


class _Range(NamedTuple):
    """The part of a run that one process writes: the episodes from `first` to `last`."""

    address: str
    run: int
    first: int
    last: int
    out: Path


def export_by_processes(store: Store, run_id: int, out: Path, processes: int) -> int:
    """Write a run's export to `out` atomically, as `export_run` does; return the number of episodes.

    One process does it all where some episodes may not be shown or are damaged, or a range cannot be written,
    so that the refusal is that of the whole run.
    """
    run = store.info(run_id)
    permitted = for_reader(store, "export")
    if processes == 1 or run.planned < processes or permitted.left_out(run_id):
        return export_run(store, run_id, out)
    address = store.engine.url.render_as_string(hide_password=False)
    size = -(-run.planned // (processes * RANGES))
    try:
        parts = TemporaryDirectory(prefix=".export-", dir=_beside(out))
    except OSError:
        return export_run(store, run_id, out)
    with parts as folder:
        ranges = [
            _Range(address, run_id, first, min(first + size, run.planned) - 1, Path(folder) / str(first))
            for first in range(0, run.planned, size)
        ]
        # A new interpreter for each: connections and threads do not survive a fork.
        try:
            with ProcessPoolExecutor(processes, get_context("spawn"), end_with_parent) as pool:
                whole = all(list(pool.map(_written, ranges)))
        except BrokenProcessPool:  # somebody has killed one
            whole = False
        if not whole:
            return export_run(store, run_id, out)
        joined = chain([head_line(permitted, run_id)], _lines(ranges))
        return write_lines(joined, out) - 1  # the first line is no episode


def _lines(ranges: Iterable[_Range]) -> Iterator[str]:
    for one in ranges:
        with one.out.open(encoding="ascii", newline="\n") as part:
            yield from (line.removesuffix("\n") for line in part)


def _written(wanted: _Range) -> bool:
    """Write a range; whether it could be read whole."""
    with suppress(OslerError), open_store(wanted.address, create=False) as store:
        permitted = for_reader(store, "export")
        lines = episode_lines(permitted, wanted.run, first=wanted.first, last=wanted.last)
        write_lines(lines, wanted.out)
        return True
    return False


def _beside(out: Path) -> Path | None:
    """The folder of a file; `None`, the usual one for temporary files, beside a pipe or a device."""
    return None if out.exists() and not out.is_file() else out.resolve().parent
