"""Pieces of pictures as SVG to stand inside HTML: no script, no style of their own, all text escaped.

Horizontal places are in per cent of the width, so a picture fits a phone and its text keeps its size. What
is compared is told apart by the shape of its mark as well as by its colour, which the page gives to `rN`.
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
    """The mark of number `run`, at `x` per cent and `y` pixels."""
    # An inner picture is what can stand at a percentage; a path cannot.
    return Markup('<svg x="{}%" y="{}" overflow="visible"><path d="{}"/></svg>').format(
        short(x), short(y), SHAPES[run]
    )


def line(kind: str, x: tuple[float, float], y: tuple[float, float]) -> Markup:
    """A line of the class `kind` from first to second place."""
    return Markup('<line class="{}" x1="{}%" x2="{}%" y1="{}" y2="{}"/>').format(kind, *map(short, (*x, *y)))


def words(text: str, x: float, y: float, anchor: str) -> Markup:
    """Words that start, end or have their middle at a place."""
    return Markup('<text x="{}%" y="{}" text-anchor="{}">{}</text>').format(
        short(x), short(y), anchor, shown(text)
    )


def picture(height: float, parts: Sequence[Markup], label: str = "") -> Markup:
    """A picture as wide as its place; without a label it is not read aloud."""
    role = (
        Markup('role="img" aria-label="{}"').format(shown(label)) if label else Markup('aria-hidden="true"')
    )
    return Markup('<svg class="plot" width="100%" height="{}" {}>{}</svg>').format(
        short(height), role, Markup().join(parts)
    )


def short(value: float) -> str:
    """A number as it stands in a picture."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
