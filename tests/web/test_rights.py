"""Who may do what: every route with every right, and a new route must be entered here."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import httpx
import pytest
import sqlalchemy as sa
from fastapi import Response
from fastapi.routing import APIRoute

from osler.store.schema import metadata
from osler.store.store import Store
from osler.web.app import application
from osler.web.house import House
from osler.web.rights import ALL, STRANGER, Right
from osler.web.visitors import COOKIE
from tests.web.conftest import HERE, calling

NEEDED: Final[Mapping[Right | None, tuple[str, ...]]] = {
    None: (  # whoever has not come in yet, too
        "GET /api/me",
        "POST /api/enter",
        "GET /api/join/{code}",  # the code is the way in
        "POST /api/join/{code}",
        "GET /api/stream",  # each topic asks for its own right
    ),
    "learn": (
        "GET /api/orderables",
        "DELETE /api/sittings/{id}",
        "PUT /api/sittings/{id}/permission",
        "POST /api/rooms/{room}/leave",
        "POST /api/rooms/{room}/sittings",
        "GET /api/shelf",
        "GET /api/sittings/{id}",
        "GET /api/sittings/{id}/debrief",
        "GET /api/sittings/{id}/pictures/{item}.png",
        "POST /api/sittings",
        "POST /api/sittings/resume",
        "POST /api/sittings/{id}/again",
        "POST /api/sittings/{id}/contests",
        "POST /api/sittings/{id}/leave",
        "POST /api/sittings/{id}/moves",
        "POST /api/sittings/{id}/moves/check",
        "POST /api/sittings/{id}/readings",
        "POST /api/sittings/{id}/resume",
        "DELETE /api/rooms/{room}/seat",
        "GET /api/rooms/{room}/groups",
        "GET /api/rooms/{room}/groups/{group}/assess",
        "GET /api/rooms/{room}/groups/{group}/follow",
        "GET /api/sittings/{id}/questions",
        "POST /api/rooms/{room}/seat",
        "POST /api/sittings/{id}/hand-back",
        "PUT /api/sittings/{id}/questions",
    ),
    "teach": (
        "GET /api/rooms",
        "GET /api/rooms/models",
        "GET /api/rooms/{room}",
        "GET /api/rooms/{room}/answers",
        "GET /api/rooms/{room}/answers.csv",
        "GET /api/rooms/{room}/assess/{sitting}",
        "GET /api/rooms/{room}/contests",
        "GET /api/rooms/{room}/qr.svg",
        "GET /api/rooms/{room}/read/{sitting}",
        "GET /api/rooms/{room}/results",
        "GET /api/rooms/{room}/results.csv",
        "GET /api/rooms/{room}/sheet/{sitting}",
        "GET /api/rooms/{room}/show/{sitting}",
        "GET /api/rooms/{room}/state",
        "PATCH /api/rooms/{room}",
        "POST /api/rooms",
        "POST /api/rooms/try",
        "POST /api/rooms/{room}/contests",
        "POST /api/rooms/{room}/groups/{group}/begin",
        "POST /api/rooms/{room}/hand-back/{sitting}",
        "POST /api/rooms/{room}/hold",
        "POST /api/rooms/{room}/learners/{learner}/again",
        "POST /api/rooms/{room}/models/{sitting}",
        "POST /api/rooms/{room}/release",
        "PUT /api/rooms/{room}/learners/{learner}/assesses",
        "PUT /api/rooms/{room}/learners/{learner}/extra",
        "PUT /api/rooms/{room}/sheet/{sitting}",
    ),
    "watch": (
        "GET /api/examples",
        "GET /api/compare",
        "GET /api/desks",
        "GET /api/desks/{key}",
        "GET /api/episodes/{run}/{n}",
        "GET /api/episodes/{run}/{n}/choreography",
        "GET /api/episodes/{run}/{n}/exchanges",
        "GET /api/episodes/{run}/{n}/exchanges/{k}",
        "GET /api/episodes/{run}/{n}/log",
        "GET /api/episodes/{run}/{n}/pictures/{item}.png",
        "GET /api/episodes/{run}/{n}/player.html",
        "GET /api/plan",
        "GET /api/reports/{run}.html",
        "GET /api/runs",
        "GET /api/runs/{run}",
        "GET /api/runs/{run}/floors",
        "GET /api/runs/{run}/floors/{floor}",
        "GET /api/runs/{run}/episodes",
        "GET /api/runs/{run}/facets",
        "GET /api/runs/{run}/figures",
    ),
    "run": (
        "POST /api/branches",
        "POST /api/models/turn",
        "POST /api/runs",
        "POST /api/runs/plan",
        "POST /api/runs/{run}/pause",
        "POST /api/runs/{run}/resume",
        "GET /api/start",
    ),
}
"""The routes that each right opens."""
UNTYPED: Final = ["GET /api/stream"]
"""Routes that send no JSON to be typed, and are left out of the contract."""
REFUSED: Final = "this needs the right to"


def test_every_route_is_in_the_table(house: House) -> None:
    app = application(house)
    there = [f"{verb.upper()} {path}" for path, verbs in app.openapi()["paths"].items() for verb in verbs]
    assert sorted(there + UNTYPED) == sorted(one for each in NEEDED.values() for one in each)
    assert len(there + UNTYPED) == len(list(routes(app))), "a route is left out of the contract"


def routes(app: Any) -> Iterator[APIRoute]:
    """Every route of the application, those of routers inside routers too."""
    for each in app.routes:
        if isinstance(each, APIRoute):
            yield each
        elif inner := getattr(each, "original_router", None):
            yield from routes(inner)


@pytest.mark.parametrize("has", [None, *sorted(ALL)])
def test_a_right_opens_its_routes_and_no_others(shared: House, has: Right | None) -> None:
    cookie = come_in(shared, {has} if has else set())

    async def opened() -> set[str]:
        found = set()
        async with calling(shared) as client:
            client.headers.update({"origin": HERE} | cookie)
            for its in NEEDED.values():
                for route in its:
                    if not await refused(client, route):
                        found.add(route)
        return found

    assert asyncio.run(opened()) == {*NEEDED[None], *(NEEDED[has] if has else ())}


async def refused(client: httpx.AsyncClient, route: str) -> bool:
    """Whether a route says that a right is lacking."""
    method, path = route.split()
    told = await client.request(method, re.sub(r"\{\w+\}", "1", path), json=None if method == "GET" else {})
    return told.status_code == 403 and told.json()["what"].startswith(REFUSED)


def come_in(house: House, rights: set[Right]) -> dict[str, str]:
    """The header of a visitor who was let in with these rights."""
    if not rights:
        return {}
    response = Response()
    house.visitors.admit(STRANGER, rights, response)
    return {"cookie": response.headers["set-cookie"].partition(";")[0]}


def test_reading_changes_nothing(house: House) -> None:
    async def read() -> dict[str, list[Any]]:
        async with calling(house) as client:
            for route in (one for each in NEEDED.values() for one in each):
                if route.startswith("GET"):
                    await refused(client, route)
            await client.get("/")
            await client.get("/practise/x")
        return everything(house.store)

    once = asyncio.run(read())  # the house may set itself up
    assert asyncio.run(read()) == once


def everything(store: Store) -> dict[str, list[Any]]:
    """Every row of a store."""
    with store._reading() as connection:
        return {
            name: [tuple(row) for row in connection.execute(sa.select(table))]
            for name, table in metadata.tables.items()
        }


def test_a_cookie_is_secret_and_ours_alone(shared: House) -> None:
    response = Response()
    shared.visitors.admit(STRANGER, {"learn"}, response)
    said = response.headers["set-cookie"]
    assert re.match(rf"{COOKIE}=[\w-]{{24}}; ", said)  # 144 bits
    for part in ("HttpOnly", "SameSite=strict", "Path=/"):
        assert part in said
    secret = said.partition("=")[2].partition(";")[0]
    assert secret not in str(everything(shared.store)), "only a digest is kept"
