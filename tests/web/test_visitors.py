"""Who is who on a shared server: secrets that are renewed, rights by their source, revoking, signing out."""

from __future__ import annotations

import asyncio
import io
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest
import segno
import sqlalchemy as sa

from osler.store.passes import Passes
from osler.store.rooms import Rooms
from osler.store.schema import passes
from osler.store.store import open_store
from osler.web.door import IN_PROCESS, Door, door
from osler.web.house import House
from osler.web.rights import ALL, LOCAL, STRANGER, Right
from osler.web.visitors import COOKIE, HOST_COOKIE
from tests.web.conftest import HERE, ask, calling
from tests.web.teaching import Hall, hall

BY_TLS = "https://127.0.0.1"
PROXIED = {"host": "osler.example", "origin": "https://osler.example"}


def enters(house: House, token: str, cookie: str = "", **headers: str) -> httpx.Response:
    sent = {"origin": HERE, "cookie": cookie, **headers}
    return ask(house, "POST", "/api/enter", json={"token": token}, headers=sent)


def comes_in(house: House, *rights: Right, cookie: str = "") -> str:
    """The cookie of a visitor who has opened a link with these rights."""
    return cookie_of(enters(house, house.visitors.link(rights), cookie))


def cookie_of(answer: httpx.Response) -> str:
    assert answer.status_code == 200, answer.text
    return answer.headers["set-cookie"].partition(";")[0]


def rights(house: House, cookie: str) -> list[str]:
    found: list[str] = ask(house, "GET", "/api/me", headers={"cookie": cookie}).json()["rights"]
    return found


def id_of(house: House, cookie: str) -> str:
    return house.visitors.who(cookie.partition("=")[2]).id


def revoke_link(house: House, cookie: str) -> None:
    """Revoke the link by which the visitor with this cookie came, as another process does."""
    kept = Passes(house.store)
    kept.revoke_link(next(one.link for one in kept.valid() if one.visitor == id_of(house, cookie)))


# A new secret whenever rights grow


def test_a_copy_of_the_cookie_from_before_rights_grew_is_a_strangers(shared: House) -> None:
    before = comes_in(shared, "learn")
    visitor = id_of(shared, before)
    after = comes_in(shared, *ALL, cookie=before)
    assert rights(shared, before) == []
    assert shared.visitors.who(before.partition("=")[2]) == STRANGER
    assert rights(shared, after) == sorted(ALL)
    assert id_of(shared, after) == visitor != ""


def test_nothing_is_set_where_rights_do_not_grow(shared: House) -> None:
    token = shared.visitors.link(ALL)
    cookie = cookie_of(enters(shared, token))
    for again in (token, shared.visitors.link(ALL), shared.visitors.link({"watch"})):
        answer = enters(shared, again, cookie)
        assert answer.json()["rights"] == sorted(ALL)
        assert "set-cookie" not in answer.headers
    assert rights(shared, cookie) == sorted(ALL)


