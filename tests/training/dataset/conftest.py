"""What a test of data sets leaves open is closed after it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.training.dataset.playing import OPEN


@pytest.fixture(autouse=True)
def spools_closed() -> Iterator[None]:
    yield
    while OPEN:
        OPEN.pop().spool.__exit__(None, None, None)
