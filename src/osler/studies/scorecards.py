"""The scorecard of a seat's player, as its protocol makes it."""

from __future__ import annotations

from osler.core.events import Seat
from osler.core.lazy import load
from osler.errors import BadInput
from osler.reports.scorecard import Scorecard
from osler.runs.run import protocol_of
from osler.store.records import RunInfo
from osler.store.store import Store


def scorecard(run: RunInfo, store: Store, seat: Seat) -> Scorecard:
    """Return the scorecard of a seat's player over a run. Raises BadInput for a protocol without that seat,
    or without a scorecard for it."""
    protocol = protocol_of(run)
    score = load(protocol.role(seat).scorecard)
    if score is None:
        known = [role.name for role in protocol.roles if role.scorecard is not None]
        hint = f"known: {', '.join(known)}" if known else "its runs are scored by their measures alone"
        raise BadInput(f"the {seat} of {protocol.many} has no scorecard", where=run.name, hint=hint)
    result = score(run, store)
    assert isinstance(result, Scorecard), "a scorecard is one"
    return result
