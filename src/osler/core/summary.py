"""What a protocol says of its runs beside their measures: notes and exports."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final, NamedTuple

from osler.core.events import Json
from osler.core.measure import Scored


class Notes(NamedTuple):
    """Notes on a run: `value` is added to the JSON of its summary, `lines` are printed under its table."""

    value: Json = MappingProxyType({})
    lines: tuple[str, ...] = ()


class NoteTaker:
    """An accumulator of what a run shows beside the measures of single episodes. A protocol's subclass is fed
    with the episodes, in any order, while the measures are summed."""

    def add(self, episode: Scored, cluster: str) -> None:
        """Take in an ended episode that the simulation did not spoil, and the cluster of its case."""

    def notes(self, measures: Json) -> Notes:
        """Return the notes on the episodes so far, given the estimate of each measure by name."""
        return Notes()


class Exported(NamedTuple):
    """The result of exporting a run to a published format: the number of episodes, and a remark on them."""

    episodes: int
    remark: str = ""


LABEL: Final = (
    "Built-in players are baselines, not language models; what a built-in judge scores over them checks the"
    " instrument and is no evidence about medicine or teaching. For education and research only."
)

WITH_MODELS: Final = (
    "Language models sat in: {seats}. Judged by a built-in judge, which reads words; a model judge or a"
    " clinician may see otherwise. For education and research only."
)
