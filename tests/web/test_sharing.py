"""A shared server: links let in, until a date, and nobody else has any right."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa

from osler.store.schema import passes
from osler.store.store import open_store
from osler.web.door import IN_PROCESS, door
from osler.web.house import House
from osler.web.limits import CHANGES, ENTRIES, MOVES, Paces, Streams
from osler.web.rights import ALL
from tests.web.conftest import HERE, ask, calling

OURS = {"origin": HERE}


def enter(house: House, token: str, **headers: str) -> httpx.Response:
    return ask(house, "POST", "/api/enter", json={"token": token}, headers=OURS | headers)


def cookie_of(told: httpx.Response) -> dict[str, str]:
    return {"cookie": told.headers["set-cookie"].partition(";")[0]}


def rights_with(house: House, headers: dict[str, str]) -> list[str]:
    found: list[str] = ask(house, "GET", "/api/me", headers=headers).json()["rights"]
    return found


def test_who_has_not_come_in_has_no_right_but_sees_the_pages(shared: House) -> None:
    told = ask(shared, "GET", "/api/me")
    assert (told.json()["rights"], told.json()["shared"]) == ([], True)
    assert ask(shared, "GET", "/api/runs").status_code == 403
    page = ask(shared, "GET", "/")
    assert page.status_code == 200
    assert "set-cookie" not in page.headers


def test_a_link_gives_a_cookie_with_its_rights(shared: House) -> None:
    teacher, watcher = shared.visitors.link(ALL), shared.visitors.link({"watch"})
    told = enter(shared, teacher)
    assert told.json()["rights"] == sorted(ALL)
    assert rights_with(shared, cookie_of(told)) == sorted(ALL)
    assert rights_with(shared, cookie_of(enter(shared, watcher))) == ["watch"]


@pytest.mark.parametrize("token", ["x", "x" * 64, "é", "../../etc/passwd", "' OR 1=1 --"])
def test_a_wrong_token_lets_nobody_in(shared: House, token: str) -> None:
    shared.visitors.link(ALL)
    told = enter(shared, token)
    assert told.status_code == 403
    assert "set-cookie" not in told.headers


def test_a_token_is_no_cookie_and_a_cookie_is_no_token(shared: House) -> None:
    token = shared.visitors.link(ALL)
    assert rights_with(shared, {"cookie": f"osler={token}"}) == []
    secret = cookie_of(enter(shared, token))["cookie"].partition("=")[2]
    assert enter(shared, secret).status_code == 403


def test_the_address_keeps_the_token_from_servers_and_their_logs(shared: House) -> None:
    token = shared.visitors.link(ALL)
    assert rights_with(shared, {}) == []
    told = ask(shared, "GET", f"/api/me?token={token}")
    assert told.json()["rights"] == [], "only the body of POST /api/enter takes it"


def test_after_the_date_nothing_works(shared: House) -> None:
    token = shared.visitors.link(ALL)
    cookie = cookie_of(enter(shared, token))
    shared.__dict__.pop("visitors")
    shared.door = shared.door._replace(until=time.time() - 1)
    assert rights_with(shared, cookie) == []
    told = enter(shared, token)
    assert (told.status_code, "set-cookie" in told.headers) == (403, False)


def test_a_pass_ends_when_its_own_date_is_over_though_the_server_is_shared_again(shared: House) -> None:
    token = shared.visitors.link(ALL)
    cookie = cookie_of(enter(shared, token))
    shared.__dict__.pop("visitors")  # as after a restart
    with shared.store._writing() as connection:
        connection.execute(sa.update(passes).values(until=time.time() - 1))
    assert rights_with(shared, cookie) == []
    assert enter(shared, token).status_code == 403


def test_a_visitor_and_a_link_outlive_the_server(tmp_path: Path) -> None:
    here = IN_PROCESS._replace(until=time.time() + 3600)
    with open_store(tmp_path / "osler.db") as store:
        before = House(store, door=here)
        token = before.visitors.link({"watch"})
        cookie = cookie_of(enter(before, token))
    with open_store(tmp_path / "osler.db") as store:
        after = House(store, door=here)
        assert rights_with(after, cookie) == ["watch"]
        assert enter(after, token).status_code == 200


def test_rights_add_up_and_the_visitor_stays_the_same(shared: House) -> None:
    first = enter(shared, shared.visitors.link({"learn"}))
    again = enter(shared, shared.visitors.link({"watch"}), **cookie_of(first))
    assert again.json()["rights"] == ["learn", "watch"]
    assert rights_with(shared, cookie_of(again)) == ["learn", "watch"]
    assert rights_with(shared, cookie_of(first)) == [], "rights grew: there is a new secret"


def test_an_unshared_servers_cookies_open_nothing_once_it_is_shared(tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store:
        cookie = cookie_of(ask(House(store), "GET", "/"))
        assert rights_with(House(store), cookie) == sorted(ALL)
        shared = House(store, door=IN_PROCESS._replace(until=time.time() + 3600))
        assert rights_with(shared, cookie) == []


def test_two_browsers_on_ones_own_machine_are_two_visitors(house: House) -> None:
    one, other = (cookie_of(ask(house, "GET", "/")) for _ in range(2))
    names = {house.visitors.who(each["cookie"].partition("=")[2]).id for each in (one, other)}
    assert len(names) == 2
    assert "set-cookie" not in ask(house, "GET", "/", headers=one).headers


def test_a_cookie_that_came_by_tls_never_leaves_without(shared: House) -> None:
    shared.door = door(80, ["osler.example"], until=shared.door.until)
    token = shared.visitors.link({"watch"})
    headers = {"host": "osler.example", "origin": "https://osler.example"}
    told = ask(shared, "POST", "/api/enter", json={"token": token}, headers=headers)
    assert told.headers["set-cookie"].endswith("; Secure")
    assert not enter(shared, token).headers["set-cookie"].endswith("; Secure")


def test_a_shared_server_slows_down_who_is_too_fast(shared: House) -> None:
    async def tried() -> list[httpx.Response]:
        async with calling(shared) as client:
            asked = ["wrong"] * (2 * ENTRIES.burst)
            return [await client.post("/api/enter", json={"token": one}, headers=OURS) for one in asked]

    told = asyncio.run(tried())
    assert {one.status_code for one in told[: ENTRIES.burst]} == {403}
    slowed = [one for one in told if one.status_code == 429]
    assert slowed, "as many again took less than forty seconds"
    assert {one.headers["retry-after"] for one in slowed} == {"1"}
    assert "wait 1 s" in slowed[0].json()["mend"]


def test_moves_flow_at_one_a_second_after_a_small_burst() -> None:
    now = [0.0]
    paces = Paces(MOVES, clock=lambda: now[0])
    assert [paces.wait("ann") for _ in range(MOVES.burst + 1)] == [0] * MOVES.burst + [1]
    assert paces.wait("ben") == 0, "one visitor is not slowed by another"
    now[0] = 1.0
    assert [paces.wait("ann"), paces.wait("ann")] == [0, 1]
    now[0] = 1000.0
    assert [paces.wait("ann") for _ in range(MOVES.burst + 1)][-2:] == [0, 1], "nothing is saved up"
    assert CHANGES.a_second > MOVES.a_second


def test_visitors_who_left_are_not_remembered_for_ever() -> None:
    now = [0.0]
    paces = Paces(MOVES, clock=lambda: now[0])
    for n in range(30_000):
        now[0] += 1
        paces.wait(str(n))
    assert len(paces._left) < 11_000


def test_streams_are_counted_while_they_are_open() -> None:
    streams = Streams()
    with streams.one_more("ann"), streams.one_more("ann"), streams.one_more("ben"):
        assert (streams.of("ann"), streams.all) == (2, 3)
    assert (streams.of("ann"), streams.all) == (0, 0)
