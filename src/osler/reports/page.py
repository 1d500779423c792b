"""The HTML template environment, which escapes, sanitizes and clips untrusted text on every page."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Final

from jinja2 import Environment, FunctionLoader, StrictUndefined, Template
from markupsafe import Markup

from osler.reports.safe_text import safe

_LONG: Final = 4000
_AFTER: Final = re.compile(r"(?<=[/+])")


def clipped(text: str, most: int = _LONG) -> str:
    """Truncate `text` to `most` characters; if it was longer, say how long."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


@cache
def page_template(name: str) -> Template:
    """Return a packaged page template, with autoescaping of everything that is not markup."""
    environment = Environment(
        loader=FunctionLoader(_packaged),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printed,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"clipped": clipped, "breakable": breakable}
    return environment.get_template(name)


def _packaged(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def shown(text: str) -> str:
    """Return `text` without characters that hide or reorder text, or that cannot be encoded."""
    return safe(text).encode("utf-8", "replace").decode()


def breakable(text: str) -> Markup:
    """Return `text` with a line-break opportunity (`<wbr>`) after each slash and plus."""
    return Markup("<wbr>").join(_AFTER.split(shown(text)))


def _printed(value: object) -> object:
    """Sanitize a value about to be printed, unless it is markup."""
    return value if not isinstance(value, str) or hasattr(value, "__html__") else shown(value)
