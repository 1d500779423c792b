"""Hostile bodies, addresses and headers against every operation: refused in words, never a fault of ours.

The server here is not shared, so that everything may be asked and nothing slows the visitor down.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from osler.core.source import Source
from osler.store.store import open_store
from osler.testing.hostile_visitor import Scene, scene
from osler.web.guard import MOST_BYTES
from osler.web.house import House
from tests.attack.conftest import add_circle
from tests.attack.expected import TABLE, Row
from tests.attack.test_operations import fill
from tests.web.conftest import HERE, calling

JSON: Final = {"content-type": "application/json"}
WHOLE: Final[tuple[bytes, ...]] = (
    b"",
    b"{",
    b"null",
    b"[]",
    b'"x"',
    b"NaN",
    b"1e999",
    b"9" * 5000,
    b"\xff\xfe",
    b"[" * 60_000,
    b'{"a":' * 12_000,
    b'{"__proto__": {}, "__class__": 1}',
    b'{"\\ud800": "\\udfff"}',
    b" " * MOST_BYTES,
)
"""Bodies that are no form of anything."""
TOO_LONG: Final = b" " * (MOST_BYTES + 1)
LEAVES: Final[tuple[str, ...]] = (
    '"\\ud800"',
    '"\\u0000"',
    '"<script>alert(1)</script>\\u202e"',
    '"../../../../etc/passwd"',
    '"%s%n{0.__class__}{{7*7}}"',
    '"' + "x" * 60_000 + '"',
    "NaN",
    "-1e999",
    "1" + "0" * 30,
    "-1",
    "null",
    "[[]]",
    "{}",
)
"""What stands in the place of each value of a form, as JSON."""
PLACES: Final[tuple[str, ...]] = (
    "..%2f..%2f..%2fetc%2fpasswd",
    "%2e%2e%5c",
    "%ff%fe",
    "%ed%a0%80",
    "%F0%9F%98%80",
    "%27%20OR%201%3D1%20--",
    "-1",
    "9" * 400,
    "x" * 3000,
    "{0.__class__}",
)
"""What stands in the place of each part of an address that names something."""
VALUES: Final[tuple[str, ...]] = (
    "%ff%fe",
    "%ed%a0%80",
    "NaN",
    "1e999",
    "-1",
    "9" * 400,
    "x" * 3000,
    "..%2f",
    "bnVsbA",
    "WzFdWzFd",
)
"""What stands as the value of each parameter of a query; the last two are cursors that we did not make."""
FOREIGN: Final[tuple[dict[str, str], ...]] = (
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"origin": HERE + ":9999"},
    {"origin": HERE, "sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
)
HELD_PLACE: Final = "HELDPLACE"

Ask = Callable[..., Coroutine[Any, Any, httpx.Response]]


@pytest.fixture(scope="module")
def target(
    tmp_path_factory: pytest.TempPathFactory, sources: dict[tuple[str, str], Source[Any]]
) -> Iterator[tuple[House, Scene]]:
    """A house that is not shared, over the store of a scene."""
    path: Path = tmp_path_factory.mktemp("bodies") / "osler.db"
    with open_store(path) as store:
        with scene(House(store, _sources=sources)) as made:
            add_circle(made)
        yield House(store, _sources=sources), made


@asynccontextmanager
async def attack(house: House, caplog: pytest.LogCaptureFixture) -> AsyncIterator[tuple[Ask, list[str]]]:
    """Asks for something and notes what is no refusal in words."""
    wrong: list[str] = []
    async with calling(house) as client:

        async def ask(what: str, method: str, path: str, **given: Any) -> httpx.Response:
            caplog.clear()
            answer = await client.request(method, path, **given)
            if answer.status_code >= 500:
                wrong.append(f"{what}: {answer.status_code} {answer.text[:200]}")
            if answer.status_code >= 400 and not answer.json()["what"]:
                wrong.append(f"{what}: {answer.status_code} without words")
            if any(one.exc_info or "Traceback" in one.getMessage() for one in caplog.records):
                wrong.append(f"{what}: a traceback in the log: {caplog.records[-1].getMessage()[:200]}")
            return answer

        yield ask, wrong


def hold(wrong: list[str]) -> None:
    """Fails with each thing that is wrong on a line of its own."""
    assert not wrong, "\n" + "\n".join(wrong)


def rows(changing: bool | None = None) -> Iterator[Row]:
    """Each operation once, or only those that change something."""
    seen = set()
    for row in TABLE:
        if row.operation not in seen and changing in (None, row.method != "GET"):
            seen.add(row.operation)
            yield row


def test_what_is_no_form_is_refused_by_every_operation(
    target: tuple[House, Scene], caplog: pytest.LogCaptureFixture
) -> None:
    house, made = target

    async def run() -> list[str]:
        async with attack(house, caplog) as (ask, wrong):
            for row in rows(changing=True):
                path = row.path.format_map(made.places)
                for body in WHOLE if row.body is not None else ():
                    answer = await ask(
                        f"{row.operation} {body[:20]!r}", row.method, path, content=body, headers=JSON
                    )
                    if answer.status_code < 400:
                        wrong.append(f"{row.operation} takes {body[:20]!r}")
                answer = await ask(row.operation, row.method, path, content=TOO_LONG, headers=JSON)
                if answer.status_code != 413:
                    wrong.append(f"{row.operation} reads {len(TOO_LONG)} bytes")
        return wrong

    hold(asyncio.run(run()))


@pytest.mark.usefixtures("unplayed")
def test_no_value_of_a_form_is_a_fault(target: tuple[House, Scene], caplog: pytest.LogCaptureFixture) -> None:
    house, made = target

    async def run() -> list[str]:
        async with attack(house, caplog) as (ask, wrong):
            for row in rows(changing=True):
                path = row.path.format_map(made.places)
                for body in spoil(fill(made, row.body), fields(row, made)):
                    await ask(f"{row.operation} {body[:150]}", row.method, path, content=body, headers=JSON)
        return wrong

    hold(asyncio.run(run()))


def spoil(body: Any, names: list[str]) -> Iterator[str]:
    """The JSON of a body with each of its values, and each field it may have, spoilt in each way."""
    held = (HELD_PLACE, [HELD_PLACE], {"doctor": HELD_PLACE})
    more = ({**body, name: one} for name in names for one in held) if isinstance(body, dict) else ()
    for whole in (*variants(body), *more):
        text = json.dumps(whole)
        for leaf in LEAVES:
            yield text.replace(f'"{HELD_PLACE}"', leaf)


def variants(body: Any) -> Iterator[Any]:
    """The body with the mark in the place of each of its values, one at a time."""
    if not isinstance(body, dict | list):
        return
    for name, value in body.items() if isinstance(body, dict) else enumerate(body):
        for inner in (HELD_PLACE, *variants(value)):
            copy = body.copy()
            copy[name] = inner
            yield copy


@pytest.mark.usefixtures("unplayed")
def test_no_address_is_a_fault(target: tuple[House, Scene], caplog: pytest.LogCaptureFixture) -> None:
    house, made = target

    async def run() -> list[str]:
        async with attack(house, caplog) as (ask, wrong):
            for row in rows():
                body = None if row.body is None else fill(made, row.body)
                for path in addresses(row, made):
                    answer = await ask(f"{row.method} {path[:150]}", row.method, path, json=body)
                    if "root:" in answer.text:
                        wrong.append(f"{path[:100]} reads a file")
        return wrong

    hold(asyncio.run(run()))


def addresses(row: Row, made: Scene) -> Iterator[str]:
    """The addresses of a row with each of its places replaced, and its query spoilt."""
    names = re.findall(r"\{(\w+)\}", row.path)
    for name in names:
        for place in PLACES:
            yield row.path.format_map({**made.places, name: place})
    whole = row.path.format_map(made.places)
    for one in description(row, made).get("parameters", ()):
        if one["in"] == "query":
            yield from (f"{whole}{'&' if '?' in whole else '?'}{one['name']}={value}" for value in VALUES)


def description(row: Row, made: Scene) -> dict[str, Any]:
    """What the schema says of an operation."""
    method, path = row.operation.split()
    form: dict[str, Any] = made.app.openapi()["paths"].get(path, {}).get(method.lower(), {})
    return form


def fields(row: Row, made: Scene) -> list[str]:
    """The names of the fields of an operation's form."""
    content = description(row, made).get("requestBody", {}).get("content", {})
    ref = str(content.get("application/json", {}).get("schema", {}).get("$ref", ""))
    form = made.app.openapi()["components"]["schemas"].get(ref.rpartition("/")[2], {})
    return [*form.get("properties", ())]


