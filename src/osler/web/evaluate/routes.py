"""The routes of this room."""

from __future__ import annotations

from fastapi import APIRouter

from osler.web.evaluate import (
    branches,
    compare,
    episodes,
    exchanges,
    failures,
    models,
    reports,
    runs,
    starting,
    word_search,
)

router = APIRouter(prefix="/api", tags=["evaluate"])
for part in (runs, episodes, exchanges, compare, reports, starting, models, branches, word_search, failures):
    router.include_router(part.router)
