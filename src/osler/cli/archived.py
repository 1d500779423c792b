"""Archives as arguments: a command that takes a run's name takes an archive's folder in its place.

The archive is restored into a store of its own, in the folder for temporary files, and the command reads that
store; it is removed when the command ends. An episode, `DIR:NUMBER`, needs only the file that holds it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, Final, NamedTuple, ParamSpec

from osler.errors import BadInput, BadStore
from osler.store.store import Store, open_store

P = ParamSpec("P")
_SEPARATORS: Final = "/\\"


class _ArchivePath(NamedTuple):
    """An archive's folder, and the episode that is asked for, if it is one."""

    folder: Path
    ordinal: int | None = None


def takes_archives(argument: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """A decorator for a command whose `argument` names a run, runs or an episode in its `store`: it may name
    archives, too."""

    def decorated(body: Callable[P, None]) -> Callable[P, None]:
        @wraps(body)
        def run(*args: P.args, **kwargs: P.kwargs) -> None:
            given: Any = kwargs[argument]
            one = isinstance(given, str)
            url: Any = kwargs["store"]
            with at_hand(url, [given] if one else given) as (store, names):
                kwargs["store"], kwargs[argument] = store, names[0] if one else names
                body(*args, **kwargs)

        return run

    return decorated


@contextmanager
def at_hand(store: str | None, names: Sequence[str]) -> Iterator[tuple[str | None, list[str]]]:
    """A store in which all that is named can be read, and its names there: the given store, unless archives
    are among them. Raises BadInput where one is damaged, or two runs have the same name."""
    archives = [_archive(name, store) for name in names]
    if not any(archives):
        yield store, list(names)
        return
    with tempfile.TemporaryDirectory(prefix="osler-archive-") as folder:
        url = str(Path(folder) / "archived.db")
        with open_store(url) as into:
            there = dict[object, str]()
            for name, archive in zip(names, archives, strict=True):
                source = archive.folder.resolve() if archive else name
                if source not in there:
                    there[source] = _brought(into, name, archive, store)
        result = [
            there[one.folder.resolve() if one else name]
            + (f":{one.ordinal}" if one and one.ordinal is not None else "")
            for name, one in zip(names, archives, strict=True)
        ]
        yield url, result


def _brought(into: Store, name: str, archive: _ArchivePath | None, store: str | None) -> str:
    """Write an archive, or a run of the given store beside it, into a temporary store; its name there."""
    from osler.store.archive import open_in, refuse_people  # noqa: PLC0415 - import time
    from osler.store.manifests import read_manifest  # noqa: PLC0415 - import time
    from osler.store.permissions import people_of  # noqa: PLC0415 - import time
    from osler.store.run_rows import blocks_of, head_of, put_run  # noqa: PLC0415 - import time

    if archive is not None:
        _refuse_twice(into, read_manifest(archive.folder).run.name)
        return open_in(into, archive.folder, ordinal=archive.ordinal).name
    with open_store(store, create=False) as opened:
        run = opened.run(name)
        _refuse_twice(into, run.name)
        refuse_people(run.manifest, run.name)
        if people_of(opened, run):
            raise BadInput("it holds what people said, which is read in its store alone", where=run.name)
        put_run(into, head_of(opened, run.id), blocks_of(opened, run.id), at_once=False)
        return run.name


def _refuse_twice(into: Store, name: str) -> None:
    if any(run.name == name for run in into.runs()):
        raise BadInput("two of these are the same run, or have the same name", where=name)


def _archive(name: str, store: str | None) -> _ArchivePath | None:
    """The archive that an argument names, as DIR or DIR:NUMBER; a run of the store goes before a folder of
    its name that is written without a path."""
    from osler.store.manifests import is_archive  # noqa: PLC0415 - import time

    folder, _, number = name.rpartition(":")
    if name and is_archive(Path(name)):
        return None if _is_run(name, store) else _ArchivePath(Path(name))
    if folder and number.isascii() and number.isdecimal() and len(number) <= 10 and is_archive(Path(folder)):
        return None if _is_run(folder, store) else _ArchivePath(Path(folder), int(number))
    return None


def _is_run(name: str, store: str | None) -> bool:
    if any(one in name for one in _SEPARATORS):
        return False
    try:
        with open_store(store, create=False) as opened:
            return any(run.name == name for run in opened.runs())
    except BadStore:
        return False
