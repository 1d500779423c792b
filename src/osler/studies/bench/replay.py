"""The replay of shared encounters: each is played once more and compared with its record.

Built-in players answer live; the replies of models, people and outside players come from the record.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any, Final

from osler.core.config import Config
from osler.core.episode import Episode
from osler.core.factory import Factory, PlayerRequest
from osler.core.names import Kind
from osler.core.registry import protocol_named
from osler.core.role import EXTERNAL, PERSON
from osler.core.source import Source
from osler.core.trace import ExchangeRow, Trace
from osler.errors import FAULTS, OslerError, Status
from osler.players.casting import casting_of, casting_type
from osler.runs.cached_source import placed
from osler.runs.reread import RecordEnds, Reread
from osler.runs.stored_case import StoredCase, stored
from osler.store.records import Judgement, RunInfo
from osler.store.store import Store
from osler.studies.bench.as_given import Recorded, stand_in
from osler.studies.bench.shared_cases import own_case
from osler.studies.bench.verification import Verification

_BUILT_IN: Final = frozenset({Kind.BUILT_IN, Kind.NOBODY})


async def _unseen(*_: object) -> None:
    """Take no note of a request."""


async def check_replay(
    run: RunInfo, config: Config, store: Store, source: Source[Any] | None, result: Verification
) -> None:
    """Play every encounter of a run again, compare it with its record, and judge the record again."""
    if source is None and casting_type(config).needs_other_cases(config):
        what = "setting it up needs cases that are no part of Osler"
        result.unchecked.append(f"{run.name}: not played again, since {what}")
        return
    why = _not_replayable(run, config)
    if why:
        result.unchecked.append(f"{run.name}: not played again, since {why}")
    names = config.names()
    live = {seat for seat, name in names.items() if name.kinds <= _BUILT_IN}
    outside = {
        seat: stand_in(names[seat], config.plays.role(seat)) for seat in config.players() if seat not in live
    }
    seated = config.seated(outside)
    case_of = stored(store, config.model)
    for row, trace, judgements in store.records(run.id):
        where = f"{run.name}:{row.ordinal}"
        try:
            case = case_of(row.case_hash) if source is None else own_case(source, config, row)
            cases = source or StoredCase(config.cases, case)
            episode = config.episode(row.ordinal, case, placed(cases, config))
            _check_judgements(judgements, episode, trace, where, result)
            if why:
                continue
            cast = casting_of(seated, _recorded(trace)).cast(case)
            again = await episode.play(cast)
        except RecordEnds as error:
            if row.status not in FAULTS:
                result.fail("replay", where, "an encounter that can be played again", str(error))
            else:
                said = f"{where} ended by a fault ({row.status}), which cannot be played again"
                result.unchecked.append(said)
            continue
        except OslerError as error:
            result.fail("replay", where, "an encounter that can be played again", str(error))
            continue
        result.count("replay")
        _compare(trace, again, live, where, result)
        if not outside:
            result.compare("key", where, row.key, episode.key(cast))


def _recorded(trace: Trace) -> dict[str, Factory]:
    """The makers of players that give the replies of their seat from a record: those that are read again, and
    those that are not."""

    def rows(asked: PlayerRequest) -> list[ExchangeRow]:
        return [row for row in trace.rows if row.seat == asked.seat]

    return {
        EXTERNAL: lambda asked: Recorded(rows(asked), _unseen),
        PERSON: lambda asked: Reread(rows(asked), _unseen),
    }


def _not_replayable(run: RunInfo, config: Config) -> str:
    """The reason why a run cannot be played again from its record, if there is one."""
    if any("+memory" in name for name in config.players().values()):
        return "what its players remember is not shared"
    if "images_fingerprint" in run.manifest["configuration"]:
        return "the image files of its cases are not shared"
    if config.branch is not None:
        return "it is a branch, and its parent is not shared"
    return ""


def _compare(trace: Trace, again: Trace, live: Collection[str], where: str, result: Verification) -> None:
    """Compare an encounter with its replay, up to the first difference; `live` seats also by their attempts
    and by what was asked inside them."""
    if again.outcome.status is Status.DIVERGED:
        result.fail("replay", where, "as recorded", again.outcome.reason)
        return
    for said, found in zip(trace.rows, again.rows, strict=False):
        names = ("seat", "request", "events", "reply", *(("attempts",) if said.seat in live else ()))
        for name in names:
            mine, theirs = (_plain(name, getattr(one, name)) for one in (said, found))
            if mine != theirs:
                result.fail(f"exchange {name}", f"{where}, exchange {said.n}", str(mine), str(theirs))
                return
    result.compare("exchanges", where, len(trace.rows), len(again.rows))
    inside = [
        [(row.n, row.path, row.player, json.loads(row.reply)) for row in one.inner if row.seat in live]
        for one in (trace, again)
    ]
    result.compare("inner exchanges", where, *inside)
    for name in ("status", "reason", "minutes", "counts", "tail"):
        mine, theirs = (_plain(name, getattr(one, name)) for one in (trace.outcome, again.outcome))
        if mine != theirs:
            result.fail(f"end: {name}", where, str(mine), str(theirs))


def _plain(name: str, value: Any) -> Any:
    """A value as it is compared: JSON text as data, and counts without those that are zero, which an export
    fills up."""
    if name == "counts":
        return {count: number for count, number in value.items() if number}
    return json.loads(value) if name in ("events", "reply", "tail", "attempts") else value


def _check_judgements(
    judgements: Iterable[Judgement], episode: Episode, trace: Trace, where: str, result: Verification
) -> None:
    """Compare the judgements of the protocol's own judges with those that they give of the record now; those
    of others, and of other versions, cannot be given again."""
    protocol = protocol_named(episode.protocol)
    verdicts = [judge.judge(episode, trace) for judge in protocol.judges]
    again = {grader: (version, body) for grader, version, body in verdicts}
    first = verdicts[0][0]
    latest = {one.grader: one for one in judgements}
    if first not in latest:
        result.fail("judgement", where, "missing", first)
    for one in judgements:
        if one is not latest[one.grader] or one.grader not in {*again, *protocol.graders}:
            line = f"judgements by {one.grader} {one.version} are as submitted"
            if line not in result.unchecked:
                result.unchecked.append(line)
        elif one.grader not in again:
            result.fail("judgement", where, one.grader, "no judgement that this judge would give")
        else:
            version, body = again[one.grader]
            result.compare("judge version", where, one.version, version)
            result.compare("judgement", where, json.loads(one.body), json.loads(body))
