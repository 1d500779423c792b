"""Spirometry: volume against time beside the flow-volume loop.

From the peak to the end of a blow, flow falls with the share `x` of the volume still to come: along x ** k (k
below 1 bulges out) or along a mixture of x and x ** 7 (which sags in). The one shape parameter is solved for
so that the volume after one second is the FEV1.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.core.pictures import Blow, Spirometry
from osler.pictures.sheet import BLUE, GREY, INK, RED, Axes, Axis, Colour, Sheet, steps

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


def draw(picture: Spirometry) -> Sheet:
    """Draw both graphs; each blow in its own colour, the predicted one dashed."""
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
