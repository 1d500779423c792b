"""The log of an episode: each view holds what that seat was told and said, and nothing else."""

from __future__ import annotations

import asyncio
import json
import re
from itertools import pairwise
from typing import Any

import pytest

from osler.core.contract import OwnReply
from osler.core.registry import protocol_named
from osler.core.trace import AskedRow, Trace
from osler.errors import BadInput
from osler.players.casting import casting_of
from osler.runs import run as runs
from osler.runs.cached_source import InMemory
from osler.runs.rebuilt import requests_of
from osler.store.store import Store
from osler.testing.cases import canary_case
from osler.testing.players import Watching
from osler.web.house import House
from osler.web.schemas import LogItem
from osler.web.watch.log import Recorded, View, id_of, items, recorded, view_of
from tests.protocols.scenario.test_canary import canary
from tests.web.conftest import calling

PROTOCOLS = ("consultation", "ward_round", "scenario")
MARK = re.compile(r"zq-([a-z0-9-]+?)-qz", re.IGNORECASE)


def played(store: Store, protocol: str, **fields: Any) -> Any:
    config = protocol_named(protocol).config(**fields)
    source = runs.opened(config)
    run = runs.begin(config, store, source=source)
    return runs.play(run, store, source=source).run


def text_of(found: list[LogItem]) -> str:
    return "\n".join(item.model_dump_json() for item in found)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("limit", [2, pytest.param(None, marks=pytest.mark.slow)])
def test_a_seats_view_is_what_its_requests_held_and_nothing_else(
    store: Store, protocol: str, limit: int | None
) -> None:
    run = played(store, protocol, limit=limit)
    plays = protocol_named(protocol)
    for row in store.episodes(run.id):
        record = recorded(store, run.id, row.ordinal)
        requests = requests_of(run, store, row.ordinal)
        for seat in {one.seat for one in requests}:
            view = items(record, view_of(plays, seat), plays)
            for one in requests:
                if one.seat == seat:
                    before = {item.id: item for item in view if item.n < one.n}
                    assert set(before) == {id_ for id_, _ in one.feed}
                    for id_, item in one.feed:
                        if isinstance(item, OwnReply):
                            assert before[id_].reply == json.loads(item.reply.model_dump_json())
                        else:
                            event, told = before[id_].event or {}, json.loads(item.model_dump_json())
                            assert {**event, **told, "picture": 0} == {**event, "picture": 0}
                        assert before[id_].seat == (seat if isinstance(item, OwnReply) else "")
            assert all(item.seat == seat or seat in (item.event or {})["to"] for item in view)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_stands_in_the_room_was_open_and_everything_stands_in_all(store: Store, protocol: str) -> None:
    run = played(store, protocol, limit=2)
    plays = protocol_named(protocol)
    for row in store.episodes(run.id):
        record = recorded(store, run.id, row.ordinal)
        room, everything = (items(record, View(name), plays) for name in ("room", "all"))
        assert all(line.public for item in room for line in item.lines)
        for item in room:
            assert item.reply is None
            assert item.lines or item.event
            assert set(item.event or {}) <= {"kind", "finding_kind", "visit"}
        trace = store.trace(run.id, row.ordinal)
        assert len(everything) == len(trace.events) + len(trace.rows)
        assert [item.id for item in everything] == sorted((item.id for item in everything), key=id_of)
        assert {item.id for item in room} <= {item.id for item in everything}
        assert everything[-1].mark == "end"
        assert all(before.minute <= after.minute for before, after in pairwise(everything))


def watched_play(protocol: str, case: Any) -> tuple[Trace, dict[str, Any]]:
    """An episode on a case in which every hidden text carries a mark, with a look over every shoulder."""
    config = protocol_named(protocol).config()
    case = config.ready(case)
    episode = config.episode(0, case, InMemory("canary", [case], "canary"))
    players: dict[str, Any] = casting_of(config).cast(case)
    cast = {seat: Watching(player) for seat, player in players.items()}
    return asyncio.run(episode.play(cast)), cast


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_marks_planted_in_hidden_fields_reach_no_view_before_its_seat_was_told(protocol: str) -> None:
    trace, cast = watched_play(protocol, canary() if protocol == "scenario" else canary_case())
    plays, record = protocol_named(protocol), Recorded(trace.rows)
    shown: dict[str, set[str]] = {}
    for seat, player in cast.items():
        told = [record for request in player.seen for record in request.feed]
        whole = "\n".join((one.reply if isinstance(one, OwnReply) else one).model_dump_json() for one in told)
        own = "\n".join(row.reply for row in trace.rows if row.seat == seat)
        shown[seat] = set(MARK.findall(whole + own))
        view = items(record, view_of(plays, seat), plays)
        last = max((row.n for row in trace.rows if row.seat == seat), default=0)
        assert set(MARK.findall(text_of([item for item in view if item.n <= last]))) <= shown[seat]
    everything = set(MARK.findall(text_of(items(record, View("all"), plays))))
    assert everything, "the test can see what it looks for"
    assert set(MARK.findall(text_of(items(record, View("room"), plays)))) <= everything


