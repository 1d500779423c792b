"""The rubric linter: remarks that help to interpret a rubric's scores. Nothing is refused, only counted.

empty             the rubric holds no item
language          it is not in English, by whose words traits are inferred
negative          the item counts against the examinee if it holds
unsure            the wording leaves open which way it counts
points            a figure may or may not be its points, or they are against its wording
level             the levels of one scale, as several items
scale             a whole rating scale in one item, which yes or no cannot answer
finding           about the patient, not about what was done
duplicate         the same words twice in one rubric
long, short       more than 60 words; a single word
shared            half or more of the items are in another rubric too
same_case         another rubric comes from the same source case
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from osler.cases.rubrics.inference import doubt, unsure
from osler.cases.rubrics.model import Rubric
from osler.cases.rubrics.near_duplicates import alike, source_case
from osler.text.languages import ENGLISH, shown
from osler.text.records.written_in import written_in

KINDS: Final = (
    "empty",
    "language",
    "negative",
    "unsure",
    "level",
    "points",
    "scale",
    "finding",
    "duplicate",
    "long",
    "short",
    "shared",
    "same_case",
)
LONGEST_WORDS: Final = 60
_LOOKED_AT: Final = 4000
_RATED: Final = re.compile(
    r"circle one|likert|\bscale of \d|\b(?:excellent|poor)\b[^.]{0,12}\bor [0-9]\b", re.IGNORECASE
)
_STEP: Final = re.compile(r"(?:^|\n|[;,/])\W*([0-9])\s*(?:[-–—=:]|pts?\b|points?\b)")


class Remark(NamedTuple):
    """A remark on a rubric. `item` is the item's id, or empty where it is about the whole rubric."""

    file: str
    kind: str
    item: str
    what: str


def lint(rubrics: Mapping[str, Rubric]) -> Iterator[Remark]:
    """Remarks on rubrics, given by file name, in that order; those that compare rubrics last."""
    for file, rubric in rubrics.items():
        if not rubric.items:
            yield Remark(file, "empty", "", "holds no item")
        if (language := written_in(" ".join(item.text for item in rubric.items))) != ENGLISH:
            yield Remark(file, "language", "", f"it is written in {shown(language)}")
        yield from _items(file, rubric)
    yield from _shared(list(rubrics.items()))


def holds_a_scale(text: str) -> bool:
    """Whether a text is itself a rating scale: it says so, or numbers three levels or more."""
    text = text[:_LOOKED_AT]
    return _RATED.search(text) is not None or len({match[1] for match in _STEP.finditer(text)}) >= 3


def _items(file: str, rubric: Rubric) -> Iterator[Remark]:
    first: dict[str, str] = {}
    for item in rubric.items:
        folded = " ".join(item.text.casefold().split())
        words = len(item.text.split())
        seen = {
            "negative": (item.traits.negative, item.text),
            "unsure": (unsure(item), item.text),
            "points": (bool(doubtful := doubt(item)), doubtful),
            "level": (bool(item.traits.group), f"level {item.traits.level:g} of {item.traits.group}"),
            "scale": (holds_a_scale(item.text), item.text),
            "finding": (item.traits.finding, item.text),
            "duplicate": (folded in first, f"the same words as {first.get(folded)}"),
            "long": (words > LONGEST_WORDS, f"{words} words"),
            "short": (words < 2, item.text),
        }
        first.setdefault(folded, item.id)
        yield from (Remark(file, kind, item.id, what) for kind, (holds, what) in seen.items() if holds)


def _shared(named: Sequence[tuple[str, Rubric]]) -> Iterator[Remark]:
    others: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for one, other, share in alike([rubric for _, rubric in named]):
        others[one].append((other, share))
        others[other].append((one, share))
    for place in sorted(others):
        other, share = max(others[place], key=lambda found: (found[1], -found[0]))
        more = f" and {len(others[place]) - 1} more" if len(others[place]) > 1 else ""
        yield Remark(named[place][0], "shared", "", f"{share:.0%} of items as in {named[other][0]}{more}")
    times = Counter(source_case(rubric.case_id) for _, rubric in named)
    for file, rubric in named:
        if times[source_case(rubric.case_id)] > 1:
            yield Remark(
                file,
                "same_case",
                "",
                f"{times[source_case(rubric.case_id)]} rubrics of {source_case(rubric.case_id)}",
            )
