"""The 12-lead ECG: three rows of four leads and a lead II rhythm strip, on paper at 4 pixels a mm.

The signal is a sum of waves: each a Gaussian, projected on twelve leads by its axis. In the frontal plane a
wave is a vector; a lead sees its part along the lead's own direction, the augmented leads 0.87 of it, so that
I + III = II as on any true tracing. The chest leads have a table of ordinary heights.
Source of the ordinary figures: Surawicz, Chou's Electrocardiography in Clinical Practice, 6th edition, 2008.
"""

from __future__ import annotations

import math
import random
from functools import cache
from hashlib import blake2b
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from osler.core.pictures import Ecg, Lead
from osler.pictures.sheet import INK, Colour, Sheet

Signal = NDArray[np.float64]
_DIRECTIONS: Final[dict[Lead, float]] = {"I": 0, "II": 60, "III": 120, "aVR": -150, "aVL": -30, "aVF": 90}
_AUGMENTED: Final = math.cos(math.radians(30))
_FIBRILLATION_HZ: Final = (4.3, 5.6, 6.7, 8.1)
_FIBRILLATION_IN: Final[dict[Lead, float]] = {"V1": 1.0, "V2": 0.7, "II": 0.7, "III": 0.7, "aVF": 0.7}
_WIDE_Q_MM, _DEEP_S_MM = -4.0, -5.0


class _Wave(NamedTuple):
    """A typical wave.

    Its size (mm) and direction (degrees; relative to the QRS axis for Q, R and S) in the frontal plane, and
    its heights in V1 to V6 (mm).
    """

    size: float
    direction: float
    chest: tuple[float, float, float, float, float, float]


_P: Final = _Wave(1.3, 55, (0.5, 0.7, 0.7, 0.7, 0.7, 0.6))
_Q: Final = _Wave(1.2, 150, (0, 0, 0, 0, -0.9, -0.9))
_R: Final = _Wave(11, 0, (2.5, 5, 9, 14, 14.5, 11))
_S: Final = _Wave(1.8, -170, (-12, -15, -9, -5, -2, -1))
_T: Final = _Wave(3.2, 45, (-0.6, 2.5, 4, 4.5, 3.8, 2.8))


def _height(wave: _Wave, lead: Lead, axis: float = 0) -> float:
    if lead in _DIRECTIONS:
        seen = math.cos(math.radians(wave.direction + axis - _DIRECTIONS[lead]))
        return wave.size * seen * (_AUGMENTED if lead.startswith("a") else 1)
    return wave.chest[int(lead[1]) - 1]


def beats(ecg: Ecg, seconds: float) -> list[float]:
    """The onset of each QRS in seconds, from before 0 to after `seconds`. The mean rate is exact.

    Uneven intervals are quantiles of a triangular distribution, in an order fixed by the picture's own data.
    """
    mean = 60 / ecg.rate_per_min
    count = max(1, round(seconds / mean))
    spread = [_quantile((n + 0.5) / count) for n in range(count)]
    drift = sum(spread) / count
    intervals = [mean * (1 + ecg.irregular * (each - drift)) for each in spread]
    random.Random(_seed(ecg)).shuffle(intervals)  # noqa: S311 - a picture, not a secret
    onsets = [-1.7 * mean, -0.7 * mean, 0.3 * mean]
    while onsets[-1] < seconds + 1:
        onsets.append(onsets[-1] + intervals[(len(onsets) - 3) % count])
    return onsets


def _quantile(share: float) -> float:
    """The quantile function of the triangular distribution on -1.3 to 2.1 with mode -0.8: its mean is 0."""
    low, peak, high = -1.3, -0.8, 2.1
    if share < (peak - low) / (high - low):
        return low + math.sqrt(share * (high - low) * (peak - low))
    return high - math.sqrt((1 - share) * (high - low) * (high - peak))


def _seed(ecg: Ecg) -> int:
    return int.from_bytes(blake2b(ecg.model_dump_json().encode(), digest_size=8).digest(), "big")


def trace(ecg: Ecg, lead: Lead, times: Signal, onsets: list[float]) -> Signal:
    """The height of a lead above the baseline in mm at each of `times` (seconds)."""
    total = np.zeros_like(times)
    for onset in onsets:
        near = np.abs(times - onset) < 1.2
        if near.any():
            total[near] += _beat(ecg, lead, (times[near] - onset) * 1000)
    if not ecg.p_waves and ecg.baseline_mm:
        total += ecg.baseline_mm * _FIBRILLATION_IN.get(lead, 0.5) * _undulation(_seed(ecg), times)
    return total


