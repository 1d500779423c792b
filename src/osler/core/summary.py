"""A run summed up: as plain JSON, and as something to print."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Summary(NamedTuple):
    """The figures of a run. `value` is plain JSON; `shown` makes what a terminal prints, and `label` says
    what the figures are evidence of."""

    value: dict[str, Any]
    shown: Callable[[], Any]
    label: str = ""


class Exported(NamedTuple):
    """What was written of a run in a published form: how many episodes, and what is to be said of them."""

    episodes: int
    remark: str = ""


class Debrief(NamedTuple):
    """For a person who has played one case: what is added to the JSON, and what is printed instead of the
    run's figures."""

    value: dict[str, Any]
    shown: tuple[Any, ...]
