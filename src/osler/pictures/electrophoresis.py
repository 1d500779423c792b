"""Serum protein electrophoresis: the stained strip above its densitogram.

The area under each peak is its fraction in g/L; positions and widths along the strip are typical values.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from osler.core.pictures import Electrophoresis
from osler.pictures.sheet import GREY, INK, Axes, Axis, Sheet

_ZONES: Final = (
    ("albumin", "Albumin", 0.14, 0.026),
    ("alpha1", "Alpha-1", 0.27, 0.016),
    ("alpha2", "Alpha-2", 0.40, 0.030),
    ("beta", "Beta", 0.56, 0.032),
    ("gamma", "Gamma", 0.78, 0.070),
)
_SPIKE_WIDTH: Final = 0.015
_COLUMNS: Final = 900
_FULL_STAIN: Final = 1300.0
"""The concentration in g/L, for the whole strip, at which the stain is darkest."""


def density(picture: Electrophoresis) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The protein density at each position from 0 to 1; the area under it is the total in g/L."""
    place = np.linspace(0, 1, _COLUMNS)
    total = np.zeros(_COLUMNS)
    peaks = [(centre, width, getattr(picture, name)) for name, _, centre, width in _ZONES]
    if picture.spike:
        peaks.append((picture.spike[0], _SPIKE_WIDTH, picture.spike[1]))
    for centre, width, grams in peaks:
        total += grams / (width * np.sqrt(2 * np.pi)) * np.exp(-0.5 * ((place - centre) / width) ** 2)
    return total


def draw(picture: Electrophoresis) -> Sheet:
    """Draw the strip with its poles, and below it the curve over the five zones."""
    sheet = Sheet(1200, 760)
    protein = density(picture)
    left, right = 130, 130 + _COLUMNS + 100
    axes = Axes(sheet, (left, 190, right, 660), Axis(0, 1), Axis(0, max(float(protein.max()) * 1.08, 100.0)))
    across = np.linspace(0, _COLUMNS - 1, right - left)
    stain = np.interp(across, np.arange(_COLUMNS), 1 - np.exp(-2.2 * protein / _FULL_STAIN))
    sheet.fill((left, 50, right, 140), (246, 244, 248))
    for column, dark in enumerate(stain.tolist(), start=left):
        shade = (round(246 - 190 * dark), round(244 - 214 * dark), round(248 - 128 * dark))
        sheet.rule((column, 58), (column, 132), shade)
    sheet.text((left, 30), "Anode (+)", anchor="lm", colour=GREY)
    sheet.text((right, 30), "Cathode (-)", anchor="rm", colour=GREY)
    places = np.linspace(0, 1, _COLUMNS).tolist()
    for _, _, centre, _ in _ZONES:
        x = axes.at(centre, 0)[0]
        sheet.rule((x, 652), (x, 668), GREY, 2)
    axes.curve(zip(places, protein.tolist(), strict=True), INK, 3)
    for _, words, centre, _ in _ZONES:
        sheet.text((axes.at(centre, 0)[0], 676), words, anchor="ma")
    axes.frame("", "Stain density (relative)", room=40)
    return sheet
