"""Watching an episode: its log in one view, its pictures, and the player as one file."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, Response
from pydantic import TypeAdapter

from osler.choreography.plan import our_plan
from osler.choreography.scene import Choreography
from osler.core.pictures import ImageFile, Picture
from osler.core.protocol import Protocol
from osler.pictures import draw, media_type
from osler.runs.run import protocol_of
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.web.house import TheHouse
from osler.web.lookups import Ordinal, Place, RunName
from osler.web.problems import NotFound
from osler.web.rights import needs
from osler.web.watch import log as logs
from osler.web.watch import scenes
from osler.web.watch.player import player_html
from osler.web.watch.schemas import HospitalPlan, Log
from osler.web.watch.seats import seats_of
from osler.web.watch.seeing import Looking, Onlooker, view_named

router = APIRouter()
ViewName = Annotated[str, Query(max_length=100)]
_KEPT = "private, max-age=31536000, immutable"
_PICTURE: TypeAdapter[Any] = TypeAdapter(Picture)


def eyes(store: Store, looking: Onlooker, place: Place, protocol: Protocol, view: str) -> str:
    """The view that a visitor asks for, if it may be seen. Raises NotAllowed and NotFound."""
    result = looking.sight(place, seats_of(store, place, protocol))
    return view_named(result, view, protocol.under_test)


def picture_at(run: RunInfo, n: int, view: str) -> Callable[[str], str]:
    """The addresses of an episode's pictures in a view, by the id of their item."""
    return lambda item: f"/api/episodes/{run.name}/{n}/pictures/{item}.png?view={view}"


@router.get("/episodes/{run}/{n}/log", dependencies=[needs("watch")])
def log(
    house: TheHouse,
    looking: Looking,
    run: RunName,
    n: Ordinal,
    view: ViewName = "doctor",
    after: Annotated[str, Query(max_length=20)] = "",
) -> Log:
    """The log of an episode as one view has it."""
    place = looking.episode(run, n)
    seen = eyes(house.store, looking, place, protocol_of(place.run), view)
    return logs.log(house.store, place.run, n, seen, after, picture_at(place.run, n, seen))


@router.get("/episodes/{run}/{n}/choreography", dependencies=[needs("watch")])
def choreography(
    house: TheHouse, looking: Looking, run: RunName, n: Ordinal, view: ViewName = "doctor"
) -> Choreography:
    """The choreography of an episode as one view has it: of what was recorded so far."""
    place = looking.episode(run, n)
    seen = eyes(house.store, looking, place, protocol_of(place.run), view)
    return scenes.choreography(house.store, place.run, n, seen, picture=picture_at(place.run, n, seen))


@router.get("/plan", dependencies=[needs("watch")])
def hospital_plan() -> HospitalPlan:
    """The plan of the hospital, on which choreographies are played."""
    return HospitalPlan.model_validate(our_plan().as_json())


@router.get(
    "/episodes/{run}/{n}/pictures/{item}.png",
    dependencies=[needs("watch")],
    response_class=Response,
    responses={200: {"content": {"image/png": {}, "image/jpeg": {}}}},
)
def picture(
    house: TheHouse, looking: Looking, run: RunName, n: Ordinal, item: str, view: ViewName = "doctor"
) -> Response:
    """A picture of an episode, drawn from the event that shows it to this view, or its file."""
    place = looking.episode(run, n)
    protocol = protocol_of(place.run)
    seen = logs.view_of(protocol, eyes(house.store, looking, place, protocol, view))
    at = logs.id_of(item)
    record = logs.recorded(house.store, place.run.id, n)
    entry = next((one for one in logs.entries(record) if one.at == at), None)
    held = getattr(entry.event, "picture", None) if entry is not None else None
    if entry is None or held is None or logs.seen(entry, seen, protocol) is None:
        raise NotFound("there is no such picture in this view", where=f"{place.name} {item[:20]}")
    image = draw(held, house.store.picture) if isinstance(held, ImageFile) else drawn(held.model_dump_json())
    return Response(image, media_type=media_type(held), headers={"cache-control": _KEPT})


@lru_cache(maxsize=64)
def drawn(picture: str) -> bytes:
    """A picture that is drawn (its JSON) as a PNG."""
    return draw(_PICTURE.validate_json(picture))


@router.get("/episodes/{run}/{n}/player.html", dependencies=[needs("watch")], response_class=HTMLResponse)
def player(
    house: TheHouse, looking: Looking, run: RunName, n: Ordinal, view: ViewName = "doctor"
) -> HTMLResponse:
    """The episode with its player as one file, to be kept and opened anywhere."""
    place = looking.episode(run, n)
    seen = eyes(house.store, looking, place, protocol_of(place.run), view)
    page = player_html(house.store, place.run, n, seen)
    return HTMLResponse(
        page.text,
        headers={
            "content-security-policy": f"{page.policy}; sandbox allow-scripts",
            "content-disposition": f'attachment; filename="{place.run.name}-{n}-{seen}.html"',
        },
    )