def test_a_view_ends_before_the_first_reply_that_is_awaited() -> None:
    trace, _ = watched_play("consultation", canary_case())
    plays = protocol_named("consultation")
    whole = items(Recorded(trace.rows), View("all"), plays)
    waiting = AskedRow(*trace.rows[4][:4])
    part = items(Recorded([*trace.rows[:4], trace.rows[5]], [waiting]), View("all"), plays)
    assert part == [item for item in whole if id_of(item.id) < (5, 0)]
    assert items(Recorded(trace.rows), View("all"), plays, after=id_of(part[-1].id)) == whole[len(part) :]


def test_views_are_named_after_seats_and_the_seat_under_test_is_the_doctor() -> None:
    scenario, rounds = protocol_named("scenario"), protocol_named("ward_round")
    assert view_of(scenario, "doctor") == view_of(scenario, "examinee") == View("examinee", "examinee")
    assert view_of(rounds, "student_2").seat == "student_2"
    with pytest.raises(BadInput, match="no seat 'nobody'"):
        view_of(rounds, "nobody")
    for bad in ("1", "1.2.3", "a.b", "-1.0", "1." + "9" * 30):
        with pytest.raises(BadInput, match="not the id"):
            id_of(bad)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_log_is_read_over_http_from_any_place(house: House, protocol: str) -> None:
    run = played(house.store, protocol, limit=1)

    async def read() -> None:
        async with calling(house) as client:
            address = f"/api/episodes/{run.name}/0/log"
            whole = (await client.get(address)).json()
            assert whole["ended"] is True
            assert whole["items"][-1]["id"] == whole["last"]
            middle = whole["items"][3]["id"]
            rest = (await client.get(address, params={"after": middle})).json()
            assert rest["items"] == whole["items"][4:]
            assert any(line["kind"] == "said" for item in whole["items"] for line in item["lines"])
            for bad in ({"view": "nobody"}, {"after": "x"}):
                assert (await client.get(address, params=bad)).status_code in (400, 404)
            assert (await client.get(f"/api/episodes/{run.name}/7/log")).status_code in (400, 404)

    asyncio.run(read())


def test_a_conclusion_stands_in_the_room_and_a_seats_own_acts_have_marks() -> None:
    trace, _ = watched_play("consultation", canary_case())
    plays, record = protocol_named("consultation"), Recorded(trace.rows, tail=trace.outcome.tail)
    views = View("doctor", "doctor"), View("room"), View("all")
    own, room, everything = (items(record, view, plays) for view in views)
    concluded = [item for item in own if any(line.kind == "concludes" for line in item.lines)]
    assert [item.mark for item in concluded] == ["end"]
    for view in (room, everything):
        (found,) = (item for item in view if item.id == concluded[0].id)
        assert found.lines[0].kind == "concludes"
    ordered = [item.mark for item in own if item.reply and item.reply["action"] == "REQUEST_TEST"]
    assert set(ordered) == {"order"}
    assert sum(item.mark == "end" for item in everything) == 1


def test_pictures_have_an_address_and_refusals_and_orders_a_mark() -> None:
    trace, _ = watched_play("consultation", canary_case())
    plays = protocol_named("consultation")
    found = items(Recorded(trace.rows, tail=trace.outcome.tail), View("all"), plays, lambda id_: f"/p/{id_}")
    marks = {item.event["kind"]: item.mark for item in found if item.event}
    assert marks["order"] == "order"
    assert marks["released"] == "evidence"
    assert marks["ended"] == "end"
    assert marks["said"] is None
    assert all((item.picture != "") == bool(item.event and item.event.get("picture")) for item in found)
