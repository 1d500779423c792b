"""Help lines by country, for learners whom a case distresses."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Final

import yaml
from pydantic import TypeAdapter

from osler.core.events import Frozen

COUNTRY: Final = "OSLER_COUNTRY"
"""The environment variable with the learner's country, as two letters (ISO 3166)."""
_ELSEWHERE: Final = (
    "  Elsewhere: findahelpline.com lists lines by country; schools have support services too."
)
_UNCHECKED: Final = "  Numbers change: check the number before you rely on it."


class HelpLines(Frozen):
    """The emergency number and help lines of a country. `checked` is when they were last looked up."""

    country: str
    emergency: str
    lines: tuple[str, ...]
    checked: str | None = None


@cache
def countries() -> Mapping[str, HelpLines]:
    """The help lines by country code."""
    text = resources.files("osler.knowledge").joinpath("help_lines.yaml").read_text(encoding="utf-8")
    return TypeAdapter(dict[str, HelpLines]).validate_python(yaml.safe_load(text))


def help_lines(country: str | None = None) -> list[str]:
    """The lines to show: those of the country in `OSLER_COUNTRY`, or of every country we list."""
    code = (country or os.environ.get(COUNTRY) or "").strip().upper()
    own = {code: countries()[code]} if code in countries() else countries()
    unchecked = [_UNCHECKED] if any(each.checked is None for each in own.values()) else []
    lines = [f"  {one.country}: {'; '.join(one.lines)}; emergency {one.emergency}" for one in own.values()]
    return [*lines, _ELSEWHERE, *unchecked]
