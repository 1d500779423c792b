"""The routes of this room."""

from __future__ import annotations

from fastapi import APIRouter

from osler.web.evaluate import (
    branches,
    compare,
    episodes,
    exchanges,
    models,
    reports,
    runs,
    spending,
    starting,
)

router = APIRouter(prefix="/api", tags=["evaluate"])
for part in (runs, episodes, exchanges, compare, reports, starting, spending, models, branches):
    router.include_router(part.router)
