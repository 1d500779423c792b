"""One try of a request: what is sent, what comes back, and what is kept of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from yarl import URL

from osler.models.budget import Estimate
from osler.models.faults import Fault
from osler.models.types import Attempt, Rung, Sampled, Usage
from osler.models.wire import Reply

T = TypeVar("T")


class Raw(NamedTuple):
    """A response as it came."""

    status: int
    retry_after: str | None
    body: bytes


@dataclass(frozen=True, slots=True)
class Job(Generic[T]):
    """One request to send, with retries."""

    url: URL
    body: bytes
    seat: str
    wanted: Callable[[], Estimate]
    read: Callable[[bytes], T | Fault]
    rung: Rung = "text"
    sampled: Sampled | None = None
    once: bool = False
    """Whether an answer that the model itself spoilt, such as an empty one, is left to the caller."""


class Sent(NamedTuple, Generic[T]):
    """The outcome of one try."""

    answer: T | Fault
    usage: Usage
    latency_s: float


def attempt_of(job: Job[T], sent: Sent[T], wrong: Fault | None, text: str = "") -> Attempt:
    """The record of a try."""
    return Attempt(
        outcome="ok" if wrong is None else wrong.kind.value,
        detail="" if wrong is None else wrong.detail,
        rung=job.rung,
        text=text,
        usage=sent.usage,
        latency_s=sent.latency_s,
        finish_reason=sent.answer.finish_reason if isinstance(sent.answer, Reply) else None,
        reasoning=sent.answer.reasoning if isinstance(sent.answer, Reply) else None,
        sampled=job.sampled,
    )
