"""Branches: keep the first exchanges of a stored episode and continue with other players.

The kept part is copied into a new run and replayed as after an interruption: no player is asked again for
what is kept, and the branch is resumed, judged and exported like any other run. Keeping nothing plays the
same case and seed from the start; keeping everything asks no one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from osler.core.branch_point import BranchPoint
from osler.core.config import Config
from osler.core.contract import Request
from osler.core.events import Seat
from osler.core.factory import Factory
from osler.core.permitted import READERS, Use
from osler.core.role import NOBODY
from osler.core.trace import ExchangeRow
from osler.errors import BadInput, InfrastructureFault, Status
from osler.players.casting import casting_type
from osler.runs import run as runs
from osler.runs.reread import set_up
from osler.runs.seating import models_named
from osler.runs.stored_case import StoredCase, stored
from osler.store.permissions import refuse_unless
from osler.store.records import KeptPart, RunInfo
from osler.store.store import Store

MOST_WORDS = 4000


class Branch(NamedTuple):
    """A branch ready to begin. `over` says that the kept part is the whole encounter."""

    config: Any
    source: StoredCase[Any]
    kept: KeptPart
    over: bool


def branch(
    store: Store,
    run_id: int,
    ordinal: int,
    at: int,
    *,
    seats: Mapping[Seat, str] | None = None,
    say: str | None = None,
    repeats: int = 1,
    use: Use = "practice",
) -> Branch:
    """Prepare a branch that leaves a stored episode after its exchange `at`. The episode may still be played,
    or be paused; it goes on as if nothing had happened.

    `seats` names other players, `say` is what the doctor says next. `use` is what a person's words in it are
    used for: practice if they branch off their own; another model that would read them needs more. Raises
    NotPermitted, and BadInput if the episode lacks that exchange, cannot be replayed by this version of
    Osler, or has no such seat.
    """
    run = store.info(run_id)
    refuse_unless(store, run_id, use, ordinal)
    row, trace, _ = store.record(run_id, ordinal)
    where = f"{run.name}:{ordinal}"
    if row.status is Status.PENDING:
        row = row._replace(case_hash=_case_of_begun(store, run, ordinal))
    if not 0 <= at <= len(trace.rows):
        raise BadInput(
            f"{where} has {len(trace.rows)} exchanges",
            where=f"--at {at}",
            hint=f"give 0 (keep nothing) to {len(trace.rows)} (keep all); osler show numbers them",
        )
    parent = runs.config_of(run)
    case = stored(store, parent.model)(row.case_hash)
    rows = trace.rows[:at]
    point = _point(parent, ordinal, row.key, row.case_hash, rows)
    label = parent.cases if parent.branch else f"{run.manifest['configuration']['cases']}#{case.id}"
    _check_seats(parent, seats or {})
    if casting_type(parent).needs_other_cases(parent):
        raise BadInput("its episodes depend on other cases, which a branch does not have", where=where)
    changes: dict[str, Any] = {
        "cases": label,
        "format": "auto",
        "only": None,
        "left_out": (),
        "limit": None,
        "models": {},
        "repeats": repeats,
        "branch": point,
    }
    config = parent.seated(seats or {}).model_copy(update=changes).branched(_words(say))
    if at and set(models_named(config)) - set(models_named(parent)):  # a host that has not heard it yet
        refuse_unless(store, run_id, READERS["branch by a model"], ordinal)
    source = StoredCase(label, case)
    over = not _asks_somebody(config, source, rows, where)
    if over and say:
        raise BadInput(
            "all is kept, so the encounter is over and nothing can be said", where="--say", hint="keep less"
        )
    return Branch(config, source, KeptPart(run_id, ordinal, at, row.case_hash), over)


def unbroken(rows: Sequence[ExchangeRow]) -> int:
    """The number of recorded exchanges before the first one that waits for its answer: of seats that are
    asked at the same time, a later one may have answered already."""
    return next((n for n, row in enumerate(rows) if row.n != n + 1), len(rows))


def begin(
    found: Branch,
    store: Store,
    config: Config,
    more: Mapping[str, Factory] | None = None,
    about: Mapping[str, object] | None = None,
) -> RunInfo:
    """Write a branch and its kept part to the store. `config` is the branch's, with its models filled in.

    Raises BadInput before anything is written.
    """
    return runs.begin(config, store, more, found.source, found.kept, about)


def branch_of(run: RunInfo) -> str:
    """Return "RUN:ORDINAL at N" for a branch, "" for any other run."""
    parent: dict[str, Any] | None = run.manifest.get("branch_of")
    return f"{parent['run']}:{parent['ordinal']} at {parent['at']}" if parent else ""


def _case_of_begun(store: Store, run: RunInfo, ordinal: int) -> str:
    """The content hash of the case of an episode that has begun and not ended; its case is stored by then."""
    try:
        return store.only_case(run.id)
    except BadInput:  # several
        return str(set_up(run, store, ordinal).case.content_hash)


def _point(parent: Config, ordinal: int, key: str, case: str, rows: Sequence[ExchangeRow]) -> BranchPoint:
    seed, _, reseeded = parent.seeding(ordinal % parent.repeats)
    earlier = parent.branch
    makers = set(earlier.kept_by) if earlier else set()
    if len(rows) > (earlier.at if earlier else 0):
        makers |= {f"{seat}={name}" for seat, name in parent.players().items()}
    return BranchPoint(
        episode=key,
        ordinal=ordinal,
        at=len(rows),
        case=case,
        record=blake2b(repr([row[:6] for row in rows]).encode(), digest_size=16).hexdigest(),
        seed=seed,
        reseeded=reseeded,
        moves=sum(row.seat == parent.plays.under_test and row.reply != "null" for row in rows),
        kept_by=tuple(sorted(makers)) if rows else (),
    )


def _check_seats(parent: Config, seats: Mapping[Seat, str]) -> None:
    taken = parent.players()
    for seat, name in seats.items():
        role = parent.plays.role(seat)
        sits = any(role.seats_of(one) for one in taken) if seat == role.name else seat in taken
        if (name != NOBODY) != sits:
            was = f"{taken.get(seat, 'a player')} sat there" if sits else "no one sat there"
            raise BadInput(
                f"{was}, and a branch cannot change who takes part",
                where=f"--{seat} {name}",
                hint=f"name another {seat}" if sits else "leave it out, or start another run",
            )


def _words(say: str | None) -> str | None:
    # Bytes that the terminal could not decode arrive as lone surrogates.
    if say is not None and not (say.strip() and len(say) <= MOST_WORDS and _is_text(say)):
        raise BadInput(
            "this is not valid text", where="--say", hint=f"give 1 to {MOST_WORDS:,} characters of text"
        )
    return say


def _is_text(words: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in words)


class _Beyond(InfrastructureFault):
    """The signal that the kept part has ended: a player is asked."""


class _Nobody:
    """A player that must not be asked: it raises `_Beyond`."""

    name, durable = "nobody", False

    async def reply(self, request: Request[Any], /) -> Any:
        """Raise `_Beyond`."""
        raise _Beyond("a player is asked")


def _asks_somebody(config: Config, source: StoredCase[Any], rows: Sequence[ExchangeRow], where: str) -> bool:
    """Whether any player is asked after the kept part. Raises BadInput if that part cannot be replayed."""
    episode = config.episode(0, config.ready(source.get(0)), source)
    cast: dict[Seat, Any] = dict.fromkeys(config.players(), _Nobody())
    try:
        trace = asyncio.run(episode.play(cast, recorded=rows))
    except _Beyond:
        return True
    if trace.outcome.status is Status.DIVERGED:
        raise BadInput(
            f"the part to be kept can no longer be replayed: {trace.outcome.reason}",
            where=where,
            hint="keep less, or use the Osler it was played with",
        )
    return False
