"""One episode: who sat where, how it ended, how it was judged, and what of it may be seen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from osler.core.names import Kind, player_name
from osler.core.permitted import NotPermitted, people_in
from osler.core.protocol import Protocol
from osler.core.trace import trace_of
from osler.runs.endpoints import in_words
from osler.runs.run import protocol_of
from osler.store.listing import neighbours, scores_of
from osler.store.permissions import refuse_unless
from osler.store.records import EpisodeRow, RunInfo, pending
from osler.store.store import Store
from osler.web.evaluate.episode_list import episode_line
from osler.web.evaluate.facets import first_score
from osler.web.evaluate.judged import judged
from osler.web.evaluate.quotes import Places
from osler.web.evaluate.run_words import asks_models, cast_of, example_title, flags, kind_of, reproduce
from osler.web.evaluate.trace_schemas import EpisodeDetail, SeatLine
from osler.web.house import House
from osler.web.lookups import Place
from osler.web.rights import Visitor
from osler.web.watch.log import ALL
from osler.web.watch.seats import seats_of
from osler.web.watch.seeing import Onlooker


def detail(house: House, asking: Visitor, place: Place) -> EpisodeDetail:
    """One episode, as far as this visitor may see it."""
    store, run, protocol = house.store, place.run, protocol_of(place.run)
    seats = seats_of(store, place, protocol)
    looking = Onlooker(house, asking)
    seen = looking.sight(place, seats)
    whole = ALL in seen.views
    row, trace, judgements = store.record(run.id, place.ordinal) if place.ended else _begun(store, place)
    places = Places(protocol, trace, lambda: store.case(row.case_hash) or "")
    with store.connected() as connection:
        before, after = neighbours(connection, run.id, place.ordinal, looking.again(run).whole)
        named = first_score(connection, run, protocol)
        held = scores_of(connection, run.id, named, [place.ordinal]) if named and whole else {}
    branch = (run.manifest.get("configuration") or {}).get("branch") or {}
    origin = run.manifest.get("branch_of")
    again = reproduce(run, asking) if whole or asking.here else ""
    return EpisodeDetail(
        run=run.name,
        protocol=protocol.name,
        line=episode_line(row, held.get(place.ordinal), bool(people_in(run.manifest))),
        kind=kind_of(run.manifest),
        title=example_title(run),
        seats=[_seat(seat, run, protocol) for seat in seats],
        under_test=_under_test(seats, protocol),
        branch_of=f"{origin['run']}:{origin['ordinal']}" if origin else "",
        kept=int(branch.get("at", 0)),
        views=list(seen.views),
        hidden=seen.hidden,
        uses=None if seen.uses is None else list(seen.uses),
        unsaved=_unsaved(store, place) if seen.uses is not None else "",
        judgements=[judged(one, protocol, places) for one in judgements if whole],
        ending=row.reason,
        ended=place.ended,
        previous=before,
        following=after,
        reproduce=again + flags(house, asking, models=asks_models(run)) if again else "",
    )


def _unsaved(store: Store, place: Place) -> str:
    """Why an episode with people cannot leave as a file: whose permission lacks, and how it is given."""
    try:
        refuse_unless(store, place.run.id, "share", place.ordinal)
    except NotPermitted as error:
        return f"{error.what}. They can permit it themselves, in their debrief under Your words"
    return ""


def _begun(store: Store, place: Place) -> tuple[EpisodeRow, Any, tuple[()]]:
    rows = store.recorded(place.run.id, place.ordinal)
    row = pending(place.ordinal, len(rows))
    return row, trace_of(rows, row.outcome, store.recorded_inner(place.run.id, place.ordinal)), ()


def _seat(seat: str, run: RunInfo, protocol: Protocol) -> SeatLine:
    role, models = protocol.role(seat), in_words(run)
    player = cast_of(run).get(role.name, "")
    name = player_name(role, player)
    behind = (models.get(model.removeprefix("model:"), "") for model in name.models)
    return SeatLine(
        seat=seat,
        player=player,
        model=", ".join(dict.fromkeys(words for words in behind if words)),
        person=bool(name.kinds & {Kind.PERSON, Kind.EXTERNAL}) or role.name in people_in(run.manifest),
    )


def _under_test(seats: Sequence[str], protocol: Protocol) -> str:
    role = protocol.role(protocol.under_test)
    return next((seat for seat in seats if role.seats_of(seat)), protocol.under_test)
