"""The routes of this room."""

from __future__ import annotations

from fastapi import APIRouter

from osler.web.evaluate import (
    branches,
    compare,
    compare_runs,
    episodes,
    exchanges,
    failures,
    judged,
    models,
    ratings,
    reports,
    results,
    runs,
    spending,
    starting,
    studies,
    word_search,
)

router = APIRouter(prefix="/api", tags=["evaluate"])
_RUNS = (runs, episodes, exchanges, compare, compare_runs, reports, starting, spending, models, branches)
for part in (*_RUNS, word_search, failures, results, studies, ratings, judged):
    router.include_router(part.router)
