"""Reports of runs, as pages of their own."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse

from osler.errors import BadInput
from osler.models.config import Config as Endpoints
from osler.reports.html import report_html
from osler.store.permitted_store import for_reader
from osler.studies.reporting import report_runs
from osler.web.evaluate.run_words import store_flag
from osler.web.house import House, TheHouse
from osler.web.lookups import RunCache, RunName
from osler.web.rights import needs
from osler.web.watch.seeing import Looking, Onlooker

router = APIRouter()
MOST_EPISODES: Final = 20_000
PAGE_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'self'; sandbox"
)


@router.get("/reports/{run}.html", dependencies=[needs("watch")], response_class=HTMLResponse)
async def report(
    house: TheHouse, looking: Looking, run: RunName, against: Annotated[str, Query(max_length=100)] = ""
) -> HTMLResponse:
    """The report of a run, alone or `against` another, in a policy of its own: no script, no network, no
    forms, and no origin."""
    return await house.long_work.run(looking.asking.id, lambda: _report(house, looking, run, against))


def _report(house: House, looking: Onlooker, run: str, against: str) -> HTMLResponse:
    runs = [looking.run(name) for name in dict.fromkeys((run, against)) if name]
    result = [one.run for one in runs]
    for one in result:
        if one.done > MOST_EPISODES:
            raise BadInput(
                f"a report of {one.done:,} episodes takes too long for a page",
                where=one.name,
                hint=f"osler report {one.name} --out report.html{store_flag(house.store, looking.asking)}",
            )
    try:
        prices = house.models.endpoints()
    except BadInput:  # without prices its costs are unknown
        prices = Endpoints()
    store = for_reader(house.store if looking.asking.here else looking.store(*runs), "report")

    def written() -> str:
        def made() -> str:
            return report_html(report_runs(result, store, controls=False, prices=prices))

        return store.as_far_as_readable(made)

    room: RunCache[str] = house.rooms.setdefault("evaluate.reports", RunCache())
    key, people = tuple(one.done for one in result), any(one.people for one in runs)
    text = room.get(tuple(one.id for one in result), key, written, people=people)
    return HTMLResponse(text, headers={"content-security-policy": PAGE_POLICY})
