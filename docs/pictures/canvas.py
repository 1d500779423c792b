"""Drawing of the documents' pictures: boxes, text and arrows as SVG, for light and dark pages."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Final
from xml.sax.saxutils import escape

SIZE: Final = 15
SMALL: Final = 13
_LINE: Final = 1.3
_WIDTH: Final = 0.54
"""The mean width of a character, as a share of the size of the text."""
STYLE: Final = """\
:root{color-scheme:light dark}
.box{fill:#f4f8f8;stroke:#2c6e6b;stroke-width:1.5}.table{fill:#dcefed}.seat{fill:#fff8e8;stroke:#8a6414}
.end{fill:#dcefed;stroke-width:3}
.fill{fill:#2c6e6b;stroke:none}.faint{fill:#bcd9d6;stroke:none}
text{fill:#14302f}.small{font-size:13px;fill:#3d5a58}.b{font-weight:600}
path{stroke:#2c6e6b;stroke-width:1.8;fill:none}.thin{stroke-width:1;stroke-dasharray:3 5}
.arrow{marker-end:url(#a)}marker path{fill:#2c6e6b;stroke:none}
@media (prefers-color-scheme:dark){
.box{fill:#16262a;stroke:#7fc4bf}.table,.end{fill:#1d3a3c}.seat{fill:#2e2716;stroke:#d9b35c}
.fill{fill:#7fc4bf}.faint{fill:#2f5a5a}text{fill:#e6f2f1}.small{fill:#b3cccb}
path{stroke:#7fc4bf}marker path{fill:#7fc4bf}}"""
Point = tuple[float, float]


def number(value: float) -> str:
    """A coordinate with at most one decimal place."""
    return f"{value:.1f}".removesuffix(".0")


def wrapped(text: str, width: float, size: int = SMALL) -> list[str]:
    """The lines of a text in a width in pixels."""
    return textwrap.wrap(text, max(8, int(width / (size * _WIDTH)))) or [""]


class Canvas:
    """A picture: `title` and `about` are its alternative text."""

    def __init__(self, width: float, title: str, about: str) -> None:
        self.width, self.title, self.about = width, title, about
        self._parts = list[str]()
        self._bottom = 0.0

    def lines(
        self, x: float, y: float, lines: Iterable[str], *, style: str = "small", anchor: str = "middle"
    ) -> float:
        """Write lines of text, the first with its baseline at `y`; return the baseline after the last."""
        size = SMALL if "small" in style.split() else SIZE
        classes = f' class="{style}"' if style else ""
        for line in lines:
            place = f'x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"'
            self._parts.append(f"<text{classes} {place}>{escape(line)}</text>")
            self._reach(y + 8)
            y += size * _LINE
        return y

    def box(
        self, x: float, y: float, w: float, h: float, *, style: str = "", title: str = "", text: str = ""
    ) -> None:
        """Draw a box with a bold title and small text, both in its middle."""
        size = f'x="{number(x)}" y="{number(y)}" width="{number(w)}" height="{number(h)}"'
        self._parts.append(f'<rect class="{f"box {style}".strip()}" {size} rx="8"/>')
        self._reach(y + h)
        titles = wrapped(title, w - 16, SIZE) if title else []
        texts = wrapped(text, w - 16) if text else []
        high = len(titles) * SIZE * _LINE + len(texts) * SMALL * _LINE
        down = self.lines(x + w / 2, y + (h - high) / 2 + SIZE, titles, style="b")
        self.lines(x + w / 2, down - (0 if titles else 2), texts)

    def bar(self, x: float, y: float, w: float, h: float, style: str = "fill") -> None:
        """Draw a plain bar."""
        size = f'x="{number(x)}" y="{number(y)}" width="{number(w)}" height="{number(h)}"'
        self._parts.append(f'<rect class="{style}" {size}/>')
        self._reach(y + h)

    def dot(self, x: float, y: float, radius: float = 5) -> None:
        """Draw a dot."""
        self._parts.append(f'<circle class="fill" cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"/>')

    def arrow(self, *points: Point, style: str = "arrow") -> None:
        """Draw a line through points, with a head at its end."""
        way = "L".join(f"{number(x)} {number(y)}" for x, y in points)
        self._parts.append(f'<path class="{style}" d="M{way}"/>')
        self._reach(max(y for _, y in points))

    def svg(self, margin: float = 16) -> str:
        """The whole picture."""
        height = self._bottom + margin
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(self.width)} {number(height)}"'
            f' font-family="system-ui, sans-serif" font-size="{SIZE}" role="img" aria-labelledby="t d">'
        )
        marker = (
            '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8"'
            ' orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>'
        )
        told = (f'<title id="t">{escape(self.title)}</title>', f'<desc id="d">{escape(self.about)}</desc>')
        style = f"<style>\n{STYLE}\n</style>"
        return "\n".join([head, *told, style, marker, *self._parts, "</svg>"]) + "\n"

    def _reach(self, y: float) -> None:
        self._bottom = max(self._bottom, y)


def columns(width: float, count: int, gap: float, margin: float = 20) -> Sequence[tuple[float, float]]:
    """The left edge and the width of equal columns."""
    each = (width - 2 * margin - gap * (count - 1)) / count
    return [(margin + number * (each + gap), each) for number in range(count)]
