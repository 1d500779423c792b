"""Curves drawn from a few figures: spirometry, serum protein electrophoresis, the nomogram of a drug level.

In spirometry, flow falls from the peak to the end of a blow with the share `x` of the volume still to come:
along x ** k (k below 1 bulges out) or along a mixture of x and x ** 7 (which sags in). The shape parameter
is solved for so that the volume after one second is the FEV1. In electrophoresis the area under each peak is
its fraction in g/L; positions and widths along the strip are typical values.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.core.pictures import Blow, Electrophoresis, Nomogram, Spirometry
from osler.pictures.sheet import BLUE, FAINT, GREY, INK, RED, Axes, Axis, Colour, Sheet, steps

_RISE_S: Final = 0.1
_SAG_POWER: Final = 7
_END_SHARE: Final = 0.02
_LONGEST_S: Final = 15.0
_FEWEST_S: Final = 6.0
_INSPIRED: Final = 0.65
"""Peak of the inspiratory limb as a share of the predicted peak flow: not measured, so a typical value."""


class _Curve(NamedTuple):
    seconds: NDArray[np.float64]
    litres: NDArray[np.float64]
    flow: NDArray[np.float64]


def blown(blow: Blow) -> _Curve:
    """Time (s), volume (L) and flow (L/s) of a blow, sampled along its volume. Volume at 1 s is the FEV1."""
    low, high = -0.95, 0.99
    for _ in range(25):
        shape = (low + high) / 2
        curve = _curve(blow, shape)
        if float(np.interp(1, curve.seconds, curve.litres)) > blow.fev1_l:
            low = shape
        else:
            high = shape
    return _curve(blow, (low + high) / 2)


def _curve(blow: Blow, shape: float) -> _Curve:
    """The curve for one shape: above 0 sags inwards, below 0 bulges outwards, 0 falls straight."""
    first = min(blow.peak_l_per_s * _RISE_S / 2, 0.25 * blow.fev1_l)
    rising = np.linspace(0, 1, 20)
    left = np.geomspace(1, _END_SHARE, 160)
    flow = blow.peak_l_per_s * (
        (1 - shape) * left + shape * left**_SAG_POWER if shape > 0 else left ** (1 + shape)
    )
    litres = first + (1 - left) / (1 - _END_SHARE) * (blow.fvc_l - first)
    between = np.diff(litres) / ((flow[1:] + flow[:-1]) / 2)
    peak_at = 2 * first / blow.peak_l_per_s
    return _Curve(
        np.concatenate([rising * peak_at, peak_at + np.cumsum(between)]),
        np.concatenate([first * rising**2, litres[1:]]),
        np.concatenate([blow.peak_l_per_s * rising, flow[1:]]),
    )


def spirometry(picture: Spirometry) -> Sheet:
    """Volume against time beside the flow-volume loop: a colour for each blow, the predicted one dashed."""
    sheet = Sheet(1200, 680)
    blows: list[tuple[str, Blow, Colour]] = [("Predicted", picture.predicted, GREY)]
    blows.append(("Before bronchodilator" if picture.after else "Measured", picture.before, BLUE))
    if picture.after:
        blows.append(("After bronchodilator", picture.after, RED))
    volume = max(blow.fvc_l for _, blow, _ in blows) * 1.12
    peak = max(blow.peak_l_per_s for _, blow, _ in blows) * 1.12
    curves = {name: blown(blow) for name, blow, _ in blows}
    longest = min(_LONGEST_S, max(_FEWEST_S, *(math.ceil(c.seconds[-1]) for c in curves.values())))
    inspired = picture.predicted.peak_l_per_s * _INSPIRED
    over_time = Axes(sheet, (95, 70, 580, 590), Axis(0, longest), Axis(0, volume))
    over_volume = Axes(sheet, (710, 70, 1165, 590), Axis(0, volume), Axis(-inspired * 1.15, peak))
    over_time.columns(range(int(longest) + 1))
    over_time.rows(steps(0, volume, 8))
    over_volume.columns(steps(0, volume, 7))
    over_volume.rows(steps(-inspired * 1.15, peak, 10))
    sheet.rule(over_volume.at(0, 0), over_volume.at(volume, 0), GREY, 2)
    for number, (name, blow, colour) in enumerate(blows):
        curve = curves[name]
        time = [*zip(curve.seconds.tolist(), curve.litres.tolist(), strict=True), (longest, blow.fvc_l)]
        loop = [*zip(curve.litres.tolist(), curve.flow.tolist(), strict=True), (blow.fvc_l, 0.0)]
        if name == "Predicted":
            sheet.dashes([over_time.at(*p) for p in time if p[0] <= longest], colour)
            sheet.dashes([over_volume.at(*p) for p in loop], colour)
        else:
            over_time.curve(time, colour, 3)
            over_volume.curve(loop + _inspiration(blow.fvc_l, inspired), colour, 3)
        x = 95 + 330 * number
        (sheet.dashes if name == "Predicted" else sheet.stroke)([(x, 34), (x + 40, 34)], colour, 3)
        sheet.text((x + 52, 34), name, anchor="lm", colour=INK)
    over_time.frame("Time (s)", "Volume (L)")
    over_volume.frame("Volume (L)", "Flow (L/s)")
    return sheet


def _inspiration(fvc: float, deepest: float) -> list[tuple[float, float]]:
    angles = np.linspace(0, math.pi, 60)
    return [(fvc / 2 * (1 + math.cos(a)), -deepest * math.sin(a)) for a in angles.tolist()]


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


def electrophoresis(picture: Electrophoresis) -> Sheet:
    """The stained strip with its poles, above the densitogram over the five zones."""
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


_NAMED: Final = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
_PALE: Final[Colour] = (240, 242, 245)
_FIRST_H, _LAST_H, _HALVED_EVERY_H = 4, 24, 4


def line_at(picture: Nomogram, hours: float) -> float:
    """The treatment line in mg/L, `hours` (4 to 24) after ingestion."""
    return float(picture.line_at_4h_mg_per_l * 0.5 ** ((hours - _FIRST_H) / _HALVED_EVERY_H))


def nomogram(picture: Nomogram) -> Sheet:
    """The treatment line from 4 to 24 hours, on a logarithmic scale, and the level.

    A level below the scale is drawn on its lowest line.
    """
    sheet = Sheet(1200, 860)
    axes = Axes(sheet, (125, 40, 1160, 770), Axis(0, _LAST_H), Axis(2, 1000, log=True))
    axes.rows([n * power for power in (1, 10, 100) for n in range(2, 10)], named=False, colour=_PALE)
    axes.rows(_NAMED, colour=FAINT)
    axes.columns(range(0, _LAST_H + 1, 2))
    ends = [(float(h), line_at(picture, h)) for h in (_FIRST_H, _LAST_H)]
    axes.curve(ends, RED, 3)
    x, y = axes.at(13, line_at(picture, 13))
    sheet.text((x + 14, y - 14), "Treatment line", colour=RED, anchor="ls")
    axes.frame("Hours since ingestion", "Plasma concentration (mg/L, logarithmic scale)", room=85)
    sheet.dot(axes.at(picture.hours, max(picture.level_mg_per_l, axes.y.low)), 10, INK)
    return sheet
