"""DRAWING OF TRACINGS AND CHARTS: pictures rendered from their data, deterministic to the byte.

The only text on a picture is units and the labels of axes and symbols.
"""

from __future__ import annotations

from osler.core.pictures import (
    Audiogram,
    Ecg,
    Electrophoresis,
    GrowthChart,
    Nomogram,
    Observations,
    Picture,
    Spirometry,
)
from osler.pictures import charts, curves, ecg
from osler.pictures.sheet import Sheet

__all__ = ["alt", "draw"]


def draw(picture: Picture) -> bytes:
    """Draw the picture as a PNG, 1200 pixels wide: the same data and Pillow version give the same bytes."""
    return _sheet(picture).png()


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
