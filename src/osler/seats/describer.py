"""The describer's seat: describes pictures for a doctor that cannot see, without naming a disease."""

from __future__ import annotations

from pydantic import Field, TypeAdapter

from osler.seats.contract import Contract, Request
from osler.seats.events import Frozen, View
from osler.seats.order_events import Pictured


class DescriberView(View):
    """The describer's view, which is empty: it knows only the pictures it is shown."""


class Description(Frozen):
    """What is to be seen."""

    text: str = Field(min_length=1, max_length=4000)


DescriberTurn = Request[DescriberView]
DESCRIBER: Contract[DescriberView, Description] = Contract(
    "describer", DescriberView, TypeAdapter(Description)
)


def picture_of(request: DescriberTurn) -> Pictured:
    """The picture to describe now."""
    return next(item for item in reversed(request.feed) if type(item) is Pictured)
