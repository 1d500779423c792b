"""The replay of shared encounters: each is played once more and compared with its record.

Built-in players answer live; the replies of models, people and outside players come from the record.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from osler.core.config import Config
from osler.core.factory import Factory
from osler.core.names import Kind
from osler.core.role import EXTERNAL
from osler.core.source import Source
from osler.core.trace import Trace
from osler.errors import BadInput, OslerError, Status
from osler.players.casting import casting_of, casting_type
from osler.runs.cached_source import placed
from osler.runs.played import played
from osler.runs.reread import Reread
from osler.runs.stored_case import StoredCase, stored
from osler.store.records import EpisodeRow, Judgement, RunInfo
from osler.store.store import Store
from osler.studies.bench.verification import Verification

_BUILT_IN: Final = frozenset({Kind.BUILT_IN, Kind.NOBODY})


async def _unseen(*_: object) -> None:
    """Take no note of a request."""


async def check_replay(
    run: RunInfo, config: Config, store: Store, source: Source[Any] | None, result: Verification
) -> None:
    """Play every encounter of a run again and compare it with its record."""
    if why := _not_replayable(run, config, source):
        result.unchecked.append(f"{run.name}: not played again, since {why}")
        return
    live = {seat for seat, name in config.names().items() if name.kinds <= _BUILT_IN}
    outside = {seat: EXTERNAL for seat in config.players() if seat not in live}
    seated = config.seated(outside)
    case_of = stored(store, config.model)
    for row, trace, judgements in store.records(run.id):
        where = f"{run.name}:{row.ordinal + 1}"
        try:
            case = case_of(row.case_hash) if source is None else _given(source, config, row)
            cases = source or StoredCase(config.cases, case)
            episode = config.episode(row.ordinal, case, placed(cases, config))
            cast = casting_of(seated, {EXTERNAL: _recorded(trace)}).cast(case)
            again = await episode.play(cast)
        except OslerError as error:
            result.fail("replay", where, "an encounter that can be played again", str(error))
            continue
        result.count("replay")
        _compare(row, trace, again, where, result)
        if not outside:
            result.compare("key", where, row.key, episode.key(cast))
        _check_judgement(judgements, played(episode, cast, trace), where, result)


def _recorded(trace: Trace) -> Factory:
    """The maker of players that give the replies of their seat from a record."""
    return lambda asked: Reread([row for row in trace.rows if row.seat == asked.seat], _unseen)


def _not_replayable(run: RunInfo, config: Config, source: Source[Any] | None) -> str:
    """The reason why a run cannot be played again from its record, if there is one."""
    if any("+memory" in name for name in config.players().values()):
        return "what its players remember is not shared"
    if "images_fingerprint" in run.manifest["configuration"]:
        return "the image files of its cases are not shared"
    if config.branch is not None:
        return "it is a branch, and its parent is not shared"
    if source is None and casting_type(config).needs_other_cases(config):
        return "setting it up needs cases that are no part of Osler"
    return ""


def _given(source: Source[Any], config: Config, row: EpisodeRow) -> Any:
    case = config.ready(placed(source, config).get(row.ordinal // config.repeats))
    if case.content_hash != row.case_hash:
        raise BadInput(f"it was played on another case: {row.case_hash} and not {case.content_hash}")
    return case


def _compare(row: EpisodeRow, trace: Trace, again: Trace, where: str, result: Verification) -> None:
    """Compare an encounter with its replay, up to the first difference."""
    if again.outcome.status is Status.DIVERGED:
        result.fail("replay", where, "as recorded", again.outcome.reason)
        return
    for said, found in zip(trace.rows, again.rows, strict=False):
        for name in ("seat", "request", "events", "reply"):
            mine, theirs = (_plain(name, getattr(one, name)) for one in (said, found))
            if mine != theirs:
                result.fail(f"exchange {name}", f"{where}, exchange {said.n}", _clip(mine), _clip(theirs))
                return
    result.compare("exchanges", where, len(trace.rows), len(again.rows))
    for name in ("status", "reason", "minutes", "counts", "tail"):
        mine, theirs = (_plain(name, getattr(one, name)) for one in (trace.outcome, again.outcome))
        if mine != theirs:
            result.fail(f"end: {name}", where, _clip(mine), _clip(theirs))


def _plain(name: str, value: Any) -> Any:
    """A value as it is compared: JSON text as data, and counts without those that are zero, which an export
    fills up."""
    if name == "counts":
        return {count: number for count, number in value.items() if number}
    return json.loads(value) if name in ("events", "reply", "tail") else value


def _clip(value: object) -> str:
    text = str(value)
    return text if len(text) <= 300 else f"{text[:297]}..."


def _check_judgement(judgements: Iterable[Judgement], again: Any, where: str, result: Verification) -> None:
    """Compare the judgement of the protocol's own judge with that of the replay."""
    mine = [one for one in judgements if one.grader == again.grader]
    if not mine:
        result.fail("judgement", where, "missing", again.grader)
        return
    result.compare("judge version", where, mine[-1].version, again.version)
    result.compare("judgement", where, json.loads(mine[-1].body), json.loads(again.judgement))
