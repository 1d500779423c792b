"""What the tests of authoring share."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType

import pytest

from osler.authoring.scenarios import converting


class LastingChild(converting._Child):
    """A child that goes on when a call of `convert` is over."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the process to the next call."""


@pytest.fixture(scope="module")
def one_child() -> Iterator[None]:
    """One child converts the files of all commands of a module: each takes two seconds to import its
    converters."""
    child = LastingChild(converting.TIME_S)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(converting, "_Child", lambda time_s: child)
        yield
    child._stop()
