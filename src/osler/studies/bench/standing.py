"""The standing of a run beside the benchmark: of one of its tables, or how it differs from the nearest."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from osler.core.config import Config
from osler.studies.bench.tables import conditions, packaged

CUSTOM: Final = "custom"
STANDARD: Final = "standard"
_NOT_COMPARED: Final = frozenset({"models"})


def standing_of(config: Config) -> tuple[str, list[str]]:
    """Whether a run is of a table of the benchmark but for the player under test, and else by what it differs
    from the nearest one."""
    mine, seat = _flat(config.model_dump(mode="json")), config.plays.under_test
    nearest: list[str] | None = None
    for protocol, where, theirs in _tables():
        if protocol != config.protocol:
            continue
        other = sorted(
            f"{name} is {_short(mine.get(name))} and not {_short(theirs.get(name))}"
            for name in {*mine, *theirs} - {seat}
            if mine.get(name) != theirs.get(name) and name.partition(".")[0] not in _NOT_COMPARED
        )
        if not other:
            return STANDARD, [where]
        nearest = other if nearest is None or len(other) < len(nearest) else nearest
    return CUSTOM, nearest or ["no table of the benchmark is of this protocol"]


@cache
def _tables() -> list[tuple[str, str, dict[str, Any]]]:
    """The protocol, the name and the configuration of each table of the benchmark, in each split."""
    return [
        (one.config.protocol, f"{one.table.name}, split {split}", _flat(one.config.model_dump(mode="json")))
        for split in packaged().splits
        for one in conditions(packaged(), split)
    ]


def _flat(value: Mapping[str, Any], before: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, one in value.items():
        if isinstance(one, Mapping):
            flat |= _flat(one, f"{before}{name}.")
        else:
            flat[before + name] = one
    return flat


def _short(value: object) -> str:
    text = "unset" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
