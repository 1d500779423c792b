"""Two episodes side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Query

from osler.core.measure import Measure, Value, plain_value
from osler.core.protocol import Protocol
from osler.core.trace import ExchangeRow
from osler.errors import BadInput, NotAllowed
from osler.runs.measured import measured_one
from osler.runs.reread import set_up
from osler.runs.run import player_of, protocol_of
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.comparable import check_one_protocol, differing, reasons_of_pair
from osler.web.evaluate.exchange_lines import exchange_lines, reply_words
from osler.web.evaluate.playing import Playing
from osler.web.evaluate.schemas import RunState
from osler.web.evaluate.trace_schemas import Beside, Compared, ExchangeLine, ScorePair, Side
from osler.web.house import TheHouse
from osler.web.lookups import Place
from osler.web.rights import needs
from osler.web.watch.log import ALL, Recorded, recorded
from osler.web.watch.seats import seats_of
from osler.web.watch.seeing import Looking

router = APIRouter()
EpisodeName = Annotated[str, Query(max_length=120)]


@router.get("/compare", dependencies=[needs("watch")])
def compare(house: TheHouse, looking: Looking, a: EpisodeName, b: EpisodeName) -> Compared:
    """Two episodes, each RUN:N, aligned by exchange."""
    first, second = (looking.named(name) for name in (a, b))
    for place in (first, second):
        sight = looking.sight(place, seats_of(house.store, place, protocol_of(place.run)))
        if ALL not in sight.views:
            raise NotAllowed(sight.hidden, where=place.name)
    return beside(house.store, first, second, Playing.of(house).state)


class _Side(NamedTuple):
    """One side as it is read: its rows, and the same as lines."""

    record: Recorded
    lines: list[ExchangeLine]


def beside(store: Store, a: Place, b: Place, state: Callable[[RunInfo], RunState]) -> Compared:
    """Two episodes side by side; `state` tells whether a run is played. Raises BadInput if they are of
    different protocols."""
    protocol = check_one_protocol(a.run, b.run)
    one, other = (_read(store, place, protocol) for place in (a, b))
    rows = _rows(one, other, protocol)
    same_world, world = _worlds(store, a, b)
    refused = list(_refused(a, b, same_world))
    differs = {name: [str(value) for value in pair] for name, pair in differing(a.run, b.run).items()}
    return Compared(
        a=_side(a, one, state(a.run)),
        b=_side(b, other, state(b.run)),
        under_test=protocol.under_test,
        same_world=same_world,
        world=world,
        rows=rows,
        first_difference=next((at for at, row in enumerate(rows) if not row.same), None),
        scores=_scores(store, a, b, protocol, bool(refused)),
        differs=differs,
        refused=refused,
    )


def _read(store: Store, place: Place, protocol: Protocol) -> _Side:
    record = recorded(store, place.run.id, place.ordinal)
    inner = store.recorded_inner(place.run.id, place.ordinal)
    calls = store.calls(place.run.id, place.ordinal)
    return _Side(record, exchange_lines(record, inner, calls, protocol))


def _side(place: Place, side: _Side, state: RunState) -> Side:
    return Side(
        run=place.run.name,
        ordinal=place.ordinal,
        case=place.row.case_id if place.row else "",
        player=player_of(place.run),
        status=place.row.status if place.row else "pending",
        state=state,
        exchanges=len(side.lines),
    )


def _rows(one: _Side, other: _Side, protocol: Protocol) -> list[Beside]:
    """The exchanges pair by pair. They are the same as long as everything was, and then compared by place."""
    result, together = list[Beside](), True
    pairs = zip_longest(one.record.rows, other.record.rows)
    lines = zip_longest(one.lines, other.lines)
    for (left, right), (a, b) in zip(pairs, lines, strict=True):
        together = together and _equal(left, right)
        result.append(
            Beside(
                a=a,
                b=b,
                a_lines=reply_words(left, protocol) if left else [],
                b_lines=reply_words(right, protocol) if right else [],
                same=together,
            )
        )
    return result


def _equal(row: ExchangeRow | None, right: ExchangeRow | None) -> bool:
    """Whether the same seat was put the same request and gave the same reply."""
    if row is None or right is None:
        return False
    return (row.seat, row.request, row.reply) == (right.seat, right.request, right.reply)


def _worlds(store: Store, a: Place, b: Place) -> tuple[bool, str]:
    """Whether two episodes were played in one world, and the same in words."""
    try:
        one, other = (_world(store, place) for place in (a, b))
    except BadInput as error:
        return False, f"whether they share a world cannot be told: {error.what}"
    if one == other:
        return True, "one world: the same case, the same patient, the same chance"
    if a.row and b.row and a.row.case_hash != b.row.case_hash:
        return False, "two worlds: they are of different cases"
    return False, "two worlds: the same case, but another seed, persona or repeat"


def _world(store: Store, place: Place) -> str:
    config, case, source = set_up(place.run, store, place.ordinal)
    return str(config.episode(place.ordinal, case, source).world)


def _refused(a: Place, b: Place, same_world: bool) -> list[str]:
    reasons = list(reasons_of_pair(a.run, b.run))
    reasons += [f"{place.name} has not ended yet" for place in (a, b) if not place.ended]
    if not same_world:
        reasons.append("they were not played in one world, so a difference may come from that alone")
    return reasons


def _scores(store: Store, a: Place, b: Place, protocol: Protocol, refused: bool) -> list[ScorePair]:
    measures = [one for one in protocol.measures if not one.traced]
    left, right = (_values(store, place, measures) for place in (a, b))
    scores = []
    for measure, one, other in zip(measures, left, right, strict=True):
        mine, theirs = plain_value(one), plain_value(other)
        if mine is None and theirs is None:
            continue
        gap = None if refused or mine is None or theirs is None else theirs - mine
        scores.append(
            ScorePair(
                name=measure.name,
                words=measure.words,
                kind=measure.kind,
                better=measure.better,
                a=mine,
                b=theirs,
                difference=gap,
            )
        )
    return scores


def _values(store: Store, place: Place, measures: Sequence[Measure]) -> Sequence[Value]:
    if not place.ended:
        return [None] * len(measures)
    return measured_one(place.run, store, place.ordinal, measures)
