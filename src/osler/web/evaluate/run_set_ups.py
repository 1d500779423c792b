"""Differences in the set-up of compared runs: players, models, cases, seeds, judge, settings, versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from osler.runs.endpoints import in_words
from osler.store.records import RunInfo
from osler.web.evaluate.compare_runs_schemas import SetUpLine
from osler.web.evaluate.run_words import cast_of, known_protocol, settings_of, told, told_in
from osler.web.rights import Visitor

_WORLDS: Final = (
    "cases",
    "cases_fingerprint",
    "format",
    "seed",
    "repeats",
    "limit",
    "only",
    "left_out",
    "branch",
)
_VERSIONS: Final = ("osler", "knowledge")
_NO_SETTING: Final = ("models", "protocol")
Versions = Mapping[int, Sequence[str]]
"""The versions of the judge whose scores are compared, by the run's id."""


def set_up_lines(
    runs: Sequence[RunInfo], judge: str, versions: Versions, asking: Visitor
) -> tuple[list[SetUpLine], int]:
    """The settings in which runs differ, as this visitor may read them, and the number of those that are the
    same in all."""
    each = [dict(_settings(run, judge, versions.get(run.id, ()), asking)) for run in runs]
    names = dict.fromkeys(name for one in each for name in one)
    lines = [
        SetUpLine(group=group, name=name, values=[one.get((group, name), "") for one in each])
        for group, name in names
    ]
    differing = [line for line in lines if len(set(line.values)) > 1]
    order = list(dict.fromkeys(group for group, _ in names))
    return sorted(differing, key=lambda line: order.index(line.group)), len(lines) - len(differing)


def _settings(
    run: RunInfo, judge: str, versions: Sequence[str], asking: Visitor
) -> Iterator[tuple[tuple[str, str], str]]:
    """Yield the value of each setting by group and name."""
    configuration = told_in(asking, run.manifest.get("configuration") or {})
    protocol = known_protocol(run)
    roles = [role.name for role in protocol.roles] if protocol else []
    for seat, player in cast_of(run).items():
        yield ("Players", seat.replace("_", " ")), told(asking, player)
    for name, words in in_words(run).items():
        yield ("Models", name), words
    yield from _flat("Cases and seeds", {name: configuration.get(name) for name in _WORLDS})
    yield ("Judge", judge), ", ".join(versions) or "has not judged it"
    rest = {*roles, *_WORLDS, *_VERSIONS, *_NO_SETTING}
    yield from _flat("Settings", {name: one for name, one in configuration.items() if name not in rest})
    named = {name: configuration.get(name) for name in _VERSIONS}
    yield from _flat("Versions", named | dict(run.manifest.get("versions") or {}))


def _flat(group: str, values: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], str]]:
    for line in settings_of(values):
        yield (group, line.name), line.value
