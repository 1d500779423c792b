"""Episodes: the list of a run, and one episode with its judgements."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query

from osler.core.failure import Failure
from osler.core.names import Kind, player_name
from osler.core.permitted import NotPermitted, people_in
from osler.core.protocol import Protocol
from osler.core.trace import trace_of
from osler.judging.grader_notes import note_line
from osler.runs.endpoints import in_words
from osler.runs.run import protocol_of
from osler.store.listing import EpisodeQuery, Order, neighbours, scores_of
from osler.store.permissions import refuse_unless
from osler.store.records import EpisodeRow, Judgement, RunInfo, pending
from osler.store.statistics import renew_statistics
from osler.store.store import Store
from osler.web.evaluate.episode_list import EpisodeListQuery, episode_line, page
from osler.web.evaluate.facets import first_score, kind_of_score, words_of
from osler.web.evaluate.failures import failures_seen
from osler.web.evaluate.quotes import Places
from osler.web.evaluate.run_words import asks_models, cast_of, example_title, flags, kind_of, reproduce
from osler.web.evaluate.schemas import EpisodeLine, EpisodePage, Sort
from osler.web.evaluate.trace_schemas import EpisodeDetail, Judged, Score, SeatLine, Verdict
from osler.web.house import House, TheHouse
from osler.web.lookups import Ordinal, Place, RunCache, RunName
from osler.web.rights import Visitor, needs
from osler.web.watch.log import ALL
from osler.web.watch.seats import seats_of
from osler.web.watch.seeing import Looking, Onlooker

LARGE: Final = 1000
"""From so many episodes on, the database's plans matter."""

router = APIRouter()
Text = Annotated[str, Query(max_length=200)]
Bound = Annotated[float | None, Query(allow_inf_nan=False)]


@router.get("/runs/{run}/episodes", dependencies=[needs("watch")])
def episodes(
    house: TheHouse,
    looking: Looking,
    run: RunName,
    cursor: Annotated[str, Query(max_length=1000)] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    sort: Sort = "ordinal",
    descending: bool = False,
    status: Text = "",
    case: Text = "",
    q: Text = "",
    grader: Text = "",
    below: Bound = None,
    above: Bound = None,
    failure: Text = "",
) -> EpisodePage:
    """Episodes of a run. `grader` is "GRADER:SCORE" and chooses the score to show, to sort by, and that
    `below` and `above` are about; without it, it is the headline. `failure` is a tag that they have."""
    query = EpisodeQuery(status=status, case=case, text=q, below=below, above=above)
    asked = EpisodeListQuery(cursor, limit, Order(sort, descending), query, grader)
    seen = looking.run(run)
    result = seen.run
    if result.done >= LARGE:
        room: RunCache[list[str]] = house.rooms.setdefault("evaluate.statistics", RunCache())
        room.get(result.id, result.done, lambda: renew_statistics(house.store))
    if not failure:
        return page(seen, house.store, asked)
    tagged = failures_seen(house, looking, seen).with_tag(failure)
    found = page(seen, house.store, asked._replace(wanted=query._replace(among=frozenset(tagged))))
    return found.model_copy(update={"items": [_failed(one, tagged[one.ordinal]) for one in found.items]})


def _failed(line: EpisodeLine, failure: Failure) -> EpisodeLine:
    return line.model_copy(update={"failed_at": failure.exchange, "failed_why": failure.why})


@router.get("/episodes/{run}/{n}", dependencies=[needs("watch")])
def episode(house: TheHouse, looking: Looking, run: RunName, n: Ordinal) -> EpisodeDetail:
    """One episode."""
    return detail(house, looking.asking, looking.episode(run, n))


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
        scores = scores_of(connection, run.id, named, [place.ordinal]) if named and whole else {}
    branch = (run.manifest.get("configuration") or {}).get("branch") or {}
    origin = run.manifest.get("branch_of")
    again = reproduce(run, asking) if whole or asking.here else ""
    return EpisodeDetail(
        run=run.name,
        protocol=protocol.name,
        line=episode_line(row, scores.get(place.ordinal), bool(people_in(run.manifest))),
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
    """Say which permission keeps an episode from leaving as a file, and how to give it; "" if none does."""
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


_HOLDS = {True: "yes", False: "no", None: "cannot be told"}


def judged(judgement: Judgement, protocol: Protocol, places: Places) -> Judged:
    """One judgement."""
    body: dict[str, Any] = json.loads(judgement.body)
    scores = body.get("scores")
    items = body.get("items")
    return Judged(
        grader=judgement.grader,
        version=judgement.version,
        label=note_line([judgement.grader]),
        scores=list(_scores(scores, protocol, places)) if isinstance(scores, dict) else [],
        verdicts=list(_verdicts(items, places)) if isinstance(items, list) else [],
        body=body,
    )


def _scores(scores: Mapping[str, Any], protocol: Protocol, places: Places) -> Iterator[Score]:
    for name, held in scores.items():
        one = held if isinstance(held, dict) else {"value": held}
        value = one.get("value")
        yield Score(
            name=name,
            words=words_of(protocol, name),
            kind=kind_of_score(protocol, name),
            value=float(value) if isinstance(value, int | float) else None,
            reason=str(one.get("reason") or ""),
            quotes=places.find_all(_words(one.get("evidence"))),
        )


def _verdicts(items: Iterable[Any], places: Places) -> Iterator[Verdict]:
    for item in items:
        if not isinstance(item, dict):
            continue
        holds = item.get("holds")
        said = _HOLDS[holds] if holds in (True, False, None) else str(holds)
        points = item.get("points")
        yield Verdict(
            name=str(item.get("id", "")),
            words=str(item.get("text", "")),
            verdict=said,
            points=float(points) if isinstance(points, int | float) else None,
            note="; ".join(str(item[key]) for key in ("reason", "why") if item.get(key)),
            quotes=places.find_all(_words(item.get("quotes"))),
        )


def _words(quotes: Any) -> Iterator[str]:
    """The words of quotes, each a text or a pair of a line's number and its words."""
    for one in quotes if isinstance(quotes, list) else ():
        if isinstance(one, str):
            yield one
        elif isinstance(one, list) and one and isinstance(one[-1], str):
            yield one[-1]
