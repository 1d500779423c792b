"""A log of Inspect as a stored run. Every encounter is replayed from its record: the requests, the events,
the end, the key and the judgement have to come out as the log says, or the log is refused.

The replies of models are taken from the log; the cases never are.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import osler
from osler.adapters.borrowed import Borrowed, BorrowedModels
from osler.adapters.inspect_ai.arranging import MOST_REPEATS, Arranged, arranged
from osler.adapters.inspect_ai.record import Record
from osler.adapters.scored import why_unscored
from osler.core.config import Config
from osler.core.episode import Episode
from osler.core.names import Kind
from osler.core.registry import protocol_named
from osler.core.role import Seating
from osler.core.source import Source
from osler.errors import BadInput, InfrastructureFault, Status
from osler.judging.scores import UNSCORED
from osler.knowledge import fingerprint
from osler.players.casting import players_of
from osler.runs import run as runs
from osler.runs.batch import chosen
from osler.runs.cached_source import KeptSource, placed
from osler.runs.endpoints import ENDPOINTS
from osler.runs.played import EndedEpisode, enter_case
from osler.runs.world import World
from osler.store.records import RunInfo
from osler.store.store import Store

if TYPE_CHECKING:
    from osler.adapters.inspect_ai.reading import Log

ABOUT: Final = "inspect"
"""The manifest's entry about the log that a run was imported from."""
MOST_CASES: Final = 100_000
UNREADABLE: Final = "every answer unreadable"
_OURS: Final = ("library", "generated:")


class Imported(NamedTuple):
    """An imported run, and how many samples of the log are no part of it, by reason."""

    run: RunInfo
    left_out: dict[str, int]


class _Verified(NamedTuple):
    ordinal: int
    episode: Episode
    played: EndedEpisode


def import_log(log: Log, store: Store, cases: str | None = None) -> Imported:
    """Check every encounter of a log and store them as a run. `cases` are those of a log whose cases are no
    part of Osler.

    Raises BadInput for a log that is not what Osler plays from these cases, and one that was imported before;
    nothing is then stored.
    """
    if again := _imported_before(log, store):
        raise BadInput(f"this log was imported before, as run {again}", hint=f"osler runs summary {again}")
    result = _arranged(log, cases)
    source = KeptSource(result.config.opened())
    if source.fingerprint != log.head.cases_fingerprint:
        raise BadInput("these are not the cases that the log was played on", where=result.config.cases)
    if min(source.size or 0, result.config.limit or MOST_CASES + 1) > MOST_CASES:
        raise BadInput(f"more than {MOST_CASES:,} cases", where=result.config.cases)
    first = next((one.record for one in log.entries if one.record is not None), None)
    if first is None:
        raise _nothing(Counter(one.why for one in log.entries))
    config, models = _seated(result, first)
    verified, left_out = asyncio.run(_verified(log, config, models, source, first))
    if not verified:
        raise _nothing(left_out)
    run = _stored(log, _played_part(log, config, source), models, source, store, verified, first)
    return Imported(run, dict(left_out))


def _nothing(why: Counter[str]) -> BadInput:
    reasons = ", ".join(f"{count} ({reason})" for reason, count in why.items()) or "it holds no sample"
    return BadInput(f"no encounter of this log has a score: {reasons}", hint="look at it: inspect view")


def _imported_before(log: Log, store: Store) -> str:
    eval_id = log.about["eval_id"]
    infos = (run for run in store.runs() if (run.manifest.get(ABOUT) or {}).get("eval_id") == eval_id)
    return next((run.name for run in infos), "")


def _arranged(log: Log, cases: str | None) -> Arranged:
    """The log's configuration. Raises BadInput if another version wrote it, or if it names a file or code."""
    head = log.head
    if head.osler != osler.__version__ or head.knowledge != fingerprint():
        raise BadInput(f"the log was written by Osler {head.osler}, or with other knowledge", hint="use that")
    given = {name: value for name, value in head.configuration.items() if value not in (None, {}, "")}
    given_cases = str(given.pop("cases", "library"))
    if cases is None and not given_cases.startswith(_OURS):
        raise BadInput("the log's cases are a file or folder", hint="name it: --cases FILE")
    for name in ("images", "rubrics"):
        if name in given:
            raise BadInput(
                f"the log names a folder ({name}), which is not followed", hint="play it with osler"
            )
    name = head.protocol.partition("/")[0]
    given.pop(protocol_named(head.protocol).under_test, None)
    given.pop("models", None)
    result = arranged(
        name, {**given, "cases": cases or given_cases, "eyes": head.eyes, "schemas": head.schemas}
    )
    players = result.config.players()
    for other, player in result.config.names().items():
        if player.kinds & {Kind.FILE, Kind.CODE, Kind.UNKNOWN}:
            raise BadInput(
                f"the log names code or a script for the {other}, which is not run",
                where=players[other][:100],
            )
    return result


def _seated(found: Arranged, record: Record) -> tuple[Config, BorrowedModels]:
    """The configuration with the model under test in its seat, and models that are never asked."""
    config, _ = found.under(record.player)
    if set(record.roles) != set(found.roles):
        raise BadInput("the models of the log's roles are not those of its configuration")
    serving = {**record.roles, record.player: record.serving}
    clients = {
        name: Borrowed(_nobody, images=found.options.eyes and name == record.player, serving=said.encode())
        for name, said in serving.items()
    }
    named = {name: _model_in(said) for name, said in sorted(serving.items())}
    return config.model_copy(update={"models": named}), BorrowedModels(clients)


