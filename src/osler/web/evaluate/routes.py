"""The routes of this room."""

from __future__ import annotations

from fastapi import APIRouter

from osler.web.evaluate import (
    branches,
    compare,
    compare_runs,
    episodes,
    exchanges,
    models,
    reports,
    runs,
    starting,
)

router = APIRouter(prefix="/api", tags=["evaluate"])
for part in (runs, episodes, exchanges, compare, compare_runs, reports, starting, models, branches):
    router.include_router(part.router)
