"""The exception hierarchy, and the status an episode ends with.

OslerError
├── BadInput            a file, name or setting given by the user cannot be used        exit code 1
│   ├── BadCase         a case breaks the case model or a rule of the linter
│   ├── BadStore        the store cannot be opened, read or migrated
│   ├── NotAllowed      the right to ask for it, or to name it, is lacking
│   └── Stale           a reply to a question that is no longer open
├── LimitReached        turns, tests, minutes or money ran out; names which
├── InvalidPlay         the player under test gave no valid move within its retries     counts as wrong
├── SimulatorFault      patient, service or consultant failed or broke its own rules    unscored
├── InfrastructureFault network, quota, disk: the run pauses and can be resumed         exit code 3
│   ├── EpisodeFault    concerns one episode only, which may end unscored while others go on
│   │   └── PlayerFault a player's own code failed: never an answer, never scored
│   └── TooManyFaults   more episodes ended by such faults than --max-errors allows
└── Diverged            the record and the code or case no longer agree                 set aside

`status_of` is the one place that turns an exception into the status an episode ends with. Player code raises
plain Python errors; the table, which knows whose seat it was, wraps them in one of the above.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Final

if TYPE_CHECKING:
    from pydantic import ValidationError


class Status(StrEnum):
    """The status of an episode, in progress or ended (see docs/endings.md).

    >>> osler.run(limit=1).totals.ended == {osler.Status.COMPLETED: 1}
    True
    """

    COMPLETED = "completed"
    """The story came to its end: the player under test concluded."""
    OUT_OF_TURNS = "out_of_turns"
    """The turns ran out. A doctor gets an announced last chance to conclude; no answer is wrong."""
    OUT_OF_BUDGET = "out_of_budget"
    """Another limit ran out, or the prompt of the player under test outgrew its model's context; no answer
    is wrong."""
    INVALID_PLAY = "invalid_play"
    """The player under test gave no valid move within its retries: it counts as wrong."""
    SIMULATOR_FAULT = "simulator_fault"
    """A seat of the simulation failed or broke its own rules."""
    ENDPOINT_FAULT = "endpoint_fault"
    """An endpoint that answers others refused a request of this episode for good, or let all its tries time
    out."""
    PLAYER_FAULT = "player_fault"
    """A player raised another exception than ValueError; without `--max-errors` the run pauses."""
    DIVERGED = "diverged"
    """The code or the case differs from when the episode was recorded: it is set aside."""
    CANCELLED = "cancelled"
    """It was stopped."""
    DELETED = "deleted"
    """The person who played had their words deleted."""
    PENDING = "pending"
    """It has not ended."""


FAULTS: Final = frozenset({Status.ENDPOINT_FAULT, Status.PLAYER_FAULT})
"""Statuses of episodes that something outside the encounter ended: unscored, and may be played again."""

CONTEXT: Final = "context"
"""The cause of an answer that a model could not give because its prompt no longer fits its context."""


class OslerError(Exception):
    """Base of all Osler errors: `what` is wrong, `where`, and a hint on how to fix it (`hint`).

    >>> str(osler.OslerError("there is no such case", where="cases.yml", hint="see its ids"))
    'cases.yml: there is no such case (see its ids)'
    """

    def __init__(self, what: str, *, where: str = "", hint: str = "") -> None:
        self.what, self.where, self.hint = what, where, hint
        super().__init__(str(self))

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        advice = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.what}{advice}"


class BadInput(OslerError):
    """A file, name or setting given by the user that cannot be used.

    >>> try:
    ...     osler.configure("chess")
    ... except osler.BadInput as error:
    ...     print(error.what)
    there is no protocol 'chess'
    """


class BadCase(BadInput):
    """A case breaks the case model."""


class BadStore(BadInput):
    """The store cannot be opened, read or migrated."""


class NotAllowed(BadInput):
    """The right to ask for something, or to name it, is lacking."""


class Stale(BadInput):
    """A reply to a question that is no longer open: already answered, or rejected and asked again."""


class LimitReached(OslerError):
    """A limit ran out. `limit` names which one: turns, tests, minutes or cost."""

    def __init__(self, limit: str, what: str) -> None:
        super().__init__(what)
        self.limit = limit


class TimeUp(OslerError):
    """A clock in wall time, such as a station's, ran out while a person was asked: the encounter ends there,
    and is judged by what it holds."""


class InvalidPlay(OslerError):
    """The player under test gave no valid move within its retries. `cause` is that of the last attempt."""

    def __init__(self, what: str, *, where: str = "", cause: str = "") -> None:
        super().__init__(what, where=where)
        self.cause = cause


class SimulatorFault(OslerError):
    """A seat that belongs to the simulation failed or broke its own rules. `cause` as in `InvalidPlay`."""

    def __init__(self, what: str, *, where: str = "", cause: str = "") -> None:
        super().__init__(what, where=where)
        self.cause = cause


class InfrastructureFault(OslerError):
    """Network, quota or disk failed; the run pauses and can be resumed."""


class EpisodeFault(InfrastructureFault):
    """A fault that concerns one episode. The caller of the episode decides: either the episode ends unscored
    with `status`, or the run pauses. `trace` is the episode as it then ends, once it has left the table."""

    status: ClassVar[Status] = Status.ENDPOINT_FAULT
    cause: str = ""
    outcome: Any = None
    trace: Any = None

    async def concerns_the_episode_only(self) -> bool:
        """Whether others can go on, as far as can be found out now."""
        return True


class PlayerFault(EpisodeFault):
    """The code of a player raised what is no ValueError: a fault of the program, never an answer."""

    status = Status.PLAYER_FAULT

    def __init__(self, player: str, error: BaseException) -> None:
        self.cause = type(error).__name__
        said = " ".join("".join(c if c.isprintable() else " " for c in str(error)[:2000]).split())[:300]
        what = f"the player {player} raised {self.cause}" + (f": {said}" if said else "")
        hint = "mend the player and resume; --max-errors N goes on without such episodes"
        super().__init__(what, hint=hint)


class TooManyFaults(InfrastructureFault):
    """More than `allowed` episodes ended by faults; `found` did."""

    def __init__(self, found: int, allowed: int, last: str) -> None:
        self.found, self.allowed = found, allowed
        super().__init__(f"{found} episodes ended by faults, more than {allowed}; the last: {last}")


class Diverged(OslerError):
    """A recorded exchange does not match what the protocol asks now."""


def status_of(error: BaseException) -> Status | None:
    """The status an episode ends with after `error`; `None` if it must not end (resume it instead)."""
    if isinstance(error, InvalidPlay):
        return Status.OUT_OF_BUDGET if error.cause == CONTEXT else Status.INVALID_PLAY
    if isinstance(error, SimulatorFault):
        return Status.SIMULATOR_FAULT
    if isinstance(error, Diverged):
        return Status.DIVERGED
    return None


def install_line(extra: str = "") -> str:
    """The advice that installs Osler, with an extra if one is named; from its folder, as no index has it.

    >>> osler.errors.install_line("web")
    "pip install -e '.[web]' in Osler's folder"
    """
    place = f"'.[{extra}]'" if extra else "."
    return f"pip install -e {place} in Osler's folder"


def in_words(error: ValidationError, whole: str = "") -> str:
    """The first fault that pydantic found, as `place: reason`; `whole` names the place if it has none."""
    first = error.errors(include_url=False, include_input=False)[0]
    place, said = ".".join(map(str, first["loc"])) or whole, first["msg"].removeprefix("Value error, ")
    return f"{place}: {said}" if place else said


def in_short(error: ValidationError, whole: str) -> str:
    """The first five faults that pydantic found, without what was given, in 500 characters at most; `whole`
    names the place of a fault that has none."""
    result = error.errors(include_url=False, include_input=False, include_context=False)
    return "; ".join(f"{'.'.join(map(str, one['loc'])) or whole}: {one['msg']}" for one in result[:5])[:500]
