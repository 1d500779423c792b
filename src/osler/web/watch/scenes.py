"""The choreography of a stored episode as one view has it, ended or not.

It is directed from the items of the log in that view and from that seat's own first view, so what a view may
not have is not there to be shown.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from pydantic_core import from_json

from osler.choreography.cues import PLAIN, Spoken, Staging, ViewedEvent
from osler.choreography.director import INSIDE, VOTES, direct
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

PATIENT: Final = "patient"


def staging_of(plays: Protocol) -> Staging:
    """The staging of a protocol; the plain one if it brings none."""
    return PLAIN if plays.staging is None else instance(plays.staging, Staging)


def told_of(
    items: Iterable[LogItem], inner: Iterable[InnerRow] = (), plays: Protocol | None = None
) -> list[ViewedEvent]:
    """The items of a log as the director takes them, and with a reply that the view has whole what was asked
    inside it."""
    asked = defaultdict[int, list[InnerRow]](list)
    for row in inner:
        asked[row.n].append(row)
    result = list[ViewedEvent]()
    for item in items:
        lines = tuple(Spoken(one.label, one.kind, one.text, one.by, one.public) for one in item.lines)
        if plays is not None and item.reply is not None and (rows := asked[item.n]):
            lines += thoughts(rows, lines, plays)
        mark = item.mark or ""
        result.append(
            ViewedEvent(
                item.id, item.n, item.minute, item.event, item.seat, item.reply, lines, mark, item.picture
            )
        )
    return result


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
    result = log(store, run, ordinal, view, picture=picture)
    eyes, staging = view_of(plays, view), staging_of(plays)
    views = _first_views(store, run, ordinal)
    own = views.get(eyes.seat or view_of(plays, plays.under_test).seat)
    known = tuple(staging.cast(own)) if own else ()
    gates: Iterable[ViewedEvent] = told_of(result.items, store.recorded_inner(run.id, ordinal), plays)
    if eyes.name in (ALL, PATIENT):
        gates = with_gates(gates, kept_back(views.get(PATIENT, {})), plays.under_test, PATIENT)
    return direct(gates, key_of(store, run, ordinal), view, staging, plan, known, lane)


def exported(record: Record, plays: Protocol, view: str) -> Choreography:
    """The choreography of an exported episode. An export holds no case, so nobody's age, sex or secrets are
    known, and looks are drawn from the episode's key. Raises BadInput if there is no such view."""
    row, trace, _ = record
    recorded = Recorded(trace.rows, (), trace.outcome.tail, frozenset(one.n for one in trace.inner))
    choreography = told_of(items(recorded, view_of(plays, view), plays), trace.inner, plays)
    return direct(choreography, row.key, view, staging_of(plays))


def _first_views(store: Store, run: RunInfo, ordinal: int) -> Mapping[str, Mapping[str, Any]]:
    """The view with which each seat began, as JSON; none where the requests can no longer be made anew."""
    try:
        requests = requests_of(run, store, ordinal)
    except OslerError:
        return {}
    views = dict[str, Mapping[str, Any]]()
    for one in requests:
        if one.view is not None and one.seat not in views:
            views[one.seat] = json.loads(one.view.text)
    return views


def key_of(store: Store, run: RunInfo, ordinal: int) -> str:
    """The key by which an episode's rooms and looks are drawn: its world's, which is known before its end and
    is shared by the doctors who meet the same patient. Where its case is gone, the episode's own key."""
    try:
        config, case, cases = set_up(run, store, ordinal, None)
        return str(config.episode(ordinal, case, cases).world)
    except OslerError:
        return store.record(run.id, ordinal)[0].key or f"{run.name}:{ordinal}"


_COUNTED: Final = re.compile(r"Votes: (.+)|(\d+ of \d+ doctors agree .+)")
"""The reason in which the doctors of a composite note their count."""
_OPINIONS: Final = ("comment", "reason", "chosen", "approve", "experts")
"""The fields of the opinions that wrappers ask for (`osler.core.deliberation`)."""


def thoughts(rows: Sequence[InnerRow], lines: Iterable[Spoken], plays: Protocol) -> tuple[Spoken, ...]:
    """The lines of one exchange's inner exchanges, and the votes if any were cast: counted by the composite
    itself among its reasons (`lines` are those of its reply), or votes of approval."""
    said = [_line(row, plays) for row in rows]
    counts = [match[1] or match[2] for one in lines if (match := _COUNTED.fullmatch(one.text))]
    votes = [vote for row in rows if isinstance(vote := _opinion(row).get("approve"), bool)]
    if votes:
        counts.append(f"{sum(votes)} of {len(votes)} in favour")
    return (*said, *(Spoken("votes", VOTES, text, public=False) for text in counts if rows))


def _line(row: InnerRow, plays: Protocol) -> Spoken:
    worded = plays.reply_lines(row.seat, row.reply)
    text = "; ".join(one.text if one.kind == "said" else f"{one.kind} {one.text}" for one in worded)
    told = text or _plain(_opinion(row)) or "no answer"
    how = _how(row.events)
    return Spoken(
        f"{row.n}.{row.path} {row.player}{f', {how}' if how else ''}", INSIDE, told, row.seat, False
    )


def _opinion(row: InnerRow) -> Mapping[str, Any]:
    value = from_json(row.reply)
    return value if isinstance(value, dict) else {}


def _plain(opinion: Mapping[str, Any]) -> str:
    given = {name: opinion[name] for name in _OPINIONS if opinion.get(name) not in (None, "")}
    return "; ".join(str(one) if name == "comment" else f"{name}: {one}" for name, one in given.items())


def _how(events: str) -> str:
    """The way in which they were asked, in the wrapper's own word."""
    told = [one for one in from_json(events) if isinstance(one, dict) and one.get("kind") == "reconsider"]
    return str(told[-1].get("how", "")) if told else ""
