"""The exception hierarchy, and the status an episode ends with.

OslerError
├── BadInput            a file, name or setting given by the user cannot be used        exit code 1
│   ├── BadCase         a case breaks the case model or a rule of the linter
│   ├── BadStore        the store cannot be opened, read or migrated
│   └── Stale           a reply to a question that is no longer open
├── LimitReached        turns, tests, minutes or money ran out; names which
├── InvalidPlay         the player under test gave no valid move within its retries     counts as wrong
├── SimulatorFault      patient, service or consultant failed or broke its own rules    unscored
├── InfrastructureFault network, quota, disk: the run pauses and can be resumed         no end of its own
└── Diverged            the record and the code or case no longer agree                 set aside

`status_of` is the one place that turns an exception into the status an episode ends with. Player code raises
plain Python errors; the table, which knows whose seat it was, wraps them in one of the above.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError


class Status(StrEnum):
    """The status of an episode, in progress or ended (see "How an episode ends" in README.md)."""

    COMPLETED = "completed"
    OUT_OF_TURNS = "out_of_turns"
    OUT_OF_BUDGET = "out_of_budget"
    INVALID_PLAY = "invalid_play"
    SIMULATOR_FAULT = "simulator_fault"
    DIVERGED = "diverged"
    CANCELLED = "cancelled"
    PENDING = "pending"


class OslerError(Exception):
    """Base of all Osler errors: `what` is wrong, `where`, and a hint on how to fix it (`hint`)."""

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        self.what, self.where, self.hint = what, where, hint
        super().__init__(str(self))

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.what}{advice}"


class BadInput(OslerError):
    """Input given by the user cannot be used."""


class BadCase(BadInput):
    """A case breaks the case model."""


class BadStore(BadInput):
    """The store cannot be opened, read or migrated."""


class Stale(BadInput):
    """A reply to a question that is no longer open: already answered, or rejected and asked again."""


class LimitReached(OslerError):
    """A limit ran out. `limit` names which one: turns, tests, minutes or cost."""

    def __init__(self, limit: str, what: str) -> None:
        super().__init__(what)
        self.limit = limit


class InvalidPlay(OslerError):
    """The player under test gave no valid move within its retries."""


class SimulatorFault(OslerError):
    """A seat that belongs to the simulation failed or broke its own rules."""


class InfrastructureFault(OslerError):
    """Network, quota or disk failed; the run pauses and can be resumed."""


class Diverged(OslerError):
    """A recorded exchange does not match what the protocol asks now."""


def status_of(error: BaseException) -> Status | None:
    """The status an episode ends with after `error`; `None` if it must not end (resume it instead)."""
    if isinstance(error, InvalidPlay):
        return Status.INVALID_PLAY
    if isinstance(error, SimulatorFault):
        return Status.SIMULATOR_FAULT
    if isinstance(error, Diverged):
        return Status.DIVERGED
    return None


def in_words(error: ValidationError, whole: str = "") -> str:
    """The first fault that pydantic found, as `place: reason`; `whole` names the place if it has none."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"])) or whole
    return f"{place}: {first['msg']}" if place else first["msg"]


def in_short(error: ValidationError, whole: str) -> str:
    """The first five faults that pydantic found, without what was given, in 500 characters at most; `whole`
    names the place of a fault that has none."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(f"{'.'.join(map(str, one['loc'])) or whole}: {one['msg']}" for one in found[:5])[:500]
