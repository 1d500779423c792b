"""What a visitor leaves behind: reading changes nothing, and of a cookie a digest alone is kept."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import sqlalchemy as sa
from fastapi import Response

from osler.store.schema import metadata
from osler.store.store import Store
from osler.web.house import House
from osler.web.rights import STRANGER, Right
from osler.web.visitors import COOKIE
from tests.attack.expected import TABLE
from tests.web.conftest import calling


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
            for operation in dict.fromkeys(row.operation for row in TABLE if row.method == "GET"):
                await client.get(re.sub(r"\{\w+\}", "1", operation.split()[1]))
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
