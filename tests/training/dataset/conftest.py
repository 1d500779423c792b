"""An empty store for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from osler.store.store import Store, open_store
from tests.training.dataset.playing import OPEN


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "osler.db") as opened:
        yield opened


@pytest.fixture(autouse=True)
def spools_closed() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().spool.__exit__(None, None, None)
