"""The summary of a run: as plain JSON, and as printable output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple


class Summary(NamedTuple):
    """The figures of a run. `value` is plain JSON; `shown` renders it for a terminal, and `label` says what
    the figures are evidence of."""

    value: dict[str, Any]
    shown: Callable[[], Any]
    label: str = ""


class Exported(NamedTuple):
    """The result of exporting a run to a published format: the number of episodes, and a remark on them."""

    episodes: int
    remark: str = ""


class Debrief(NamedTuple):
    """The feedback to a person who has played one case: `value` is added to the JSON, and `shown` is printed
    instead of the run's figures. `more` is the whole of it, printed on request if it differs."""

    value: dict[str, Any]
    shown: tuple[Any, ...]
    more: tuple[Any, ...] = ()


LABEL: Final = (
    "Built-in players are baselines, not language models; what a built-in judge scores over them checks the"
    " instrument and is no evidence about medicine or teaching. For education and research only."
)

WITH_MODELS: Final = (
    "Language models sat in: {seats}. Judged by a built-in judge, which reads words; a model judge or a"
    " clinician may see otherwise. For education and research only."
)
