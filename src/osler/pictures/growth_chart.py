"""The growth chart: measurements as dots over faint centile lines, each line labelled at its end."""

from __future__ import annotations

from osler.core.pictures import GrowthChart
from osler.pictures.sheet import GREY, INK, Axes, Axis, Sheet, steps


def draw(picture: GrowthChart) -> Sheet:
    """Draw the chart. The dots are not joined: drawing the line is left to the reader."""
    sheet = Sheet(1200, 860)
    lines = (picture.points, *picture.centiles.values())
    ages = [age for line in lines for age, _ in line]
    values = [value for line in lines for _, value in line]
    youngest, oldest = min(ages), max(ages)
    # A single measurement without centile lines spans no range.
    spread = max(oldest - youngest, 0.5)
    lowest, highest = min(values), max(values)
    margin = max((highest - lowest) * 0.06, 0.5)
    axes = Axes(
        sheet,
        (115, 40, 1090, 770),
        Axis(youngest, youngest + spread * 1.02),
        Axis(max(0, lowest - margin), highest + margin),
    )
    axes.columns(steps(axes.x.low, axes.x.high, 12))
    axes.rows(steps(axes.y.low, axes.y.high, 14))
    for name, line in picture.centiles.items():
        middle = name == "50th"
        if len(line) > 1:
            axes.curve(line, INK if middle else GREY, 2.2 if middle else 1.5)
        x, y = axes.at(*line[-1])
        sheet.text((max(x, axes.box[2]) + 10, y), name, anchor="lm", size=17, colour=GREY)
    axes.frame(f"Age ({picture.age_unit})", f"{picture.measure.capitalize()} ({picture.unit})", room=80)
    for age, value in picture.points:
        sheet.dot(axes.at(age, value), 8, INK)
    sheet.text((1090, 840), "Centile lines are approximate", anchor="rs", size=16, colour=GREY)
    return sheet
