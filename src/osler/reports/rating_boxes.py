"""Box plots of ratings as one HTML file: every rater and every judge on the same episodes, item by item.

A box spans the lower to the upper quartile with a line at the median, the whiskers reach the lowest and the
highest rating, and the mark is the mean. The same ratings give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from osler.core.events import Frozen
from osler.reports.page import page_template
from osler.reports.study_plots import ROW, Axis, difference_axis
from osler.reports.svg import line, mark_at, picture, short
from osler.stats.intervals import Estimate

_HALF = ROW / 2
_THICK = 12


class Box(Frozen):
    """The ratings of an item by one rater or judge, on levels `first` to `last`; quartiles are interpolated.

    `mean` has its 95 % interval, clustered by case, and the number of rated episodes that were scored.
    """

    item: str
    by: str
    judge: bool
    first: int
    last: int
    least: float
    lower: float
    middle: float
    upper: float
    most: float
    mean: Estimate


def boxes_html(title: str, about: str, label: str, asks: Mapping[str, str], boxes: Sequence[Box]) -> str:
    """Return the HTML page: `about` says what was rated by whom, `asks` is the question of each item."""
    groups = []
    for item in dict.fromkeys(box.item for box in boxes):
        mine = [box for box in boxes if box.item == item]
        axis = axis_of(mine[0])
        rows = [(box, box_line(box, axis)) for box in mine]
        groups.append((item.replace("_", " "), asks.get(item, ""), difference_axis(axis), rows))
    return page_template("ratings.html.j2").render(title=title, about=about, label=label, groups=groups)


def axis_of(box: Box) -> Axis:
    """Return an axis with a tick for each level of an item."""
    return Axis(tuple(map(float, range(box.first, box.last + 1))), lambda value: f"{value:g}")


def box_line(box: Box, axis: Axis) -> Markup:
    """Draw one box on its item's axis; raters and judges have different marks."""
    place = int(box.judge)
    at = {
        name: 5 + 90 * axis.share(getattr(box, name))
        for name in ("least", "lower", "middle", "upper", "most")
    }
    drawn = [
        line("", (at["least"], at["lower"]), (_HALF, _HALF)),
        line("", (at["upper"], at["most"]), (_HALF, _HALF)),
        Markup('<rect x="{}%" y="{}" width="{}%" height="{}"/>').format(
            short(at["lower"]), short(_HALF - _THICK / 2), short(at["upper"] - at["lower"]), _THICK
        ),
        line("", (at["middle"], at["middle"]), (_HALF - _THICK / 2, _HALF + _THICK / 2)),
    ]
    if box.mean.value is not None:
        drawn.append(mark_at(place, 5 + 90 * axis.share(box.mean.value), _HALF))
    grid = [line("grid", (5 + 90 * axis.share(tick),) * 2, (0.0, ROW)) for tick in axis.ticks]
    return picture(ROW, [*grid, Markup('<g class="r{}">{}</g>').format(place, Markup().join(drawn))])