def _model_in(serving: str) -> str:
    try:
        return str(json.loads(serving)["model"])[:300]
    except (ValueError, TypeError, KeyError):
        raise BadInput("what a model served is not what Osler writes") from None


async def _nobody(*_: Any) -> Any:
    raise InfrastructureFault("its record breaks off")


async def _verified(
    log: Log, config: Config, models: BorrowedModels, source: Source[Any], first: Record
) -> tuple[list[_Verified], Counter[str]]:
    many = config.model_copy(update={"repeats": MOST_REPEATS})
    world, left_out = World(many, None, models=models, source=source), Counter[str]()
    result: dict[int, _Verified] = {}
    for entry in log.entries:
        where, record = f"{entry.id[:100]}, epoch {entry.epoch}", entry.record
        if record is None:
            left_out[entry.why] += 1
            continue
        row = record.place * MOST_REPEATS + record.repeat
        if (record.player, record.serving, record.roles) != (first.player, first.serving, first.roles):
            raise BadInput("another model played here", where=where)
        if not 1 <= entry.epoch == record.repeat + 1 <= log.epochs:
            raise BadInput("its record is of another epoch", where=where)
        episode = world.episode(row)
        if (episode.case.id, episode.case.content_hash) != (entry.id, record.case):
            raise BadInput("its record is of another case", where=where)
        ended_episode = await _replayed(world, row, record, where)
        why = why_unscored(ended_episode.trace, config.plays.under_test)
        if bool(why) != bool(record.unscored):
            raise BadInput("whether it may be scored is not what the log says", where=where)
        if why and ended_episode.trace.outcome.status not in UNSCORED:
            left_out[UNREADABLE] += 1
            continue
        ordinal = episode.ordinal // MOST_REPEATS * log.epochs + record.repeat
        if ordinal in result:
            raise BadInput("it is there twice", where=where)
        result[ordinal] = _Verified(ordinal, episode, ended_episode)
    return [result[ordinal] for ordinal in sorted(result)], left_out


async def _replayed(world: World, row: int, record: Record, where: str) -> EndedEpisode:
    trace = record.trace
    try:
        episode = await world.play(row, recorded=trace.rows, inner=trace.inner)
    except InfrastructureFault as fault:
        raise BadInput(f"it cannot be replayed: {fault}", where=where) from None
    outcome = episode.trace.outcome
    if outcome.status is Status.DIVERGED:
        raise BadInput(f"it is not what was played: {outcome.reason}", where=where)
    for what, same in {
        "exchanges": episode.trace.rows == trace.rows and episode.trace.inner == trace.inner,
        "end": outcome == trace.outcome,
        "key": episode.key == record.key,
        "judgement": (episode.grader, episode.version, episode.judgement)
        == (record.grader, record.version, record.judgement),
    }.items():
        if not same:
            raise BadInput(f"its {what} in the log is not what its replay gives", where=where)
    return episode


def _played_part(log: Log, config: Config, source: Source[Any]) -> Config:
    """The configuration of the part of the cases that Inspect was told to play."""
    ids = [case.id for _, case in chosen(placed(source, config), config)]
    wanted, update = set(log.ids), dict[str, Any]()
    if strange := sorted(wanted - set(ids)):
        raise BadInput(f"the log names a case that is not there: {strange[0][:100]}")
    missing = [one for one in ids if one not in wanted]
    if missing and config.only is None and not config.left_out and ids[: len(wanted)] == ids[: -len(missing)]:
        update = {"limit": len(wanted)} if wanted == set(ids[: len(wanted)]) else {}
    if missing and not update:
        update = {"left_out": (*config.left_out, *missing)}
    return config.model_copy(update={**update, "repeats": log.epochs})


def _stored(
    log: Log,
    config: Config,
    models: BorrowedModels,
    source: Source[Any],
    store: Store,
    verified: list[_Verified],
    record: Record,
) -> RunInfo:
    about: Mapping[str, Any] = {
        ABOUT: log.about,
        ENDPOINTS: {
            name: {
                "model": model,
                "host": "inspect",
                "settings": _settings({**record.roles, record.player: record.serving}[name]),
                "given": {},
                "images": models.has_eyes(name),
            }
            for name, model in config.models.items()
        },
    }
    run = runs.begin(config, store, players_of(Seating(config, models)), source, about=about)
    with store.claims(run.id) as claims, store.writer(run.id, claims.token) as writer:
        for ordinal, episode, ended_episode in verified:
            enter_case(writer, episode.case)
            for row in ended_episode.trace.rows:
                writer.exchange(ordinal, row)
            for inner in ended_episode.trace.inner:
                writer.inner(ordinal, inner)
            case, judgement = (
                episode.case,
                (ended_episode.grader, ended_episode.version, ended_episode.judgement),
            )
            writer.end(
                ordinal,
                ended_episode.key,
                case.content_hash,
                case.id,
                ended_episode.trace.outcome,
                [judgement],
            )
        writer.close()
        claims.leave("done" if len(verified) == run.planned else "interrupted")
    return store.run(run.name)


def _settings(serving: str) -> dict[str, Any]:
    """The plain settings among what determined a model's answers."""
    held = {name[:100]: value for name, value in json.loads(serving).items() if name != "model"}
    return {name: value for name, value in held.items() if isinstance(value, int | float)} | {
        name: value[:300] for name, value in held.items() if isinstance(value, str)
    }
