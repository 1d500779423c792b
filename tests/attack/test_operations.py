"""Every operation of the schema as every kind of visitor: its answer, what it changes, what is read there."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import pytest
import sqlalchemy as sa
from fastapi.routing import APIRoute

from osler.store import schema
from osler.store.store import Store
from osler.testing.hostile_visitor import KINDS, MAY_READ, Kind, Scene, leaks
from osler.web.app import application
from osler.web.house import House
from osler.web.rights import ALL, Right
from tests.attack.conftest import Scenes, add_circle
from tests.attack.expected import DOORS, INSIDE, NEEDED, TABLE, UNTYPED, Row, class_of
from tests.web.conftest import HERE, calling
from tests.web.test_rights import come_in

PEOPLE: Final = (
    schema.rooms,
    schema.room_members,
    schema.room_begun,
    schema.room_seats,
    schema.practice,
    schema.permissions,
    schema.deletions,
    schema.passes,
)


def test_every_operation_has_a_row_and_every_row_an_operation(house: House) -> None:
    app = application(house)
    there = {f"{verb.upper()} {path}" for path, verbs in app.openapi()["paths"].items() for verb in verbs}
    rows = {row.operation for row in TABLE}
    assert (there - rows, rows - there) == (set(), set())
    assert len(there) + len(UNTYPED) == len(list(routes(app))), "a route is left out of the schema"


def routes(app: Any) -> Iterator[APIRoute]:
    """Every route of the application, those of routers inside routers too."""
    for each in app.routes:
        if isinstance(each, APIRoute):
            yield each
        elif inner := getattr(each, "original_router", None):
            yield from routes(inner)


@pytest.mark.parametrize("has", [None, *sorted(ALL)])
def test_a_right_opens_its_operations_and_no_others(shared: House, has: Right | None) -> None:
    cookie = come_in(shared, {has} if has else set())

    async def opened() -> set[str]:
        opens = set()
        async with calling(shared) as client:
            client.headers.update({"origin": HERE} | cookie)
            for operation in NEEDED:
                method, path = operation.split()
                body: dict[str, str] | None = None if method == "GET" else {}
                answer = await client.request(method, re.sub(r"\{\w+\}", "1", path), json=body)
                if class_of(answer) != "right":
                    opens.add(operation)
        return opens

    assert asyncio.run(opened()) == {one for one, right in NEEDED.items() if right in (None, has)}


@pytest.mark.usefixtures("unplayed")
@pytest.mark.parametrize("who", KINDS)
def test_each_visitor_is_answered_as_the_table_says(who: Kind, scenes: Scenes) -> None:
    with scenes() as scene:
        add_circle(scene)
        visitor, before = scene.visitor(who), people(scene.house.store)
        wrong = [*sweep(scene, who, INSIDE)]
        after = people(scene.house.store)
        if who not in ("owner", "teacher"):  # it is theirs to change
            wrong += changes(before, after, visitor)
        wrong += sweep(scene, who, DOORS)
    assert not wrong, "\n" + "\n".join(wrong)


def sweep(scene: Scene, who: Kind, rows: Iterable[Row]) -> Iterator[str]:
    """What is not as the table says, in words."""
    store = str(scene.house.store.engine.url.database)
    for row in rows:
        answer = scene.ask(who, row.method, row.path, fill(scene, row.body))
        is_, should = class_of(answer), row.expected(who)
        what = f"{who}: {row.method} {row.path}"
        if is_ != should:
            yield f"{what} is {is_}, not {should}: {answer.status_code} {answer.text[:160]}"
        if read := {*leaks(answer)} - MAY_READ[who] - row.shows:
            yield f"{what} tells {', '.join(sorted(read))}"
        if store in answer.text:
            yield f"{what} tells where the store lies"


def fill(scene: Scene, body: Any) -> Any:
    """A body with the places of a scene filled in."""
    match body:
        case str():
            return body.format_map(scene.places)
        case dict():
            return {name: fill(scene, one) for name, one in body.items()}
        case list():
            return [fill(scene, one) for one in body]
    return body


Rows = Mapping[str, list[dict[str, Any]]]


def people(store: Store) -> Rows:
    """Every row about people in a store."""
    with store.connected() as connection:
        return {
            table.name: [dict(row._mapping) for row in connection.execute(sa.select(table))]
            for table in PEOPLE
        }


def changes(before: Rows, after: Rows, visitor: str) -> Iterator[str]:
    """What a visitor has changed in what was there, or has written in the name of somebody else."""
    own = {visitor or None, *(row["run"] for row in after["practice"] if row["owner"] == visitor)}
    own |= {row["id"] for row in after["room_members"] if row["visitor"] == visitor}
    for name, rows in after.items():
        for row in before[name]:
            if row not in rows:
                yield f"{name}: changed or removed: {row}"
        for row in rows:
            whose = row[next(key for key in ("owner", "visitor", "digest", "member", "run") if key in row)]
            if row not in before[name] and whose not in own:
                yield f"{name}: written: {row}"
