"""The records that the store returns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple

from osler.core.trace import Outcome
from osler.errors import Status

RunStatus = Literal["running", "done", "paused", "interrupted"]


DECLINED: Final = frozenset({"filtered", "refused"})
"""The causes of attempts for which a model, or a filter, would not answer."""


class RunInfo(NamedTuple):
    """A run. `planned` and `done` count episodes; `created_at` is UTC."""

    name: str
    id: int
    status: RunStatus
    planned: int
    done: int
    manifest: dict[str, Any]
    created_at: datetime

    def may_have(self, ordinal: int) -> bool:
        """Whether an episode of the run may have this number. The cases of a run that plays only one, or
        leaves some out, keep the numbers they have among all."""
        how = self.manifest.get("configuration") or {}
        some = how.get("only") is not None or bool(how.get("left_out"))
        return ordinal >= 0 and (some or ordinal < self.planned)


class EpisodeRow(NamedTuple):
    """An ended episode. `counts` are its protocol's counts, as in its outcome; `tail` is JSON text, `started`
    and `ended` are seconds since 1970, UTC."""

    ordinal: int
    key: str
    case_hash: str
    case_id: str
    status: Status
    reason: str
    minutes: int
    exchanges: int
    counts: Mapping[str, int]
    tail: str
    started: float | None
    ended: float | None

    @property
    def outcome(self) -> Outcome:
        """The outcome of the episode, as the kernel recorded it."""
        return Outcome(*self[4:10])

    @property
    def cause(self) -> str:
        """The cause of an episode's failure, as its end says it; "" if it ended as the story decides."""
        if self.status is Status.COMPLETED:
            return ""
        last = (json.loads(self.tail) or [{}])[-1]
        return str(last.get("cause", "")) if last.get("kind") == "ended" else ""

    @property
    def declined(self) -> bool:
        """Whether it ended because the model declined to answer, or a filter took its answer."""
        return self.status is Status.INVALID_PLAY and self.cause in DECLINED

    @property
    def turns(self) -> int:
        """The number of turns, 0 if the protocol counts none."""
        return self.counts.get("turns", 0)

    @property
    def tests(self) -> int:
        """The number of tests ordered, 0 if the protocol counts none."""
        return self.counts.get("tests", 0)

    @property
    def cost(self) -> int:
        """The cost incurred within the encounter, 0 if the protocol counts none."""
        return self.counts.get("cost", 0)


COUNTED: Final = ("turns", "tests", "cost")
"""The counts with a dedicated column in the store and a key in the export."""


def has_more(counts: Mapping[str, int]) -> bool:
    """Whether a protocol has counts without a dedicated column; then all counts are stored together."""
    return not counts.keys() <= set(COUNTED)


def pending(ordinal: int, exchanges: int) -> EpisodeRow:
    """The placeholder row of an episode that has begun but not ended."""
    return EpisodeRow(
        ordinal=ordinal,
        key="",
        case_hash="",
        case_id="",
        status=Status.PENDING,
        reason="",
        minutes=0,
        exchanges=exchanges,
        counts={},
        tail="[]",
        started=None,
        ended=None,
    )


class Judgement(NamedTuple):
    """One grader's judgement of one episode. `body` is a JSON object as text."""

    ordinal: int
    grader: str
    version: str
    body: str


class CallRow(NamedTuple):
    """A recorded call to a model, number `call` of an exchange `n`, of the inner one at `path`, or of a
    judgement: then `grader` and `version` name it and `n` is 0. `body` is the call's JSON object."""

    ordinal: int
    n: int
    path: str
    call: int
    body: dict[str, Any]
    grader: str = ""
    version: str = ""


class KeptPart(NamedTuple):
    """The first `at` exchanges of an episode of the run with id `run`, and its case's content hash."""

    run: int
    ordinal: int
    at: int
    case: str


class Ordinals:
    """A set of small integers with one byte each: a million episodes take a megabyte."""

    __slots__ = ("_marks",)

    def __init__(self) -> None:
        self._marks = bytearray()

    def add(self, ordinal: int) -> None:
        """Add a number."""
        if ordinal >= len(self._marks):
            self._marks.extend(bytes(max(ordinal + 1 - len(self._marks), len(self._marks))))
        self._marks[ordinal] = 1

    def __contains__(self, ordinal: int) -> bool:
        return 0 <= ordinal < len(self._marks) and self._marks[ordinal] == 1

    def holds(self, first: int, last: int) -> bool:
        """Whether every number from `first` to `last` is in the set."""
        return self._marks.count(1, first, last + 1) == last + 1 - first

    def __len__(self) -> int:
        return self._marks.count(1)

    def __iter__(self) -> Iterator[int]:
        at = self._marks.find(1)
        while at >= 0:
            yield at
            at = self._marks.find(1, at + 1)

    def gaps(self) -> Iterator[tuple[int, int | None]]:
        """The gaps, ranges not in the set, as (first, last), ascending; the last one is open-ended."""
        begin = 0
        while (begin := self._marks.find(0, begin)) >= 0:
            end = self._marks.find(1, begin)
            if end < 0:
                break
            yield begin, end - 1
            begin = end
        yield self._past(), None

    def stretches(self, most: int = 5) -> str:
        """The numbers in words, as "0 to 4, 9", with at most so many stretches; empty if there are none."""
        told, at = list[str](), self._marks.find(1)
        while at >= 0 and len(told) < most:
            end = self._marks.find(0, at) if self._marks.find(0, at) >= 0 else len(self._marks)
            told.append(f"{at} to {end - 1}" if end - at > 1 else str(at))
            at = self._marks.find(1, end)
        return ", ".join([*told, "..."] if at >= 0 else told)

    def _past(self) -> int:
        return self._marks.rfind(1) + 1
