"""Exchanges of an episode: the list, and one request as its seat saw it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import TypeAdapter, ValidationError

from osler.core.contract import OwnReply
from osler.core.protocol import Protocol
from osler.core.trace import ExchangeRow, InnerRow
from osler.errors import BadInput, NotAllowed
from osler.models.budget import cost_of
from osler.models.config import Config as Endpoints
from osler.models.types import COUNTS, Usage
from osler.runs.endpoints import ENDPOINTS
from osler.runs.prompts import Prompt, prompts_of
from osler.runs.rebuilt import FeedItem, RebuiltRequest, requests_of
from osler.runs.run import config_of, protocol_of
from osler.store.permissions import people_of
from osler.store.records import CallRow, RunInfo
from osler.web.evaluate.exchange_lines import act_of, exchange_lines, refused_in, reply_words
from osler.web.evaluate.run_words import cast_of
from osler.web.evaluate.trace_schemas import (
    Call,
    ExchangeDetail,
    ExchangeLine,
    InnerExchange,
    PromptMessage,
    Proof,
)
from osler.web.house import House, TheHouse
from osler.web.lookups import Ordinal, Place, RunCache, RunName, packed, unpacked
from osler.web.practise.feed import without_pictures
from osler.web.problems import NotFound
from osler.web.rights import needs
from osler.web.schemas import LogItem, Page
from osler.web.watch.log import Entry, View, id_of, recorded, seen
from osler.web.watch.seats import seats_of
from osler.web.watch.seeing import Looking

router = APIRouter()


@router.get("/episodes/{run}/{n}/exchanges", dependencies=[needs("watch")])
def exchanges(
    house: TheHouse,
    looking: Looking,
    run: RunName,
    n: Ordinal,
    cursor: Annotated[str, Query(max_length=200)] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 200,
) -> Page[ExchangeLine]:
    """The exchanges of an episode in order, without their texts; of an episode that a person still plays,
    only their own."""
    store, place = house.store, looking.episode(run, n)
    protocol, after = protocol_of(place.run), unpacked(cursor, int)[0] if cursor else 0
    views = looking.sight(place, seats_of(store, place, protocol)).views
    record = recorded(store, place.run.id, n)
    inner = store.recorded_inner(place.run.id, n)
    every = exchange_lines(record, inner, store.calls(place.run.id, n), protocol)
    result = [one for one in every if one.seat in views]
    page = [one for one in result if one.n > after][: limit + 1]
    more = packed(page[limit - 1].n) if len(page) > limit else None
    return Page(items=page[:limit], next=more, total=len(result))


@router.get("/episodes/{run}/{n}/exchanges/{k}", dependencies=[needs("watch")])
def exchange(
    house: TheHouse,
    looking: Looking,
    run: RunName,
    n: Ordinal,
    k: Annotated[int, Path(ge=1, le=1_000_000)],
) -> ExchangeDetail:
    """One exchange, with the request as its seat saw it."""
    store, place = house.store, looking.episode(run, n)
    result = looking.sight(place, seats_of(store, place, protocol_of(place.run)))
    row = next((one for one in store.recorded(place.run.id, n) if one.n == k), None)
    if row is None:
        raise NotFound(f"there is no exchange {k} yet", where=place.name)
    if row.seat not in result.views:
        raise NotAllowed(result.hidden, where=f"{place.name} {k}")
    return exchange_detail(house, place, k)


# One exchange: the request as its seat saw it, and the reply, with what a model was sent and how it answered


_CHANGED = "the episode was recorded by another version of Osler"


def exchange_detail(house: House, place: Place, k: int) -> ExchangeDetail:
    """One exchange of an episode. Raises NotFound. Whether its seat's eyes may be used is the caller's to
    decide."""
    store, run, protocol = house.store, place.run, protocol_of(place.run)
    rows = store.recorded(run.id, place.ordinal)
    row = next((one for one in rows if one.n == k), None)
    if row is None:
        raise NotFound(f"there is no exchange {k} in {place.name}", hint=f"it has {len(rows)}")
    request = next((one for one in _requests(house, place, len(rows)) if one.n == k), None)
    own = [one.n for one in rows if one.seat == row.seat]
    at = own.index(k)
    feed = _feed(request, place, protocol)
    entry = Entry((k, 0), feed[-1].minute if feed else 0, None, row.seat, row.reply)
    return ExchangeDetail(
        n=k,
        seat=row.seat,
        player=cast_of(run).get(protocol.role(row.seat).name, ""),
        act=act_of(row.reply),
        minute=entry.minute,
        view=_view(request, place),
        feed=feed,
        wanted=_wanted(request, protocol, row.reply),
        reply=_object(row.reply),
        lines=reply_words(row, protocol),
        refused=refused_in(row.attempts),
        calls=_calls(house, place, row),
        inner=[_inner(one) for one in store.recorded_inner(run.id, place.ordinal) if one.n == k],
        proof=_proof(request, row),
        previous=own[at - 1] if at else None,
        following=own[at + 1] if at + 1 < len(own) else None,
    )


def _requests(house: House, place: Place, length: int) -> Sequence[RebuiltRequest]:
    room: RunCache[Sequence[RebuiltRequest]] = house.rooms.setdefault("evaluate.requests", RunCache())
    config = config_of(place.run)

    def made() -> Sequence[RebuiltRequest]:
        source = None if place.ended or config.branch else house.source(config)
        return requests_of(place.run, house.store, place.ordinal, source)

    people = bool(people_of(house.store, place.run))
    return room.get((place.run.id, place.ordinal), (length, place.ended), made, people=people)


def _view(request: RebuiltRequest | None, place: Place) -> dict[str, Any]:
    """Return what the seat knew before the encounter; until the end without the figures that pictures are
    drawn from, which say what is to be seen on them."""
    if request is None or request.view is None:
        return {}
    whole = request.view.model_dump(mode="json")
    return whole if place.ended else without_pictures(whole, "")


def _proof(request: RebuiltRequest | None, row: ExchangeRow) -> Proof:
    if request is None:
        return Proof(proved=False, hash=row.request, why=_CHANGED)
    return Proof(proved=request.proved, hash=row.request, why=request.why)


def _feed(request: RebuiltRequest | None, place: Place, protocol: Protocol) -> list[LogItem]:
    if request is None:
        return []
    eyes = View(request.seat, request.seat)

    def picture(id_: str) -> str:
        return f"/api/episodes/{place.run.name}/{place.ordinal}/pictures/{id_}.png?view={request.seat}"

    result, minute = list[LogItem](), 0
    for one in request.feed:
        entry = _entry(one, request.seat, minute)
        minute = entry.minute
        item = seen(entry, eyes, protocol, picture)
        result += [item] if item is not None else []
    return result


def _entry(one: FeedItem, seat: str, minute: int) -> Entry:
    if isinstance(one.item, OwnReply):
        return Entry(id_of(one.id), minute, None, seat, one.item.reply.model_dump_json())
    return Entry(id_of(one.id), one.item.minute, one.item)


def _wanted(request: RebuiltRequest | None, protocol: Protocol, reply: str) -> dict[str, Any] | None:
    """The form of the reply: of the view's forms, the one that it has."""
    if request is None or request.view is None:
        return None
    for one in protocol.role(request.seat).contracts:
        adapter: TypeAdapter[Any] = one.reply
        if one.view is type(request.view) and _is_in_form(reply, adapter):
            return adapter.json_schema()
    return None


