"""The entrance: who one is here, coming in by a link, and signing out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from fastapi import APIRouter, Response
from pydantic import Field

import osler
from osler.web.house import House, TheHouse
from osler.web.rights import Asking, Right, Visitor
from osler.web.schemas import BrowserModel, ServerModel

NOTICE: Final = "For education and research only. Not medical advice; no real patient's data, please."
router = APIRouter(prefix="/api", tags=["entrance"])


class Me(ServerModel):
    """The visitor's rights here. `until` is the date on which a shared server shuts."""

    rights: list[Right]
    shared: bool
    until: datetime | None
    version: str
    notice: str


class Enter(BrowserModel):
    """The token of a link."""

    token: str = Field(min_length=1, max_length=64)


@router.get("/me")
def me(house: TheHouse, asking: Asking) -> Me:
    """Your rights here."""
    return _me(house, asking)


@router.post("/enter")
def enter(given: Enter, house: TheHouse, response: Response, asking: Asking) -> Me:
    """Come in by the token of a link; the cookie that is set carries its rights."""
    return _me(house, house.visitors.enter(given.token, asking, response))


@router.post("/sign-out", status_code=204)
def sign_out(house: TheHouse, response: Response, asking: Asking) -> None:
    """End your rights here: the cookie is removed, and a copy of it opens nothing any more."""
    house.visitors.sign_out(asking, response)


def _me(house: House, visitor: Visitor) -> Me:
    until = house.door.until
    return Me(
        rights=sorted(visitor.rights),
        shared=house.door.shared,
        until=None if until is None else datetime.fromtimestamp(until, UTC),
        version=osler.__version__,
        notice=NOTICE,
    )
