"""DRAWING OF TRACINGS AND CHARTS: pictures rendered from their data, deterministic to the byte.

The only text on a picture is units and the labels of axes and symbols. A picture from a file is found again
by its hash, not drawn.
"""

from __future__ import annotations

import base64

from osler.core.pictures import (
    Audiogram,
    Ecg,
    Electrophoresis,
    GrowthChart,
    Held,
    ImageFile,
    Nomogram,
    Observations,
    Picture,
    Spirometry,
)
from osler.pictures import charts, curves, ecg
from osler.pictures.sheet import Sheet

__all__ = ["alt", "data_uri", "draw", "media_type"]


def draw(picture: Picture, held: Held | None = None) -> bytes:
    """Draw the picture as a PNG, 1200 pixels wide: the same data and Pillow version give the same bytes.

    Of an image file, return the bytes; `held` are those of a store, for a picture that is read from a record.
    Raises BadInput if they are not at hand.
    """
    return picture.raw(held) if isinstance(picture, ImageFile) else _sheet(picture).png()


def media_type(picture: Picture) -> str:
    """The media type of what `draw` returns."""
    return picture.media_type if isinstance(picture, ImageFile) else "image/png"


def data_uri(picture: Picture, held: Held | None = None) -> str:
    """The picture as an address that a page can carry. Raises BadInput as `draw` does."""
    return f"data:{media_type(picture)};base64,{base64.b64encode(draw(picture, held)).decode('ascii')}"


def _sheet(picture: Picture) -> Sheet:
    match picture:
        case Ecg():
            return ecg.draw(picture)
        case Spirometry():
            return curves.spirometry(picture)
        case Audiogram():
            return charts.audiogram(picture)
        case GrowthChart():
            return charts.growth_chart(picture)
        case Electrophoresis():
            return curves.electrophoresis(picture)
        case Nomogram():
            return curves.nomogram(picture)
        case Observations():
            return charts.observations(picture)
        case ImageFile():
            raise TypeError("an image file is not drawn")


def alt(picture: Picture) -> str:
    """Alt text: the kind of picture in one neutral line, a caption that gives away nothing it shows."""
    match picture:
        case Ecg():
            return "12-lead electrocardiogram, 25 mm/s, 10 mm/mV"
        case Spirometry():
            return "Spirometry: volume against time, and flow against volume"
        case Audiogram():
            return "Pure tone audiogram of both ears"
        case GrowthChart():
            return f"Growth chart: {picture.measure} for age against centile lines"
        case Electrophoresis():
            return "Serum protein electrophoresis: strip and densitogram"
        case Nomogram():
            return "Nomogram: plasma concentration against hours since ingestion"
        case Observations():
            return "Observation chart"
        case ImageFile():
            return "An image of this case"
