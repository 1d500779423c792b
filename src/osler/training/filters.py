"""The hard filters of every trained seat, each with a name; a row is rejected under the first it fails.

    unapproved       a reviewer did not approve it, or the round ended without it
    parse            the one parser of the seat does not read it (or the name the seat gives: `names`)
    control          it holds a control token of a chat, a marker of an image, or an error's words
    source_id        it says an id or a file name of the case's source
    marker           markers and images of its prompt do not agree
    held_out         its case is, or is nearly, one that is held out
    too_long         even its last round alone is longer than allowed
    duplicate        the same target for the same case, after the first
    near_duplicate   nearly the same target for another case, after the first

A protocol's own filters (`TrainedSeat.filters`) come after `source_id`. Episodes that did not end as they
should are left out whole under their status, or as `not_replayed`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from osler.training.likeness import grams, likeness
from osler.training.samples import Sample
from osler.training.state import images_in, text_of
from osler.training.task import Breach, TrainedSeat, Turn

NEARLY: Final = 0.9
"""Share of common runs from which two targets are near-duplicates."""
IMAGE: Final = "<image>"
"""The marker that stands for an image in ShareGPT's form."""
_CONTROL: Final = re.compile(
    r"[<‹]\|[^|>\n]{0,40}\|>|[<‹]/?s>|\[/?(?:INST|SYS|TOOL_CALLS)\]|[<‹]/?(?:start|end)_of_turn>"
    r"|[<‹]/?tool_\w+>|[<‹]/?think>|[<‹](?:image|video)>|^\s*(?:Traceback \(most recent call last\)|Error: )",
    re.MULTILINE,
)
_FILE: Final = re.compile(r"\b[\w-]+\.(?:png|jpe?g|gif|webp|tiff?|dcm|nii|json|csv)\b", re.IGNORECASE)
_LONG_ENOUGH: Final = 4


class Rejected(NamedTuple):
    """A row that is refused, by the name of the filter, and why in words."""

    filter: str
    why: str


def nearly_the_same(text: str, other: str) -> bool:
    """Return whether two texts are near-duplicates."""
    return likeness(grams(text), grams(other)) >= NEARLY


def refused(turn: Turn, sample: Sample, seat: TrainedSeat) -> Rejected | None:
    """The first filter that a turn fails by itself, if any."""
    return next(_refusals(turn, sample, seat), None)


def _refusals(turn: Turn, sample: Sample, seat: TrainedSeat) -> Iterator[Rejected]:
    if not turn.accepted:
        yield Rejected("unapproved", turn.why)
    result = seat.read(sample, sample.target)
    if isinstance(result, Breach):
        yield Rejected(result.filter, result.words)
        return
    for name, rule in (*_GENERAL.items(), *((name, _of(rule)) for name, rule in seat.filters.items())):
        if why := rule(turn, sample):
            yield Rejected(name, why)


def _of(rule: Callable[[Turn], str]) -> Callable[[Turn, Sample], str]:
    return lambda turn, sample: rule(turn)


def control_token(target: str) -> str:
    """The control token that a target holds, in words; "" if it holds none."""
    match = _CONTROL.search(target)
    return f"it holds {match[0].strip()!r}" if match else ""


def _control(turn: Turn, sample: Sample) -> str:
    """A control token."""
    return control_token(sample.target)


def _source_id(turn: Turn, sample: Sample) -> str:
    """An id of the source, or a file's name."""
    if match := _FILE.search(sample.target):
        return f"it names the file {match[0]!r}"
    for name in _ids(turn.played.case, sample.case_id):
        if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", sample.target):
            return f"it names the source's id {name!r}"
    return ""


def _ids(case: Any, case_id: str) -> Iterator[str]:
    """The ids of a case that cannot be a word of its own."""
    leaves = (leaf.text for leaf in getattr(case, "withheld", ()) if leaf.source == "id")
    for name in (case_id, *leaves):
        if len(name) >= _LONG_ENOUGH and any(char.isdigit() for char in name):
            yield name


def _marker(turn: Turn, sample: Sample) -> str:
    """Markers that are no image's."""
    if images_in(sample.messages) != len(sample.images):
        return f"{images_in(sample.messages)} markers for {len(sample.images)} images"
    if any(IMAGE in text_of(one) for one in sample.messages):
        return f"its prompt says {IMAGE} in words"
    return ""


_GENERAL: Final[Mapping[str, Callable[[Turn, Sample], str]]] = MappingProxyType(
    {"control": _control, "source_id": _source_id, "marker": _marker}
)
