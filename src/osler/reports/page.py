"""What every page of ours does with the text of others: it is escaped, cleaned and cut."""

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
    """The beginning of a text that is longer than `most` characters, saying how much there was."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


@cache
def page_template(name: str) -> Template:
    """A packaged template of a page. Whatever it prints that is not markup is escaped."""
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
    """`text` without what hides, reorders or cannot be encoded."""
    return safe(text).encode("utf-8", "replace").decode()


def breakable(text: str) -> Markup:
    """`text` that may go on in the next line after a slash or a plus."""
    return Markup("<wbr>").join(_AFTER.split(shown(text)))


def _printed(value: object) -> object:
    """What is about to be printed: made safe to show, unless it is markup."""
    return value if not isinstance(value, str) or hasattr(value, "__html__") else shown(value)
