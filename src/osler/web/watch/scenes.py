"""The choreography of a stored episode as one view has it, ended or not.

It is directed from the items of the log in that view and from that seat's own first view, so what a view may
not have is not there to be shown.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from osler.choreography.cues import PLAIN, Spoken, Staging, Told
from osler.choreography.director import direct
from osler.choreography.floors import Lane
from osler.choreography.gates import kept_back, with_gates
from osler.choreography.plan import Plan
from osler.choreography.scene import Choreography
from osler.core.lazy import instance
from osler.core.protocol import Protocol
from osler.core.trace import InnerRow
from osler.errors import OslerError
from osler.runs.rebuilt import requests_of
from osler.runs.reread import set_up
from osler.runs.run import protocol_of
from osler.store.records import RunInfo
from osler.store.store import Record, Store
from osler.web.schemas import LogItem
from osler.web.watch.log import ALL, Recorded, items, log, view_of
from osler.web.watch.thoughts import thoughts

PATIENT: Final = "patient"


def staging_of(plays: Protocol) -> Staging:
    """The staging of a protocol; the plain one if it brings none."""
    return PLAIN if plays.staging is None else instance(plays.staging, Staging)


def told_of(
    items: Iterable[LogItem], inner: Iterable[InnerRow] = (), plays: Protocol | None = None
) -> list[Told]:
    """The items of a log as the director takes them, and with a reply that the view has whole what was asked
    inside it."""
    asked = defaultdict[int, list[InnerRow]](list)
    for row in inner:
        asked[row.n].append(row)
    found = list[Told]()
    for item in items:
        lines = tuple(Spoken(one.label, one.kind, one.text, one.by, one.public) for one in item.lines)
        if plays is not None and item.reply is not None and (rows := asked[item.n]):
            lines += thoughts(rows, lines, plays)
        mark = item.mark or ""
        found.append(
            Told(item.id, item.n, item.minute, item.event, item.seat, item.reply, lines, mark, item.picture)
        )
    return found


def choreography(
    store: Store,
    run: RunInfo,
    ordinal: int,
    view: str,
    plan: Plan | None = None,
    picture: Callable[[str], str] = lambda id_: "",
    lane: Lane | None = None,
) -> Choreography:
    """The choreography of an episode as a view has it, in its `lane` of a floor or with the plan for itself.
    That the view may be seen is the caller's to decide
    (`osler.web.watch.seeing`). Call in a thread where an event loop runs. Raises BadInput if there is no such
    episode or view."""
    plays = protocol_of(run)
    found = log(store, run, ordinal, view, picture=picture)
    eyes, staging = view_of(plays, view), staging_of(plays)
    views = _first_views(store, run, ordinal)
    own = views.get(eyes.seat or view_of(plays, plays.under_test).seat)
    known = tuple(staging.cast(own)) if own else ()
    told: Iterable[Told] = told_of(found.items, store.recorded_inner(run.id, ordinal), plays)
    if eyes.name in (ALL, PATIENT):
        told = with_gates(told, kept_back(views.get(PATIENT, {})), plays.under_test, PATIENT)
    return direct(told, key_of(store, run, ordinal), view, staging, plan, known, lane)


def exported(record: Record, plays: Protocol, view: str) -> Choreography:
    """The choreography of an exported episode. An export holds no case, so nobody's age, sex or secrets are
    known, and looks are drawn from the episode's key. Raises BadInput if there is no such view."""
    row, trace, _ = record
    recorded = Recorded(trace.rows, (), trace.outcome.tail, frozenset(one.n for one in trace.inner))
    found = told_of(items(recorded, view_of(plays, view), plays), trace.inner, plays)
    return direct(found, row.key, view, staging_of(plays))


def _first_views(store: Store, run: RunInfo, ordinal: int) -> Mapping[str, Mapping[str, Any]]:
    """The view with which each seat began, as JSON; none where the requests can no longer be made anew."""
    try:
        requests = requests_of(run, store, ordinal)
    except OslerError:
        return {}
    found = dict[str, Mapping[str, Any]]()
    for one in requests:
        if one.view is not None and one.seat not in found:
            found[one.seat] = json.loads(one.view.text)
    return found


def key_of(store: Store, run: RunInfo, ordinal: int) -> str:
    """The key by which an episode's rooms and looks are drawn: its world's, which is known before its end and
    is shared by the doctors who meet the same patient. Where its case is gone, the episode's own key."""
    try:
        config, case, cases = set_up(run, store, ordinal, None)
        return str(config.episode(ordinal, case, cases).world)
    except OslerError:
        return store.record(run.id, ordinal)[0].key or f"{run.name}:{ordinal}"