def _beat(ecg: Ecg, lead: Lead, ms: Signal) -> Signal:
    """One beat; `ms` counts from the onset of its QRS."""
    qrs, qt = ecg.qrs_ms, ecg.qt_ms
    q, r, s = (_height(wave, lead, ecg.axis_degrees) for wave in (_Q, _R, _S))
    q_width = 0.08
    if lead in ecg.q_waves:
        q, q_width, r = _WIDE_Q_MM, 0.13, r * 0.5
    if lead in ecg.s_waves:
        s = _DEEP_S_MM
    wave = _gaussian(ms, 0.17 * qrs, q_width * qrs) * q
    wave += _gaussian(ms, 0.45 * qrs, 0.125 * qrs) * r
    wave += _gaussian(ms, 0.78 * qrs, 0.11 * qrs) * s
    if ecg.p_waves:
        wave += _gaussian(ms, 45 - ecg.pr_ms, 20) * _height(_P, lead)
        wave += _plateau(ms, 80 - ecg.pr_ms, 0.08 * qrs, 8) * ecg.pr_segment_mm.get(lead, 0)
    st = ecg.st_mm.get(lead, 0)
    top = 0.78 * qt
    t = ecg.t_mm[lead] if lead in ecg.t_mm else _height(_T, lead) + st
    segment = _plateau(ms, 0.92 * qrs, top + 0.12 * qt, 0.05 * qrs, 0.03 * qt) * st
    carried = st / (1 + math.exp(-0.12 / 0.03))
    return (
        wave
        + segment
        + np.where(ms < top, _gaussian(ms, top, 0.13 * qt), _gaussian(ms, top, 0.1 * qt)) * (t - carried)
    )


def _gaussian(ms: Signal, centre: float, width: float) -> Signal:
    """A bump of height 1; its steepest tangent meets the baseline 2 widths from the centre."""
    return np.exp(-0.5 * ((ms - centre) / width) ** 2)


def _plateau(ms: Signal, start: float, end: float, rise: float, fall: float | None = None) -> Signal:
    """A plateau of height 1 with soft shoulders."""
    up = 1 / (1 + np.exp(np.clip(-(ms - start) / rise, -60, 60)))
    down = 1 / (1 + np.exp(np.clip((ms - end) / (fall or rise), -60, 60)))
    level: Signal = up * down
    return level


@cache
def _phases(seed: int) -> tuple[float, ...]:
    order = random.Random(seed)  # noqa: S311 - a picture, not a secret
    return tuple(order.uniform(0, math.tau) for _ in range(2 * len(_FIBRILLATION_HZ)))


def _undulation(seed: int, times: Signal) -> Signal:
    """The fine, irregular baseline of atrial fibrillation, about 1 high."""
    phases = _phases(seed)
    total = np.zeros_like(times)
    for n, hertz in enumerate(_FIBRILLATION_HZ):
        swell = 0.6 + 0.4 * np.sin(math.tau * 0.31 * (n + 1) * times + phases[n])
        total += 0.45 * swell * np.sin(math.tau * hertz * times + phases[n + len(_FIBRILLATION_HZ)])
    return total


MM: Final = 4
_MM_PER_S: Final = 25
_SECONDS: Final = 10.0
_FINE: Final[Colour] = (250, 214, 214)
_COARSE: Final[Colour] = (238, 160, 160)
_PAPER: Final[Colour] = (255, 250, 248)
_WIDE_MM, _HIGH_MM = 300, 150
_LEFT_MM, _FIRST_ROW_MM, _ROW_MM = 30, 24, 35
_ROWS: Final[tuple[tuple[Lead, ...], ...]] = (
    ("I", "aVR", "V1", "V4"),
    ("II", "aVL", "V2", "V5"),
    ("III", "aVF", "V3", "V6"),
    ("II",),
)
_POINTS_PER_S: Final = 400


def draw(ecg: Ecg) -> Sheet:
    """Draw the tracing, ten seconds long; the leads of a column are recorded simultaneously."""
    sheet = Sheet(_WIDE_MM * MM, _HIGH_MM * MM, _PAPER)
    for colour, apart in ((_FINE, 1), (_COARSE, 5)):
        for mm in range(0, _WIDE_MM + 1, apart):
            sheet.rule((mm * MM, 0), (mm * MM, _HIGH_MM * MM), colour)
        for mm in range(0, _HIGH_MM + 1, apart):
            sheet.rule((0, mm * MM), (_WIDE_MM * MM, mm * MM), colour)
    onsets = beats(ecg, _SECONDS)
    for number, leads in enumerate(_ROWS):
        base = (_FIRST_ROW_MM + _ROW_MM * number) * MM
        _calibration(sheet, base)
        long = _SECONDS / len(leads)
        for place, lead in enumerate(leads):
            _lead(sheet, ecg, lead, base, place * long, long, onsets)
    sheet.text((_LEFT_MM * MM, (_HIGH_MM - 5) * MM), "25 mm/s   10 mm/mV", size=17)
    return sheet


def _lead(
    sheet: Sheet, ecg: Ecg, lead: Lead, base: float, start: float, long: float, onsets: list[float]
) -> None:
    times = np.arange(start, start + long, 1 / _POINTS_PER_S)
    across = (_LEFT_MM + times * _MM_PER_S) * MM
    down = base - trace(ecg, lead, times, onsets) * MM
    sheet.stroke(list(zip(across.tolist(), down.tolist(), strict=True)), INK, 1.7)
    if start:
        x = (_LEFT_MM + start * _MM_PER_S) * MM
        sheet.rule((x, base - 3 * MM), (x, base + 3 * MM), INK)
    sheet.text(((_LEFT_MM + start * _MM_PER_S + 1.5) * MM, base - 20.5 * MM), lead, size=20)


def _calibration(sheet: Sheet, base: float) -> None:
    """Draw the calibration pulse: 1 mV (10 mm) for 0.2 s (5 mm)."""
    steps_mm = ((18, 0), (20, 0), (20, 10), (25, 10), (25, 0), (27, 0))
    sheet.stroke([(x * MM, base - y * MM) for x, y in steps_mm], INK, 1.7)
