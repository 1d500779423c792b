"""Longitudinal studies as desks, one for each stream of a doctor's career."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from osler.errors import BadInput
from osler.protocols.consultation.longitudinal import desks as longitudinal
from osler.web.house import TheHouse
from osler.web.problems import NotFound
from osler.web.rights import needs
from osler.web.watch.seeing import Looking

router = APIRouter()
StudyKey = Annotated[str, Path(max_length=100)]


@router.get("/desks", dependencies=[needs("watch")])
def studies(house: TheHouse, looking: Looking) -> list[str]:
    """The keys of the longitudinal studies in the store, the latest first."""
    return longitudinal.study_keys(one.run for one in looking.among(house.store.runs()))


@router.get("/desks/{key}", dependencies=[needs("watch")])
def desks(house: TheHouse, looking: Looking, key: StudyKey) -> longitudinal.Desks:
    """The desks of one study, as far as it was played."""
    try:
        return longitudinal.desks(looking.store(*looking.among(house.store.runs())), key)
    except BadInput as error:
        raise NotFound(error.what, where=error.where, hint=error.hint) from None
