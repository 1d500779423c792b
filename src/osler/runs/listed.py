"""The cases of a run on a machine without its files: they are listed in the store when it begins."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from osler.core.config import Config
from osler.core.source import ImportReport, Source
from osler.errors import BadInput
from osler.players.casting import casting_type
from osler.runs.stored_case import stored
from osler.store import case_list
from osler.store.case_list import ListedCase
from osler.store.records import RunInfo
from osler.store.store import Store


def list_cases(run: RunInfo, store: Store, config: Config, source: Source[Any]) -> RunInfo:
    """List the cases of a run from a file or folder, if machines without it may play the run, which those
    that share a server may."""
    if store.label.startswith(_ONE_MACHINE) or config.branch or not _given(config):
        return run
    most = (
        None
        if casting_type(config).needs_other_cases(config) or getattr(config, "places", None) is not None
        else config.limit
    )
    listeds = (
        ListedCase(place, case.content_hash, case.model_dump_json())
        for place, case in enumerate(islice(source, most))
        if config.only is None or config.only == case.id or casting_type(config).needs_other_cases(config)
    )
    return case_list.write(store, run.id, listeds)


def listed_cases(run: RunInfo, store: Store, config: Config) -> ListedCases | None:
    """The listed cases of a run whose file or folder is not on this machine; `None` where it is, or where
    nothing is listed. Raises BadStore for a damaged list."""
    if _given(config):
        return None
    hashes = case_list.read(store, run)
    return ListedCases(run, store, config, hashes) if hashes else None


class ListedCases:
    """A source of cases read from a store, at the places that they have in the source they came from."""

    def __init__(self, run: RunInfo, store: Store, config: Config, hashes: dict[int, str]) -> None:
        written = run.manifest["configuration"]
        self.label, self.fingerprint = written["cases"], written["cases_fingerprint"]
        self.report: ImportReport | None = None
        self.size: int | None = max(hashes) + 1
        self._hashes, self._stored = hashes, stored(store, config.model)

    def __iter__(self) -> Iterator[Any]:
        """Every case from the first; where it is not listed since the run does not play it, `_NotPlayed`."""
        return (self.get(place) if place in self._hashes else _NotPlayed() for place in range(self.size or 0))

    def get(self, index: int) -> Any:
        """The case at `index`, from 0. Raises BadInput where none is listed, or another is stored."""
        if (hash := self._hashes.get(index)) is None:
            raise BadInput(f"case {index + 1} is not in the store", where=self.label)
        case = self._stored(hash)
        if case.content_hash != hash:
            raise BadInput(
                f"the stored case {index + 1} is read otherwise than when the run began",
                where=self.label,
                hint="play on with the version of Osler that began it",
            )
        return case


class _NotPlayed(NamedTuple):
    """In the place of a case that a run of one case does not play."""

    id: str = ""


_ONE_MACHINE: Final = "sqlite:"


def _given(config: Config) -> bool:
    """Whether the cases of a configuration are a file or folder that is on this machine."""
    try:
        return Path(config.cases).exists()
    except (OSError, ValueError):
        return False
