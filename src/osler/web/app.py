"""The application: every room's routes behind one guard, and one form for every error."""

from __future__ import annotations

from fastapi import FastAPI

import osler
from osler.web.entrance import router as entrance
from osler.web.evaluate.routes import router as evaluate
from osler.web.examples.routes import router as examples
from osler.web.guard import Guard
from osler.web.house import House
from osler.web.openapi import describe, operation
from osler.web.practise.routes import router as practise
from osler.web.problems import answer_problems
from osler.web.static import Pages
from osler.web.teach.routes import router as teach
from osler.web.watch.routes import router as watch


def application(house: House) -> FastAPI:
    """The application over an open house."""
    app = FastAPI(
        title="Osler",
        version=osler.__version__,
        docs_url=None,
        redoc_url=None,
        swagger_ui_oauth2_redirect_url=None,
        generate_unique_id_function=operation,
        redirect_slashes=False,
    )
    app.state.house = house
    for router in (entrance, practise, teach, evaluate, watch, examples):
        app.include_router(router)
    app.add_route("/{path:path}", Pages(house.visitors).page, methods=["GET"], include_in_schema=False)
    answer_problems(app)
    describe(app)
    app.add_middleware(Guard, door=house.door, visitors=house.visitors, ending=house.ending)
    return app
