"""The 12-lead ECG: three rows of four leads and a lead II rhythm strip, on paper at 4 pixels a mm."""

from __future__ import annotations

from typing import Final

import numpy as np

from osler.core.pictures import Ecg, Lead
from osler.pictures.ecg_waves import beats, trace
from osler.pictures.sheet import INK, Colour, Sheet

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
