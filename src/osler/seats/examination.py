"""The examination service's seat: answers orders from the findings of the case, and invents nothing."""

from __future__ import annotations

from typing import Literal

from pydantic import TypeAdapter

from osler.seats.contract import Contract, Request
from osler.seats.events import Frozen, View
from osler.seats.order_events import Ordered

FindingKind = Literal["examination", "test", "image"]


class FindingView(Frozen):
    """A finding of the case, with the names it may be ordered by."""

    id: str
    kind: FindingKind
    name: str
    aliases: tuple[str, ...] = ()
    result: str


class ExaminationView(View):
    """The service's view: the findings it can look up."""

    findings: tuple[FindingView, ...]


class ExaminationReply(Frozen):
    """What an order means. An order may name several things at once.

    `match_type`: `exact` and `alias` return `findings` (ids of the case's). `fuzzy`: the name is near
    something orderable, so the doctor is asked to name it in full. `none`: the case holds nothing of that
    name. `unheld` are the formulary's names of real tests that the case does not hold: the run's policy
    answers those. `unclear` are parts of the order, as written, that nothing could be made of.
    """

    match_type: Literal["exact", "alias", "fuzzy", "none"]
    findings: tuple[str, ...] = ()
    matched_test_name: str | None = None
    unheld: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    reason: str = ""


ExaminationOrder = Request[ExaminationView]
EXAMINATION: Contract[ExaminationView, ExaminationReply] = Contract(
    "examination", ExaminationView, TypeAdapter(ExaminationReply)
)


def order_of(request: ExaminationOrder) -> Ordered:
    """The order to answer now."""
    return next(item for item in reversed(request.feed) if type(item) is Ordered)
