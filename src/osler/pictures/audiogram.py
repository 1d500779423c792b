"""The audiogram: hearing level downwards, octaves across; right ear in red, left ear in blue."""

from __future__ import annotations

import math
from typing import Final

from osler.core.pictures import Audiogram
from osler.pictures.sheet import BLUE, FAINT, RED, Axes, Axis, Colour, Place, Sheet

_OCTAVES: Final = (125, 250, 500, 1000, 2000, 4000, 8000)
_BETWEEN: Final = (750, 1500, 3000, 6000)
_PALE: Final[Colour] = (238, 240, 243)
_SIZE: Final = 11


def draw(picture: Audiogram) -> Sheet:
    """Draw air conduction joined by lines, bone conduction beside it, and the key to the symbols."""
    sheet = Sheet(1200, 860)
    axes = Axes(sheet, (110, 90, 830, 800), Axis(100, 10000, log=True), Axis(125, -15))
    axes.columns(_BETWEEN, named=False, colour=_PALE)
    axes.columns(_OCTAVES, named=False, colour=FAINT)
    axes.rows(range(-10, 121, 10))
    for hertz in _OCTAVES:
        sheet.text((axes.at(hertz, 0)[0], 82), f"{hertz}", anchor="ms")
    sheet.text((470, 52), "Frequency (Hz)", anchor="ms")
    axes.frame("", "Hearing level (dB HL)", room=70)
    for air, colour in ((picture.right, RED), (picture.left, BLUE)):
        places = [axes.at(hertz, level) for hertz, level in sorted(air.items())]
        if len(places) > 1:
            sheet.stroke(places, colour, 2)
        for place in places:
            _ring(sheet, place) if colour == RED else _cross(sheet, place)
    for hertz, level in sorted(picture.right_bone.items()):
        _bracket(sheet, axes.at(hertz, level), RED, -1)
    for hertz, level in sorted(picture.left_bone.items()):
        _bracket(sheet, axes.at(hertz, level), BLUE, 1)
    _key(sheet, picture)
    return sheet


def _key(sheet: Sheet, picture: Audiogram) -> None:
    x, y = 890.0, 140.0
    _ring(sheet, (x, y))
    sheet.text((x + 34, y), "Right, air conduction", anchor="lm")
    _cross(sheet, (x, y + 44))
    sheet.text((x + 34, y + 44), "Left, air conduction", anchor="lm")
    bone = [("Right, bone, masked", RED, -1)] if picture.right_bone else []
    bone += [("Left, bone, masked", BLUE, 1)] if picture.left_bone else []
    for number, (words, colour, side) in enumerate(bone):
        place = (x, y + 88 + 44 * number)
        _bracket(sheet, (x - side * 14, place[1]), colour, side)
        sheet.text((x + 34, place[1]), words, anchor="lm")


def _ring(sheet: Sheet, place: Place) -> None:
    sheet.dot(place, _SIZE - 1, (255, 255, 255))
    sheet.ring(place, _SIZE - 1, RED)


def _cross(sheet: Sheet, place: Place) -> None:
    x, y = place
    arm = _SIZE * math.sqrt(0.5) + 1
    sheet.stroke([(x - arm, y - arm), (x + arm, y + arm)], BLUE, 3)
    sheet.stroke([(x - arm, y + arm), (x + arm, y - arm)], BLUE, 3)


def _bracket(sheet: Sheet, place: Place, colour: Colour, side: int) -> None:
    """`[` to the left of the point for the right ear, `]` to the right of it for the left."""
    x, y = place[0] + side * 16, place[1]
    inner = x - side * 8
    sheet.stroke([(inner, y - 12), (x, y - 12), (x, y + 12), (inner, y + 12)], colour, 2.5)
