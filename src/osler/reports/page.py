"""The HTML template environment, which escapes, sanitizes and clips untrusted text on every page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from osler.reports.cells import NO_VALUE, Cell
from osler.text.hostile import safe

if TYPE_CHECKING:
    from jinja2 import Template

_HERE: Final = "osler.reports"
_LONG: Final = 4000
_AFTER: Final = re.compile(r"(?<=[/+])")


def short(text: str, most: int = 30) -> str:
    """Return a name of at most `most` characters, its middle left out if it is longer."""
    return text if len(text) <= most else f"{text[: most // 3]}…{text[most // 3 + 1 - most :]}"


def clipped(text: str, most: int = _LONG) -> str:
    """Truncate `text` to `most` characters; if it was longer, say how long."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


@cache
def page_template(name: str, package: str = _HERE) -> Template:
    """Return a page template packaged in `package` or here; all that is not markup is escaped."""
    from jinja2 import ChoiceLoader, Environment, FunctionLoader, StrictUndefined  # noqa: PLC0415 - import time

    environment = Environment(
        loader=ChoiceLoader([FunctionLoader(_in(package)), FunctionLoader(_in(_HERE))]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printed,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "clipped": clipped,
        "breakable": breakable,
        "short": short,
        "scored": scored,
        "unscored": unscored,
    }
    return environment.get_template(name)


Row = tuple[str, Sequence[Cell | None]]


def scored(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of a table in which some figure has a value."""
    return [row for row in rows if not _empty(row)]


def unscored(rows: Iterable[Row]) -> list[Row]:
    """Return the rows of a table in which no figure has a value."""
    return [row for row in rows if _empty(row)]


def _empty(row: Row) -> bool:
    return all(cell is None or cell.value == NO_VALUE for cell in row[1])


def _in(package: str) -> Callable[[str], str | None]:
    folder = resources.files(package)

    def read(name: str) -> str | None:
        file = folder.joinpath(name)
        return file.read_text(encoding="utf-8") if file.is_file() else None

    return read


def shown(text: str) -> str:
    """Return `text` without characters that hide or reorder text, or that cannot be encoded."""
    return safe(text).encode("utf-8", "replace").decode()


def breakable(text: str) -> Markup:
    """Return `text` with a line-break opportunity (`<wbr>`) after each slash and plus."""
    return Markup("<wbr>").join(_AFTER.split(shown(text)))


def _printed(value: object) -> object:
    """Sanitize a value about to be printed, unless it is markup."""
    return value if not isinstance(value, str) or hasattr(value, "__html__") else shown(value)
