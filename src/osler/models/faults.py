"""The classification of everything that can go wrong with a model call.

A `Fault` is data: created where the failure occurs, then either retried, if it is transient, or turned into
one of two errors. `EndpointFault` is an InfrastructureFault: the run pauses. `ModelAnswerError` is a plain
ValueError: the model's own fault, which the table counts as an attempt that was not valid.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from random import Random
from typing import Final

from osler.errors import EpisodeFault, InfrastructureFault
from osler.models.error_words import (
    error_words,
    names_another_field,
    names_context,
    names_filter,
    names_no_credit,
    names_no_model,
    names_no_route,
    names_the_prompt_alone,
)
from osler.models.secret import Secret, sanitized
from osler.models.types import Attempt


class Kind(StrEnum):
    """The kind of a fault."""

    TIMEOUT = "timeout"
    CONNECTION = "connection"  # refused or reset, or the host is unknown
    TLS = "tls"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    TRUNCATED = "truncated"
    BAD_BODY = "bad_body"
    QUOTA = "quota"
    AUTH = "auth"
    WRONG_MODEL = "wrong_model"
    WRONG_ADDRESS = "wrong_address"
    BAD_REQUEST = "bad_request"
    BREAKER_OPEN = "breaker_open"
    NOT_SERVED = "not_served"  # a file of weights that Osler could not serve
    # from here on, the model's own faults
    EMPTY = "empty"
    REFUSED = "refused"
    FILTERED = "filtered"
    LENGTH = "length"
    THOUGHT_ONLY = "thought_only"  # and complete: thought that was cut is `length`
    TOO_LONG = "too_long"
    UNPARSABLE = "unparsable"
    INVALID = "invalid"


MAY_PASS: Final = frozenset(
    {Kind.TIMEOUT, Kind.CONNECTION, Kind.RATE_LIMITED, Kind.SERVER_ERROR, Kind.TRUNCATED, Kind.EMPTY}
)
MODELS_OWN: Final = frozenset(
    {
        Kind.EMPTY,
        Kind.REFUSED,
        Kind.FILTERED,
        Kind.LENGTH,
        Kind.THOUGHT_ONLY,
        Kind.TOO_LONG,
        Kind.UNPARSABLE,
        Kind.INVALID,
    }
)
OVERLOADED: Final = frozenset({429, 503, 529})

_HINT: Final[Mapping[str, str]] = {
    Kind.TIMEOUT: "is the endpoint up? raise timeout_s or lower max_in_flight",
    Kind.CONNECTION: "is the endpoint up, and is base_url right?",
    Kind.TLS: "is base_url http or https, and is the certificate valid?",
    Kind.RATE_LIMITED: "lower max_in_flight, or resume later",
    Kind.SERVER_ERROR: "look at the endpoint's own log, then resume",
    Kind.QUOTA: "the account has no credit left; add some, then resume",
    Kind.AUTH: "is the variable named by key_env set to a valid key?",
    Kind.WRONG_MODEL: "is the endpoint's `model` one that it serves?",
    Kind.WRONG_ADDRESS: "is base_url right? it usually ends in /v1",
    Kind.BAD_REQUEST: "change the endpoint's settings or capabilities, then resume",
    Kind.BAD_BODY: "is base_url an endpoint of this `kind`, by default an OpenAI-compatible one?",
    Kind.BREAKER_OPEN: "fix the endpoint, then resume",
    Kind.NOT_SERVED: "is the file whole, of a model that llama.cpp knows, and does it fit into the memory?",
}


def hint_on(cause: str) -> str:
    """The advice on a kind of fault; "" for one of the model's own, and for what is no kind."""
    return _HINT.get(cause, "")


@dataclass(frozen=True, slots=True)
class Fault:
    """A failure, as data. `detail` is sanitized; `raw` is for matching only and never shown."""

    kind: Kind
    detail: str = ""
    status: int | None = None
    retry_after_s: float | None = None
    raw: str = ""

    @property
    def congestion(self) -> bool:
        """Whether sending fewer requests may help."""
        return self.kind in (Kind.RATE_LIMITED, Kind.TIMEOUT) or self.status in OVERLOADED


class EndpointFault(InfrastructureFault):
    """An endpoint could not be used; the message says which one, why, and how to fix it."""

    def __init__(self, endpoint: str, fault: Fault, tries: int = 1) -> None:
        self.endpoint, self.kind = endpoint, fault.kind
        reason = fault.kind.replace("_", " ")
        what = f"{reason}: {fault.detail}" if fault.detail else reason
        what = f"{what} (after {tries} tries)" if tries > 1 else what
        super().__init__(what, where=f"endpoint {endpoint}", hint=_HINT.get(fault.kind, ""))


