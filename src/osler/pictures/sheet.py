"""The canvas that pictures are drawn on: smooth strokes, text, and axes that map values to coordinates.

Coordinates are pixels from the top left corner. Strokes are anti-aliased by supersampling: they are drawn
several times too large and scaled down; straight grid lines and text are sharp as they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from itertools import pairwise
from typing import Final

from PIL import Image, ImageDraw, ImageFont

Colour = tuple[int, int, int]
Place = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""

WHITE: Final[Colour] = (255, 255, 255)
INK: Final[Colour] = (25, 25, 30)
GREY: Final[Colour] = (120, 125, 130)
FAINT: Final[Colour] = (222, 226, 230)
RED: Final[Colour] = (192, 38, 45)
BLUE: Final[Colour] = (28, 84, 168)
_FINER: Final = 3
_FEW: Final = 100


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise RuntimeError("Pillow was built without FreeType, so nothing can be lettered")
    return font


class Sheet:
    """A sheet of paper, `width` by `height` pixels."""

    def __init__(self, width: int, height: int, paper: Colour = WHITE) -> None:
        self.width, self.height = width, height
        self._image = Image.new("RGB", (width, height), paper)
        self._pen = ImageDraw.Draw(self._image)

    def rule(self, start: Place, end: Place, colour: Colour, width: int = 1) -> None:
        """Draw a straight line, sharp where it is vertical or horizontal."""
        self._pen.line((start, end), fill=colour, width=width)

    def fill(self, box: Box, colour: Colour) -> None:
        """Draw a filled rectangle."""
        self._pen.rectangle(box, fill=colour)

    def stroke(
        self, places: Sequence[Place], colour: Colour, width: float = 2, within: Box | None = None
    ) -> None:
        """Draw a smooth line through `places`, clipped to `within`."""
        self._ink([places], colour, width, within)

    def dashes(self, places: Sequence[Place], colour: Colour, width: float = 2, dash: float = 8) -> None:
        """Draw a dashed line through `places`: strokes of `dash` pixels with gaps of the same length."""
        drawn: list[list[Place]] = [[]]
        gone = 0.0
        for (x, y), (to_x, to_y) in pairwise(places):
            length = math.dist((x, y), (to_x, to_y))
            parts = max(1, math.ceil(length / 2))
            for part in range(parts):
                share = part / parts
                if int((gone + share * length) / dash) % 2 == 0:
                    drawn[-1].append((x + share * (to_x - x), y + share * (to_y - y)))
                elif drawn[-1]:
                    drawn.append([])
            gone += length
        self._ink([path for path in drawn if len(path) > 1], colour, width, None)

    def ring(self, centre: Place, radius: float, colour: Colour, width: float = 2.5) -> None:
        """Draw an open circle."""
        turns = [math.tau * n / _FEW for n in range(_FEW + 2)]
        x, y = centre
        self.stroke([(x + radius * math.cos(a), y + radius * math.sin(a)) for a in turns], colour, width)

    def dot(self, centre: Place, radius: float, colour: Colour) -> None:
        """Draw a filled circle."""
        left, top = math.floor(centre[0] - radius), math.floor(centre[1] - radius)
        side = math.ceil(2 * radius) + 2
        mask = Image.new("L", (side * _FINER, side * _FINER))
        x, y, reach = (centre[0] - left) * _FINER, (centre[1] - top) * _FINER, radius * _FINER
        ImageDraw.Draw(mask).ellipse((x - reach, y - reach, x + reach, y + reach), fill=255)
        self._image.paste(colour, (left, top), mask.reduce(_FINER))

    def _ink(
        self, paths: Sequence[Sequence[Place]], colour: Colour, width: float, within: Box | None
    ) -> None:
        edge = within or (0, 0, self.width, self.height)
        reach = width + 1
        across, down = [x for path in paths for x, _ in path], [y for path in paths for _, y in path]
        if not across:
            return
        left, top = int(max(min(across) - reach, edge[0])), int(max(min(down) - reach, edge[1]))
        right, bottom = int(min(max(across) + reach, edge[2])), int(min(max(down) + reach, edge[3]))
        if right <= left or bottom <= top:
            return
        mask = Image.new("L", ((right - left) * _FINER, (bottom - top) * _FINER))
        pen = ImageDraw.Draw(mask)
        for path in paths:
            # A joint shows where a path turns sharply, but not between the many short steps of a curve.
            joint = "curve" if len(path) < _FEW else None
            larger = [((x - left) * _FINER, (y - top) * _FINER) for x, y in path]
            pen.line(larger, fill=255, width=round(width * _FINER), joint=joint)
        self._image.paste(colour, (left, top), mask.reduce(_FINER))

    def text(
        self, place: Place, words: str, *, size: int = 18, colour: Colour = INK, anchor: str = "la"
    ) -> None:
        """Write words at a place; `anchor` is Pillow's: l, m or r across, then a (top), m or s (baseline)."""
        self._pen.text(place, words, font=_font(size), fill=colour, anchor=anchor)

    def upright(self, place: Place, words: str, *, size: int = 18, colour: Colour = INK) -> None:
        """Write words vertically, read from bottom to top, centred on a place."""
        font = _font(size)
        left, top, right, bottom = font.getbbox(words)
        mask = Image.new("L", (math.ceil(right - left), math.ceil(bottom - top)))
        ImageDraw.Draw(mask).text((-left, -top), words, font=font, fill=255)
        turned = mask.transpose(Image.Transpose.ROTATE_90)
        corner = (round(place[0] - turned.width / 2), round(place[1] - turned.height / 2))
        self._image.paste(colour, corner, turned)

    def png(self) -> bytes:
        """The sheet as a PNG: the same strokes give the same bytes."""
        kept = BytesIO()
        self._image.save(kept, "PNG")
        return kept.getvalue()


