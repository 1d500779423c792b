"""The same tests over both databases: `url` and `store` come once with SQLite and once with PostgreSQL."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from osler.store.store import Store, open_store

SERVER = os.environ.get("OSLER_TEST_POSTGRES", "postgresql://postgres@127.0.0.1:5432/test")


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """An address where there is no store yet."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'osler.db'}"
    else:
        yield from schema_of_its_own()


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """An empty store."""
    with open_store(url) as opened:
        yield opened


def schema_of_its_own() -> Iterator[str]:
    """Yield the address of an empty schema on PostgreSQL, dropped afterwards; skips without a server."""
    address = sa.make_url(SERVER).set(drivername="postgresql+psycopg")
    server = sa.create_engine(address, connect_args={"connect_timeout": 2})
    name = f"osler_test_{secrets.token_hex(6)}"
    try:
        with server.begin() as connection:
            connection.execute(sa.schema.CreateSchema(name))
    except sa.exc.OperationalError:
        pytest.skip(f"no PostgreSQL server answers at {address.host}:{address.port}")
    try:
        # No test cuts the server's power, so none has to wait for its disk.
        yield f"{SERVER}?options=-csynchronous_commit%3Doff%20-csearch_path%3D{name}"
    finally:
        with server.begin() as connection:
            connection.execute(sa.schema.DropSchema(name, cascade=True))
        server.dispose()


@pytest.fixture
def on_server() -> Iterator[str]:
    """An address on PostgreSQL where there is no store yet."""
    yield from schema_of_its_own()
