"""A route that tells a watcher what a learner keeps, and the test that finds it.

A shared server has a room and a learner who permits practice alone; every kind of visitor asks. Prints
`watcher reads the diagnosis`, `watcher reads the words`, and the same for both teachers: such a route must
ask `osler.web.watch.seeing.sight` first, because nobody else reads such a learner.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

from fastapi import APIRouter, FastAPI

from osler.store.store import open_store
from osler.testing.hostile_visitor import KINDS, MAY_READ, leaks, scene
from osler.web.app import application
from osler.web.house import House, TheHouse
from osler.web.rights import needs

router = APIRouter(prefix="/api/notes", dependencies=[needs("watch")])


@router.post("/{run}")
def notes(house: TheHouse, run: str) -> list[str]:
    """Every reply of a run: whoever may watch reads what a learner keeps."""
    return [row.reply for row in house.store.recorded(house.store.run(run).id, 0)]


def build(house: House) -> FastAPI:
    app = application(house)
    app.include_router(router)
    return app


with (
    TemporaryDirectory() as folder,
    open_store(Path(folder) / "osler.db") as store,
    scene(House(store), build) as visit,
):
    for who in KINDS:
        answer = visit.ask(who, "POST", "/api/notes/{run}", {})
        for mark in sorted(set(leaks(answer)) - MAY_READ[who]):
            print(f"{who} reads the {mark}")