def test_a_page_of_somebody_else_changes_nothing_by_any_operation(
    target: tuple[House, Scene], caplog: pytest.LogCaptureFixture
) -> None:
    house, made = target

    async def run() -> list[str]:
        async with attack(house, caplog) as (ask, wrong):
            for row in rows(changing=True):
                path, body = row.path.format_map(made.places), fill(made, row.body)
                for headers in FOREIGN:
                    answer = await ask(row.operation, row.method, path, json=body, headers=headers)
                    if answer.status_code != 403:
                        wrong.append(f"{row.operation} from {headers}: {answer.status_code}")
                plain = {"content-type": "text/plain"}
                answer = await ask(row.operation, row.method, path, content=json.dumps(body), headers=plain)
                if answer.status_code != 415:
                    wrong.append(f"{row.operation} as text: {answer.status_code}")
        return wrong

    hold(asyncio.run(run()))


def test_no_operation_answers_another_host_or_method(
    target: tuple[House, Scene], caplog: pytest.LogCaptureFixture
) -> None:
    house, made = target

    async def run() -> list[str]:
        async with attack(house, caplog) as (ask, wrong):
            for row in rows():
                path = row.path.format_map(made.places)
                there = await ask(row.operation, row.method, path, headers={"host": "evil.example", **JSON})
                override = {"x-http-method-override": "DELETE", "x-forwarded-host": "evil.example"}
                traced = await ask(row.operation, "TRACE", path, headers=override)
                if (there.status_code, traced.status_code) != (421, 405):
                    wrong.append(f"{row.operation}: {there.status_code}, {traced.status_code}")
                hidden = await ask(row.operation, row.method, f"{path}%0d%0a", headers=JSON)
                if hidden.status_code != 400:
                    wrong.append(f"{row.operation} with a line end: {hidden.status_code}")
        return wrong

    hold(asyncio.run(run()))
