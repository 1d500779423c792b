"""The end of an encounter: as the story decides, or by a fault of a player or of the simulation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from osler.core.events import Ended
from osler.core.table import Table
from osler.core.trace import Outcome
from osler.errors import EpisodeFault, InvalidPlay, SimulatorFault, Status, TimeUp, status_of


async def outcome_of(
    table: Table,
    story: Callable[[], Awaitable[tuple[Status, str]]],
    counts: Callable[[], Mapping[str, int]],
) -> Outcome:
    """Run a story, which returns its status and the reason in words, and close the table.

    `counts` is called once the story is over and returns its counters by name.

    Raises only what must not end an episode: infrastructure faults, divergence. An EpisodeFault has the
    outcome of the episode, should it end by that, in `outcome`.

        >>> import asyncio
        >>> from osler.core.episode import TeeRecorder
        >>> async def story():
        ...     return osler.Status.COMPLETED, "concluded"
        >>> table = osler.Table({}, TeeRecorder(), world="w", under_test="doctor")
        >>> asyncio.run(osler.outcome_of(table, story, lambda: {"tests": 1})).counts
        {'tests': 1}
    """

    def ended(status: Status, reason: str, cause: str = "") -> Outcome:
        table.tell(Ended, status=status, reason=reason, cause=cause)
        return Outcome(
            status=status,
            reason=reason,
            minutes=table.minute,
            exchanges=table.exchanges,
            counts=counts(),
            tail=table.close(),
        )

    try:
        status, reason = await story()
    except (InvalidPlay, SimulatorFault) as fault:
        return ended(status_of(fault) or Status.SIMULATOR_FAULT, str(fault), fault.cause)
    except TimeUp as up:
        return ended(Status.OUT_OF_BUDGET, f"time: {up}")
    except EpisodeFault as fault:
        fault.outcome = ended(fault.status, str(fault), fault.cause)
        raise
    return ended(status, reason)