def _is_in_form(reply: str, form: TypeAdapter[Any]) -> bool:
    try:
        form.validate_json(reply)
    except ValidationError:
        return False
    return True


def _object(reply: str) -> dict[str, Any] | None:
    value = json.loads(reply)
    return value if isinstance(value, dict) else None


def _inner(row: InnerRow) -> InnerExchange:
    return InnerExchange(
        path=row.path,
        seat=row.seat,
        player=row.player,
        reply=json.loads(row.reply),
        attempts=refused_in(row.attempts),
    )


# What models were sent, and how they answered


def _calls(house: House, place: Place, row: ExchangeRow) -> list[Call]:
    recorded_calls = list(house.store.calls(place.run.id, place.ordinal))
    if not any(one.n == row.n for one in recorded_calls) and '"used"' not in row.attempts:
        return []
    try:
        endpoints = house.models.endpoints()
    except BadInput:
        endpoints = Endpoints()
    room: RunCache[Sequence[Prompt]] = house.rooms.setdefault("evaluate.prompts", RunCache())

    def made() -> Sequence[Prompt]:
        try:
            return prompts_of(place.run, house.store, place.ordinal)
        except BadInput:
            return ()

    people = bool(people_of(house.store, place.run))
    key = len(recorded_calls), place.ended
    prompts = room.get((place.run.id, place.ordinal), key, made, people=people)
    bodies = {(one.n, one.path, one.call): one for one in recorded_calls}
    before: dict[str, list[list[dict[str, Any]]]] = {}
    result = []
    for prompt in prompts:
        who = f"{prompt.seat} {prompt.role}"
        if prompt.n == row.n:
            body = bodies.get((prompt.n, prompt.path, prompt.call))
            result.append(_call(prompt, body, before.get(who, []), place.run, endpoints))
        if prompt.messages is not None:
            before.setdefault(who, []).append(prompt.messages)
    return result


def _call(
    prompt: Prompt,
    row: CallRow | None,
    before: Sequence[list[dict[str, Any]]],
    run: RunInfo,
    endpoints: Endpoints,
) -> Call:
    body: Mapping[str, Any] = row.body if row else {}
    name = str(body.get("endpoint", ""))
    record = run.manifest.get(ENDPOINTS, {}).get(name, {})
    endpoint = endpoints.endpoints.get(name)
    counts = {one: body.get(one) for one in COUNTS}
    cost = body.get("cost")
    if cost is None and endpoint is not None and body:
        cost = cost_of(Usage(**counts), endpoint)
    old = max((_shared(one, prompt.messages or []) for one in before), default=0)
    return Call(
        path=prompt.path,
        call=prompt.call,
        endpoint=name,
        model=str(body.get("model") or record.get("model", "")),
        host=str(record.get("host", "")),
        messages=None if prompt.messages is None else _messages(prompt.messages, old),
        proved=prompt.proved,
        reply=prompt.reply,
        reasoning=prompt.reasoning or "",
        outcome=prompt.outcome,
        prompt_tokens=counts["prompt_tokens"],
        completion_tokens=counts["completion_tokens"],
        cost=cost,
        seconds=body.get("latency_s"),
        tries=len(body.get("tries", ())) + 1,
    )


def _messages(messages: Sequence[dict[str, Any]], old: int) -> list[PromptMessage]:
    return [
        PromptMessage(
            role=str(one["role"]), text=str(one["text"]), new=at >= old, pictures=len(one.get("pictures", ()))
        )
        for at, one in enumerate(messages)
    ]


def _shared(one: Sequence[Any], other: Sequence[Any]) -> int:
    """The number of messages at the beginning that are the same."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
