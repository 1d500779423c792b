"""The pictures of a person's seat, as addresses: their data would tell what is to be seen."""

from __future__ import annotations

from typing import Any

from osler.core.events import Seat
from osler.core.pictures import Picture
from osler.web.watch.log import Recorded, entries


def picture_of(record: Recorded, seat: Seat, id: str) -> Picture | None:
    """The picture of a log item, if this seat was shown one in it."""
    for entry in entries(record):
        if entry.event is not None and "{}.{}".format(*entry.at) == id and seat in entry.event.to:
            picture: Picture | None = getattr(entry.event, "picture", None)
            return picture
    return None


def without_pictures(view: dict[str, Any], pictures: str) -> dict[str, Any]:
    """A view whose pictures are addresses that begin with `pictures`."""
    images = view.get("images")
    if not isinstance(images, list):
        return view
    shown = [
        {**image, "picture": f"{pictures}/view-{n}.png" if image.get("picture") else ""}
        for n, image in enumerate(images)
    ]
    return {**view, "images": shown}