def test_joining_a_room_renews_the_secret_and_keeps_what_one_has(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, watcher = await found.teacher(), await found.stranger()
        room, other = await teacher.opens(), await teacher.opens()
        await watcher.post("/enter", {"token": found.house.visitors.link({"watch"})})
        before = watcher.client.cookies[COOKIE]
        await watcher.joins(room, "Ada")
        after = watcher.client.cookies[COOKIE]
        assert after != before
        assert found.house.visitors.who(before) == STRANGER
        assert (await watcher.get("/me"))["rights"] == ["learn", "watch"]
        await watcher.joins(other, "Ada")
        await watcher.joins(room, "Ada again")
        assert watcher.client.cookies[COOKIE] == after
        assert (await watcher.get(f"/join/{room['code']}"))["joined"]["pseudonym"] == "Ada again"

    run(house, story)


def test_a_teacher_keeps_the_rooms_when_the_secret_changes(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher = await found.stranger()
        await teacher.post("/enter", {"token": found.house.visitors.link({"teach"})})
        room = await teacher.opens()
        await teacher.post("/enter", {"token": found.house.visitors.link(ALL)})
        assert [one["id"] for one in await teacher.get("/rooms")] == [room["id"]]

    run(house, story)


def test_a_refused_joining_leaves_the_cookie_as_it_was(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, watcher = await found.teacher(), await found.stranger()
        room = await teacher.opens()
        await watcher.post("/enter", {"token": found.house.visitors.link({"watch"})})
        await watcher.post(f"/join/{room['code']}", {"pseudonym": "\u202e", "uses": []}, 400)
        await teacher.patch(f"/rooms/{room['id']}", {"open": False})
        await watcher.post(f"/join/{room['code']}", {"pseudonym": "Ada", "uses": []}, 400)
        assert (await watcher.get("/me"))["rights"] == ["watch"]

    run(house, story)


# Rights are those of what is still valid


def test_a_revoked_link_takes_the_rights_of_all_who_came_by_it_at_once(shared: House) -> None:
    token = shared.visitors.link(ALL)
    one, other = (cookie_of(enters(shared, token)) for _ in range(2))
    apart = comes_in(shared, *ALL)
    assert rights(shared, one) == rights(shared, other) == sorted(ALL)
    revoke_link(shared, one)
    assert rights(shared, one) == rights(shared, other) == []
    assert rights(shared, apart) == sorted(ALL)
    assert enters(shared, token).status_code == 403


def test_what_came_by_another_link_or_a_room_stays(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, learner = await found.teacher(), await found.stranger()
        room = await teacher.opens()
        await learner.post("/enter", {"token": found.house.visitors.link({"learn", "watch"})})
        await learner.joins(room, "Ada")
        await asyncio.to_thread(revoke_link, found.house, f"{COOKIE}={learner.client.cookies[COOKIE]}")
        assert (await learner.get("/me"))["rights"] == ["learn"]
        await learner.sits(room)

    run(house, story)


def test_a_teacher_whose_link_was_revoked_has_the_rooms_back_by_another(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher = await found.teacher()
        room = await teacher.opens()
        before = teacher.client.cookies[COOKIE]
        await asyncio.to_thread(revoke_link, found.house, f"{COOKIE}={before}")
        await teacher.get("/rooms", 403)
        await teacher.post("/enter", {"token": found.house.visitors.link(ALL)})
        assert [one["id"] for one in await teacher.get("/rooms")] == [room["id"]]
        assert found.house.visitors.who(before) == STRANGER

    run(house, story)


def test_a_revoked_visitor_is_a_stranger_whose_rooms_are_closed(house: House) -> None:
    async def story(found: Hall) -> None:
        teacher, other = await found.teacher(), await found.teacher()
        room, kept = await teacher.opens(), await other.opens()
        secret = teacher.client.cookies[COOKIE]
        asking = found.house.visitors.who(secret)
        await asyncio.to_thread(Passes(found.house.store).revoke_visitor, asking.id)
        assert found.house.visitors.who(secret) == STRANGER == found.house.visitors.now(asking)
        assert (await teacher.get("/me"))["rights"] == []
        learner = await found.stranger()
        told = await learner.post(f"/join/{room['code']}", {"pseudonym": "Ada", "uses": []}, 400)
        assert told["what"] == "this room is closed"
        await learner.joins(kept, "Ada")

    run(house, story)


def test_rights_by_an_earlier_link_end_with_it(shared: House) -> None:
    ends = shared.door.until
    assert ends is not None
    token = shared.visitors.link(ALL)
    longer = House(shared.store, door=shared.door._replace(until=ends + 3600))
    visitor = id_of(longer, cookie_of(enters(longer, token)))
    assert [one.until for one in Passes(shared.store).valid() if one.visitor == visitor] == [ends]


def test_the_rights_of_this_moment_are_told_to_those_who_hold_a_stream_open(shared: House) -> None:
    cookie = comes_in(shared, "watch")
    asking = shared.visitors.who(cookie.partition("=")[2])
    assert shared.visitors.now(asking) == asking
    comes_in(shared, "learn", cookie=cookie)
    assert shared.visitors.now(asking).rights == {"learn", "watch"}
    Passes(shared.store).end(asking.id)
    assert shared.visitors.now(asking) == STRANGER
    assert shared.visitors.now(STRANGER) == STRANGER


def test_nobody_has_a_right_once_the_door_is_shut(shared: House) -> None:
    asking = shared.visitors.who(comes_in(shared, *ALL).partition("=")[2])
    after = House(shared.store, door=shared.door._replace(until=time.time() - 1))
    assert after.visitors.now(asking) == STRANGER


def test_on_ones_own_machine_rights_stay_as_they_are(house: House) -> None:
    for asking in (LOCAL, house.visitors.who("x" * 24)):
        assert house.visitors.now(asking) == asking
        assert asking.rights == ALL


def test_a_visitor_of_a_shared_server_is_the_same_one_on_ones_own_machine(tmp_path: Path) -> None:
    with open_store(tmp_path / "osler.db") as store:
        shared = House(store, door=IN_PROCESS._replace(until=time.time() + 3600))
        cookie = comes_in(shared, "watch", cookie=comes_in(shared, "learn"))
        visitor = id_of(shared, cookie)
        assert id_of(House(store), cookie) == visitor
        with store.writing() as connection:
            connection.execute(sa.update(passes).values(until=time.time() - 1))
        assert rights(shared, cookie) == []
        assert id_of(House(store), cookie) == visitor


# Signing out


def test_signing_out_removes_the_cookie_and_makes_copies_of_it_worthless(shared: House) -> None:
    cookie, other = comes_in(shared, *ALL), comes_in(shared, *ALL)
    answer = ask(shared, "POST", "/api/sign-out", headers={"origin": HERE, "cookie": cookie})
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["set-cookie"].startswith(f'{COOKIE}=""; ')
    assert "Max-Age=0" in answer.headers["set-cookie"]
    assert rights(shared, cookie) == []
    assert rights(shared, other) == sorted(ALL)


def test_a_stranger_and_the_owner_may_sign_out_too(shared: House, tmp_path: Path) -> None:
    assert ask(shared, "POST", "/api/sign-out", headers={"origin": HERE}).status_code == 204
    with open_store(tmp_path / "own.db") as store:
        answer = ask(House(store), "POST", "/api/sign-out", headers={"origin": HERE, "cookie": f"{COOKIE}=x"})
    assert answer.status_code == 204
    assert "Max-Age=0" in answer.headers["set-cookie"]


def test_a_page_of_somebody_else_signs_nobody_out(shared: House) -> None:
    cookie = comes_in(shared, "watch")
    away = {"origin": "https://evil.example", "cookie": cookie}
    assert ask(shared, "POST", "/api/sign-out", headers=away).status_code == 403
    assert rights(shared, cookie) == ["watch"]


# Cookies under TLS


def by_tls(house: House, method: str, path: str, cookie: str, body: object = None) -> httpx.Response:
    """The answer of a server that speaks TLS itself."""

    async def asked() -> httpx.Response:
        async with calling(house) as client:
            client.base_url = httpx.URL(BY_TLS)
            headers = {"origin": BY_TLS, "cookie": cookie}
            return await client.request(method, path, json=body, headers=headers)

    return asyncio.run(asked())


def secured(house: House) -> House:
    house.door = door(443, tls=True, until=time.time() + 3600)
    return house


def test_under_tls_the_cookie_is_bound_to_its_host(house: House) -> None:
    secured(house)
    token = house.visitors.link({"watch"})
    answer = by_tls(house, "POST", "/api/enter", "", {"token": token})
    (set_cookie,) = answer.headers.get_list("set-cookie")
    assert set_cookie.startswith(f"{HOST_COOKIE}=")
    assert set_cookie.endswith("; Secure")
    assert "; Path=/;" in set_cookie
    assert "domain" not in set_cookie.lower()
    cookie = cookie_of(answer)
    assert by_tls(house, "GET", "/api/me", cookie).json()["rights"] == ["watch"]
    plain = cookie.removeprefix("__Host-")
    assert by_tls(house, "GET", "/api/me", plain).json()["rights"] == [], "anybody may have planted it"


def test_behind_a_proxy_the_cookie_is_bound_to_its_host_and_an_earlier_one_still_read(house: House) -> None:
    house.door = door(8321, ["osler.example"], host="127.0.0.1", until=time.time() + 3600)
    cookie = cookie_of(enters(house, house.visitors.link({"watch"}), **PROXIED))
    assert cookie.startswith(f"{HOST_COOKIE}=")
    plain = cookie.removeprefix("__Host-")
    for sent, has in ((cookie, ["watch"]), (plain, ["watch"]), (f"{plain}; {HOST_COOKIE}=other", [])):
        told = ask(house, "GET", "/api/me", headers={"host": "osler.example", "cookie": sent})
        assert told.json()["rights"] == has, sent
    answer = enters(house, house.visitors.link({"learn"}), plain, **PROXIED)
    new, removed = answer.headers.get_list("set-cookie")
    assert new.startswith(f"{HOST_COOKIE}=")
    assert removed.startswith(f"{COOKIE}=; Max-Age=0; ")
    out = ask(house, "POST", "/api/sign-out", headers={**PROXIED, "cookie": cookie_of(answer)})
    assert out.headers["set-cookie"].startswith(f'{HOST_COOKIE}=""; ')


def test_a_link_on_another_site_replaces_no_cookie(house: House) -> None:
    assert "set-cookie" not in ask(house, "GET", "/", headers={"sec-fetch-site": "cross-site"}).headers
    for site in ("none", "same-origin"):
        assert "set-cookie" in ask(house, "GET", "/", headers={"sec-fetch-site": site}).headers


# The link of a room


@pytest.mark.parametrize(
    ("at", "host", "address"),
    [
        (door(80, until=9e9), "127.0.0.1", "http://127.0.0.1"),
        (door(443, tls=True, until=9e9), "localhost", "https://localhost"),
        (door(8321, ["o.example"], host="127.0.0.1", until=9e9), "o.example", "https://o.example"),
        (door(8321, ["o.example"], host="127.0.0.1", until=9e9), "127.0.0.1:8321", "http://127.0.0.1:8321"),
        (door(8321, ["o.example:8443"], host="::1", until=9e9), "O.example:8443", "https://O.example:8443"),
        (door(80, ["o.example"], host="0.0.0.0", until=9e9), "o.example", "http://o.example"),
    ],
)
def test_a_qr_code_leads_to_where_the_teachers_browser_is(
    house: House, at: Door, host: str, address: str
) -> None:
    house.door = at
    scheme = address.partition(":")[0]
    headers = {"host": host, "origin": f"{scheme}://{host.lower()}"}

    async def drawn() -> tuple[str, str]:
        async with calling(house) as client:
            client.headers.update(headers)
            given = await client.post("/api/enter", json={"token": house.visitors.link(ALL)})
            client.headers["cookie"] = cookie_of(given)
            plan = {"name": "Monday", "cases": [{"case": "cardiology-01"}]}
            room = (await client.post("/api/rooms", json=plan)).json()
            kept = Rooms(house.store).room(room["id"])
            assert kept
            return kept.code, (await client.get(f"/api/rooms/{room['id']}/qr.svg")).text

    code, svg = asyncio.run(drawn())
    wanted = io.BytesIO()
    segno.make(f"{address}/join/{code}", error="m").save(
        wanted, kind="svg", scale=8, border=4, dark="#000", light="#fff"
    )
    assert svg == wanted.getvalue().decode()


def run(house: House, story: Callable[[Hall], Awaitable[None]]) -> None:
    """Tell a story among the people of a shared house."""

    async def told() -> None:
        async with hall(house) as found:
            await story(found)

    asyncio.run(told())
