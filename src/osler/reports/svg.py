"""Inline SVG primitives: marks, lines, text. No script, no style of their own, all text escaped.

Horizontal positions are percentages of the width, so a picture fits a phone and its text keeps its size.
Series are told apart by the shape of their marks as well as by colour, which the page gives to class `rN`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from osler.reports.page import shown

SHAPES: Final = (
    "M-5,0a5,5 0 1,0 10,0a5,5 0 1,0 -10,0z",  # circle
    "M-4.5,-4.5h9v9h-9z",  # square
    "M0,-6L5.5,4.5H-5.5z",  # triangle
    "M0,-6.5L6,0L0,6.5L-6,0z",  # diamond
    "M0,6L5.5,-4.5H-5.5z",  # triangle on its point
    "M-2,-6h4v4h4v4h-4v4h-4v-4h-4v-4h4z",  # plus
    "M-6,-4L-4,-6L0,-2L4,-6L6,-4L2,0L6,4L4,6L0,2L-4,6L-6,4L-2,0z",  # cross
    "M-3,-5.2h6L6,0L3,5.2h-6L-6,0z",  # hexagon
)


def mark_at(run: int, x: float, y: float) -> Markup:
    """Draw the mark of number `run` at `x` per cent and `y` pixels."""
    # A nested svg can be positioned by a percentage; a path cannot.
    return Markup('<svg x="{}%" y="{}" overflow="visible"><path d="{}"/></svg>').format(
        short(x), short(y), SHAPES[run]
    )


def line(kind: str, x: tuple[float, float], y: tuple[float, float]) -> Markup:
    """Draw a line of CSS class `kind`; `x` (per cent) and `y` (pixels) are each (from, to)."""
    return Markup('<line class="{}" x1="{}%" x2="{}%" y1="{}" y2="{}"/>').format(kind, *map(short, (*x, *y)))


def words(text: str, x: float, y: float, anchor: str) -> Markup:
    """Draw text anchored at a point by its `start`, `middle` or `end`."""
    return Markup('<text x="{}%" y="{}" text-anchor="{}">{}</text>').format(
        short(x), short(y), anchor, shown(text)
    )


def picture(height: float, parts: Sequence[Markup], label: str = "") -> Markup:
    """Return an SVG as wide as its container; without a label screen readers skip it."""
    role = (
        Markup('role="img" aria-label="{}"').format(shown(label)) if label else Markup('aria-hidden="true"')
    )
    return Markup('<svg class="plot" width="100%" height="{}" {}>{}</svg>').format(
        short(height), role, Markup().join(parts)
    )


def short(value: float) -> str:
    """Format a coordinate compactly, to at most two decimal places."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
