"""The nomogram of a timed drug level: logarithmic scale, with the treatment line from 4 to 24 hours."""

from __future__ import annotations

from typing import Final

from osler.core.pictures import Nomogram
from osler.pictures.sheet import FAINT, INK, RED, Axes, Axis, Colour, Sheet

_NAMED: Final = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
_PALE: Final[Colour] = (240, 242, 245)
_FIRST_H, _LAST_H, _HALVED_EVERY_H = 4, 24, 4


def line_at(picture: Nomogram, hours: float) -> float:
    """The treatment line in mg/L, `hours` (4 to 24) after ingestion."""
    return float(picture.line_at_4h_mg_per_l * 0.5 ** ((hours - _FIRST_H) / _HALVED_EVERY_H))


def draw(picture: Nomogram) -> Sheet:
    """Draw the line and the level. A level below the scale is drawn on its lowest line."""
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