class RequestFault(EndpointFault, EpisodeFault):
    """An endpoint gave up one request that may be the only one it fails at: it refused it for good, or every
    try of it ended alike. `proven` says whether the endpoint has answered another request by now; `alone`
    finds out whether it answers others, asking it if need be."""

    def __init__(
        self,
        endpoint: str,
        fault: Fault,
        tries: int,
        *,
        proven: Callable[[], bool],
        alone: Callable[[], Awaitable[bool]],
    ) -> None:
        super().__init__(endpoint, fault, tries)
        self.cause = str(fault.kind)
        self._proven, self._alone = proven, alone

    @property
    def proven(self) -> bool:
        """Whether the endpoint has answered another request in this session."""
        return self._proven()

    async def concerns_the_episode_only(self) -> bool:
        """Whether the endpoint answers others."""
        return await self._alone()


class ModelAnswerError(ValueError):
    """The model gave no usable answer, by its own fault. `attempts` are all requests sent; `from_cache` says
    that they were paid for before."""

    def __init__(self, fault: Fault, attempts: tuple[Attempt, ...] = (), *, from_cache: bool = False) -> None:
        self.kind, self.attempts, self.from_cache = fault.kind, attempts, from_cache
        reason = fault.kind.replace("_", " ")
        super().__init__(f"{reason}: {fault.detail}" if fault.detail else reason)


@dataclass(frozen=True, slots=True)
class Retry:
    """The retry policy for transient faults: exponential backoff with full jitter.

    The range begins at `base_s` and stops doubling at `cap_s`. If an endpoint asks for a longer wait than
    `longest_wait_s`, the call is given up.
    """

    tries: int = 5
    base_s: float = 0.5
    cap_s: float = 20.0
    longest_wait_s: float = 120.0

    def wait_s(self, fault: Fault, tried: int, rng: Random) -> float | None:
        """The seconds to wait after the `tried`-th try (from 1), or `None` to give up."""
        if fault.kind not in MAY_PASS or tried >= self.tries:
            return None
        jitter = rng.uniform(0.0, min(self.cap_s, self.base_s * 2 ** (tried - 1)))
        if fault.retry_after_s is None:
            return jitter
        # Not before the time requested, and jittered, so that not all calls retry at the same instant.
        return fault.retry_after_s + jitter if fault.retry_after_s <= self.longest_wait_s else None


def of_status(status: int, body: bytes, retry_after: str | None, secret: Secret | None = None) -> Fault:
    """Classify a response whose HTTP status is not 200. `retry_after` is that header as received."""
    code, words = error_words(body)
    raw = f"{code} {words}".lower()
    wait = seconds_of(retry_after) if retry_after else None
    return Fault(
        _kind_of_status(status, raw), sanitized(f"HTTP {status} {words}", secret), status, wait, raw[:4000]
    )


def _kind_of_status(status: int, raw: str) -> Kind:
    # The order decides: the same words mean another fault under another status.
    if status == 402 or (status != 429 and names_no_credit(raw)) or "insufficient_quota" in raw:
        return Kind.QUOTA
    if status == 429:
        return Kind.RATE_LIMITED
    if status in (408, 504):
        return Kind.TIMEOUT
    if status in (400, 404) and names_no_route(raw):  # a gateway's policy is no filter of this request
        return Kind.WRONG_MODEL if names_no_model(raw) else Kind.BAD_REQUEST
    if status != 401 and names_filter(raw):
        return Kind.FILTERED
    if status in (401, 403):
        return Kind.AUTH
    if "request_too_large" in raw or (status not in OVERLOADED and names_context(raw)):
        return Kind.TOO_LONG  # some servers report it as their own error
    if status >= 500 and status != 501:
        return Kind.SERVER_ERROR
    return _kind_of_refusal(status, raw)


def _kind_of_refusal(status: int, raw: str) -> Kind:
    """The kind of a request that the server will not take as it is."""
    if status in (400, 404, 422) and names_no_model(raw):
        return Kind.WRONG_MODEL
    if status in (404, 405) or 300 <= status < 400:
        return Kind.WRONG_ADDRESS
    return Kind.BAD_REQUEST


def unexplained(fault: Fault) -> bool:
    """Whether a refused request names nothing but the form of its answer, or nothing at all, as Gemini does
    for a schema it does not like: another form may be taken."""
    return fault.kind is Kind.BAD_REQUEST and not names_another_field(fault.raw)


def counts_the_answer(fault: Fault) -> bool:
    """Whether a prompt may be too long only together with the answer asked for."""
    return fault.kind is Kind.TOO_LONG and not names_the_prompt_alone(fault.raw)


def seconds_of(retry_after: str, now: datetime | None = None) -> float | None:
    """The seconds in a Retry-After header (a number or an HTTP date); `None` if it is neither."""
    try:
        seconds = float(retry_after)
    except ValueError:
        try:
            when = parsedate_to_datetime(retry_after)
        except (ValueError, IndexError, OverflowError):
            return None
        when = when if when.tzinfo else when.replace(tzinfo=UTC)
        seconds = (when - (now or datetime.now(UTC))).total_seconds()
    return max(0.0, seconds) if seconds == seconds else None
