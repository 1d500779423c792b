"""Random access into a stream by index: recent items are cached, and reading on is cheap."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Final, Generic, TypeVar

from osler.errors import BadInput

_KEPT: Final = 512
T = TypeVar("T")


class ByPlace(Generic[T]):
    """Items of a stream that always yields the same ones. `called` is the word for one item in messages."""

    def __init__(self, label: str, called: str, begin: Callable[[], Iterator[T]]) -> None:
        self._label, self._called, self._begin = label, called, begin
        self._recent: OrderedDict[int, T] = OrderedDict()
        self._ahead: Iterator[T] | None = None
        self._next = 0

    def get(self, index: int) -> T:
        """The item at `index`, from 0; cheap when indexes are asked for in rising order or again soon.

        Raises BadInput where the stream has no such item.
        """
        if index in self._recent:
            self._recent.move_to_end(index)
            return self._recent[index]
        if index < 0:
            raise BadInput(f"there is no {self._called} {index}", where=self._label)
        if self._ahead is None or index < self._next:
            self._ahead, self._next = self._begin(), 0
        for item in self._ahead:
            self._recent[self._next] = item
            self._next += 1
            if len(self._recent) > _KEPT:
                self._recent.popitem(last=False)
            if self._next > index:
                return item
        self._ahead = None
        raise BadInput(f"there is no {self._called} {index + 1}: the source holds fewer", where=self._label)