@dataclass(frozen=True)
class Axis:
    """An axis from `low` to `high`; either may be greater. `log` makes equal ratios equally long."""

    low: float
    high: float
    log: bool = False

    def share(self, value: float) -> float:
        """The relative position of a value on the axis: 0 at `low`, 1 at `high`."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Axes:
    """A plotting frame on a sheet: `x` runs from left to right, `y` from bottom to top."""

    sheet: Sheet
    box: Box
    x: Axis
    y: Axis

    def at(self, x: float, y: float) -> Place:
        """The pixel coordinates of a pair of values."""
        left, top, right, bottom = self.box
        return left + self.x.share(x) * (right - left), bottom - self.y.share(y) * (bottom - top)

    def curve(self, points: Iterable[Place], colour: Colour, width: float = 2.5) -> None:
        """Draw a smooth line through pairs of values, clipped to the frame."""
        left, top, right, bottom = self.box
        frame = (left, top, right + 1, bottom + 1)
        self.sheet.stroke([self.at(x, y) for x, y in points], colour, width, frame)

    def columns(self, values: Iterable[float], *, named: bool = True, colour: Colour = FAINT) -> None:
        """Draw a vertical line at each value, with the value below it."""
        for value in values:
            x = self.at(value, self.y.low)[0]
            self.sheet.rule((x, self.box[1]), (x, self.box[3]), colour)
            if named:
                self.sheet.text((x, self.box[3] + 8), f"{value:g}", anchor="ma")

    def rows(self, values: Iterable[float], *, named: bool = True, colour: Colour = FAINT) -> None:
        """Draw a horizontal line at each value, with the value on its left."""
        for value in values:
            y = self.at(self.x.low, value)[1]
            self.sheet.rule((self.box[0], y), (self.box[2], y), colour)
            if named:
                self.sheet.text((self.box[0] - 10, y), f"{value:g}", anchor="rm")

    def frame(self, across: str, up: str, *, room: int = 62) -> None:
        """Draw the frame and label both axes; `room` is reserved for the values on the left."""
        left, top, right, bottom = self.box
        corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        for start, end in pairwise(corners):
            self.sheet.rule(start, end, GREY, 2)
        if across:
            self.sheet.text(((left + right) / 2, bottom + 36), across, anchor="ma")
        self.sheet.upright((left - room, (top + bottom) / 2), up)


def steps(low: float, high: float, count: int) -> list[float]:
    """About `count` round tick values (1, 2 or 5 times a power of ten apart) from `low` to `high`."""
    rough = (high - low) / count
    power = 10.0 ** math.floor(math.log10(rough))
    sizes = [power * n for n in (1, 2, 5, 10)]
    at = next(n for n, size in enumerate(sizes) if size >= rough * 0.999)
    values = _multiples(sizes[at], low, high)
    # From 2 to 5 is a big step: where it leaves too few ticks, the finer step is used.
    return values if at == 0 or len(values) >= count / 3 else _multiples(sizes[at - 1], low, high)


def _multiples(step: float, low: float, high: float) -> list[float]:
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(n * step, 6) for n in range(first, last + 1)]
