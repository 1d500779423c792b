"""The endpoints of a run, as its manifest records them: model, host and all settings, never a key or a path.

    "endpoints": {NAME: {"model": ..., "host": ..., "settings": {...}, "given": {...}, "images": ...}}

`given` are those of the settings that came with the command: a resumed run uses them again. A run of a study
also records the hash of the weights of each endpoint that names files on this machine, under `weights`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from osler.errors import BadInput
from osler.models.config import Config, Endpoint
from osler.models.settings import Setting, by_endpoint
from osler.models.weights import weights_hash
from osler.store.records import CallRow, RunInfo
from osler.store.store import Store

ENDPOINTS: Final = "endpoints"
KEEP_PROMPTS: Final = "keep_prompts"
WEIGHTS: Final = "weights"


def recorded(config: Config, names: Iterable[str], settings: Iterable[Setting]) -> dict[str, Any]:
    """The records of some configured endpoints, by name."""
    told = by_endpoint(settings)
    return {name: record_of(config.endpoint(name), told.get(name, {})) for name in dict.fromkeys(names)}


def record_of(endpoint: Endpoint, given: Mapping[str, Any]) -> dict[str, Any]:
    """The record of one endpoint."""
    result = {"model": endpoint.model, "host": endpoint.host, "settings": endpoint.settings}
    return {**result, "given": dict(given), "images": endpoint.capabilities.images}


def weights_of(config: Config, names: Iterable[str]) -> dict[str, str]:
    """The hashes of the weights of some configured endpoints, by name; none for those elsewhere."""
    hashes = {name: weights_hash(config.endpoint(name)) for name in names}
    return {name: one for name, one in hashes.items() if one}


def check_same_weights(run: RunInfo, weights: Mapping[str, str]) -> None:
    """Raise BadInput if an endpoint names other weights than those that a run was begun with."""
    before: Mapping[str, str] = run.manifest.get(WEIGHTS, {})
    for name, one in before.items():
        if weights.get(name, one) != one:
            here = weights[name]
            raise BadInput(
                f"endpoint {name} had the weights {one[:12]} when this run began, and has {here[:12]}",
                where=run.name,
                hint="restore those weights, or play the others under another endpoint's name",
            )


def given_in(run: RunInfo) -> tuple[Setting, ...]:
    """The settings that came with the command which began a run."""
    result: Mapping[str, Any] = run.manifest.get(ENDPOINTS, {})
    return tuple(
        Setting(endpoint, name, value)
        for endpoint, record in result.items()
        for name, value in record.get("given", {}).items()
    )


def words(record: Mapping[str, Any], *, host: bool = True) -> str:
    """A record in words: "tiny-2 at 127.0.0.1:8000, temperature 0.2, reasoning effort low"."""
    settings = (f"{name.replace('_', ' ')} {_plain(value)}" for name, value in record["settings"].items())
    return ", ".join((f"{record['model']} at {record['host']}" if host else record["model"], *settings))


def in_words(run: RunInfo, *, host: bool = True) -> dict[str, str]:
    """Each endpoint of a run in words, by name."""
    records: Mapping[str, Any] = run.manifest.get(ENDPOINTS, {})
    return {name: words(record, host=host) for name, record in records.items()}


class Served(NamedTuple):
    """The models' names, the providers and versions that an endpoint reported in its answers."""

    models: tuple[str, ...]
    served_by: tuple[str, ...]

    def as_json(self) -> dict[str, list[str]]:
        """Return plain JSON."""
        return {"models": list(self.models), "served_by": list(self.served_by)}


def served(run: RunInfo, store: Store) -> dict[str, Served]:
    """The names and versions reported by each endpoint of a run's players, by endpoint."""
    pairs: dict[str, tuple[set[str], set[str]]] = {}
    for name, model, by in _said(store.calls(run.id)):
        models, served_by = pairs.setdefault(name, (set(), set()))
        models.update([model] if model else ())
        served_by.update([by] if by else ())
    return {name: Served(*(tuple(sorted(each)) for each in pair)) for name, pair in sorted(pairs.items())}


def _said(calls: Iterable[CallRow]) -> Iterator[tuple[str, str | None, str | None]]:
    for row in calls:
        yield row.body["endpoint"], row.body.get("model"), row.body.get("served_by")


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        return f"({', '.join(f'{name} {_plain(one)}' for name, one in value.items())})"
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return {True: "on", False: "off", None: "null"}[value] if isinstance(value, bool | None) else str(value)
