"""The routes of this room."""

from __future__ import annotations

from fastapi import APIRouter

from osler.web.evaluate import (
    branches,
    compare,
    episodes,
    exchanges,
    judged,
    models,
    ratings,
    reports,
    results,
    runs,
    spending,
    starting,
    studies,
)

router = APIRouter(prefix="/api", tags=["evaluate"])
_RUNS = (runs, episodes, exchanges, compare, reports, starting, spending, models, branches)
for part in (*_RUNS, results, studies, ratings, judged):
    router.include_router(part.router)
