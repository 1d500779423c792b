"""What a protocol says of its runs beside their measures: notes, exports and feedback."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

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


class Debrief(NamedTuple):
    """The feedback to a person who has played one case: `value` is added to the JSON, and `shown` is printed
    instead of the run's figures. `more` is the whole of it, printed on request if it differs."""

    value: dict[str, Any]
    shown: tuple[Any, ...]
    more: tuple[Any, ...] = ()


class Remark(NamedTuple):
    """One remark of the feedback: its text, the person's words that it is about, the number of the exchange
    they were said in (0 if none), the id of the item that can be contested ("" if none), and how many
    exchanges to keep to try it again (`None` if it cannot be)."""

    text: str
    quote: str = ""
    exchange: int = 0
    item: str = ""
    keep: int | None = None


Kind = Literal["score", "good", "missed", "unsafe", "talk", "lesson", "other"]


class Part(NamedTuple):
    """The remarks under one heading; `kind` says what they are to the person."""

    heading: str
    kind: Kind
    remarks: tuple[Remark, ...]


class Feedback(NamedTuple):
    """The feedback to a person who has played one case, as data for a screen.

    `sentence` sums it up; `moments` are to look back on, `next_time` is advice; `scores` are by name, `None`
    where there is none; `examiner` says who marked and what its marks may be used for; `contests` are the
    items that the person has contested, with the answers; `accepted` are scores with what a teacher accepted
    of them, empty if nothing was.
    """

    sentence: str
    examiner: str
    moments: tuple[Remark, ...] = ()
    next_time: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    scores: Mapping[str, float | None] = MappingProxyType({})
    contests: tuple[Any, ...] = ()
    accepted: Mapping[str, float | None] = MappingProxyType({})


LABEL: Final = (
    "Built-in players are baselines, not language models; what a built-in judge scores over them checks the"
    " instrument and is no evidence about medicine or teaching. For education and research only."
)

WITH_MODELS: Final = (
    "Language models sat in: {seats}. Judged by a built-in judge, which reads words; a model judge or a"
    " clinician may see otherwise. For education and research only."
)
