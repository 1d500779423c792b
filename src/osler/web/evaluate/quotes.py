"""Where the words that a judgement quotes stand in the record, by the ids of log items.

A judge may also name a fact, a finding or a step by the case's own id. Such an id is shown in words: those by
which it came out in the encounter, or, if it never did, the case's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from pydantic_core import from_json

from osler.core.events import Event, Released
from osler.core.protocol import Protocol
from osler.core.trace import Trace
from osler.core.wording import SAID, not_told_again, wordings
from osler.errors import BadInput
from osler.judging.scores import QUOTE
from osler.web.evaluate.trace_schemas import Quote

_SHORTEST: Final = 3
_MOST_PLACES: Final = 5
_ENOUGH: Final = 4  # words, to be found though a few between them are left out
_SPACE: Final = re.compile(r"\s+")
_OR: Final = " or "
_NAMED_BY: Final = ("text", "name", "words")


class Places:
    """The words of an episode, to look quotes up in. `case` reads the case's JSON, "" if there is none."""

    def __init__(self, protocol: Protocol, trace: Trace, case: Callable[[], str] = str) -> None:
        self._protocol, self._trace, self._case = protocol, trace, case

    def find(self, words: str) -> Quote:
        """A quote with the items it stands in, those that were open to all first."""
        if quote := self._released.get(words):
            return quote
        if all(one in self._names for one in words.split(_OR)):
            return Quote(words=_OR.join(self._names[one] for one in words.split(_OR)), at=[], of_case=True)
        wanted = _plain(words)
        cut = len(words) >= QUOTE  # the end of a long quote may be cut off
        wanted = wanted.rstrip(".") if cut else wanted
        if len(wanted) < _SHORTEST:
            return Quote(words=words, at=[])
        places = dict.fromkeys(id_ for id_, text in self._texts if wanted in text.casefold())
        return Quote(words=words, at=list(places)[:_MOST_PLACES]) if places else self._nearly(words)

    def _nearly(self, words: str) -> Quote:
        """The words that were really said, where a judge left out a few of them."""
        parts = list(map(re.escape, re.findall(r"\w+", words)))
        if len(parts) >= _ENOUGH:
            pattern = re.compile(r"\W+(?:\w+\W+){0,2}?".join(parts), re.IGNORECASE)
            for id_, text in self._texts:
                if match := pattern.search(text):
                    return Quote(words=match[0], at=[id_])
        return Quote(words=words, at=[])

    def find_all(self, words: Iterable[str]) -> list[Quote]:
        """Several quotes, each once."""
        return list({found.words: found for found in map(self.find, words)}.values())

    @cached_property
    def _texts(self) -> list[tuple[str, str]]:
        return [(id_, _SPACE.sub(" ", text)) for id_, text in self._read()]

    @cached_property
    def _released(self) -> dict[str, Quote]:
        """The facts and findings that came out, by their ids, each in the words it first came out in."""
        quotes: dict[str, Quote] = {}
        for n, told in self._told:
            for at, event in enumerate(told):
                if isinstance(event, Released) and event.item not in quotes:
                    quotes[event.item] = self._in_words(n, told, at, event)
        return quotes

    def _in_words(self, n: int, told: Sequence[Event], at: int, released: Released) -> Quote:
        """The result that follows, or the words that were said before."""
        ordered = released.gate == "ordered"
        near = range(at + 1, len(told)) if ordered else range(at - 1, -1, -1)
        for place in near:
            for one in wordings(told[place], self._protocol.words):
                if one.public and (ordered or one.kind == SAID):
                    return Quote(words=one.text, at=[f"{n}.{place + 1}"])
        return Quote(words=self._names.get(released.item, released.item), at=[f"{n}.{at + 1}"])

    @cached_property
    def _names(self) -> Mapping[str, str]:
        """The parts of the case by their ids, in the case's words."""
        return dict(_named(from_json(self._case() or "null")))

    @cached_property
    def _told(self) -> list[tuple[int, Sequence[Event]]]:
        try:
            return [(n, tuple(events)) for n, events in self._trace.told()]
        except BadInput:  # written by another version: nothing can be pointed at
            return []

    def _read(self) -> Iterator[tuple[str, str]]:
        """Yield what was said and done, and what stands in replies alone, with their places."""
        lines = [
            (n, at, one)
            for n, events in self._told
            for at, event in enumerate(events, start=1)
            for one in wordings(event, self._protocol.words)
            if one.public
        ]
        for row in self._trace.rows:
            replied = not_told_again(self._protocol.reply_lines(row.seat, row.reply))
            lines += [(row.n, 0, one) for one in replied]
        for n, at, one in sorted(lines, key=lambda line: (not line[2].public, *line[:2])):
            yield f"{n}.{at}", one.text


def _named(part: Any) -> Iterator[tuple[str, str]]:
    if isinstance(part, list):
        for one in part:
            yield from _named(one)
    elif isinstance(part, dict):
        words = next((part[name] for name in _NAMED_BY if isinstance(part.get(name), str)), "")
        if isinstance(part.get("id"), str) and words:
            yield part["id"], words
        for one in part.values():
            yield from _named(one)


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip().casefold()
