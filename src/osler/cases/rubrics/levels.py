"""Items that are levels of one scale: "Poor: ..." and "Good: ...", or an act done fully or partly.

Of such items one should hold, so that together they count once. They are found within one competency by two
rules: a run of items that begin with the words of one scale, and items equal except for words of degree.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from osler.cases.rubrics.model import Item
from osler.text.phrases import words

_SCALE: Final = {
    0.0: (
        "unsatisfactory|unacceptable|poor|inadequate|novice|not done|none|absent|did not|fail|"
        "failing|fails expectations|incompetent|unsafe|never"
    ),
    0.25: (
        "needs improvement|below expectations|does not meet expectations|beginner|marginal|weak|"
        "rarely|needs work|beginning|minimal"
    ),
    0.5: (
        "fair|borderline|partial|partially|partly|partially done|developing|some|sometimes|"
        "incomplete|attempted|average|emerging"
    ),
    0.75: (
        "good|satisfactory|adequate|acceptable|competent|meets expectations|proficient|usually|"
        "mostly|accomplished|safe"
    ),
    0.9: "very good|above expectations|advanced",
    1.0: (
        "excellent|outstanding|superior|exemplary|expert|exceeds expectations|complete|completely|"
        "full|fully|done|always|mastery|optimal|ideal"
    ),
}
_LABELS: Final = "|".join(f"(?P<s{n}>{held})" for n, held in enumerate(_SCALE.values()))
_WORD_LABEL: Final = re.compile(rf"^\W*(?:{_LABELS})\s*(?:\(\s*-?\d+[^)]{{0,12}}\))?\s*[:=–—-]\s*\S")
_NUMBER_LABEL: Final = re.compile(
    r"^\W*(?:(?:level|score|grade|rating)\s+(\d{1,2})\b\s*[:=.)–—-]*|(\d{1,2})\s*(?:=|"
    r"points?\s*[:=–—-]|pts?\s*[:=–—-]|:))\s*\S"
)
_DEGREES: Final = (
    (
        1.0,
        "fully completely thoroughly always all independently correctly appropriately effectively "
        "clearly excellent comprehensive complete",
    ),
    (0.75, "adequately mostly most usually good adequate satisfactory"),
    (
        0.5,
        "partially partly somewhat some sometimes attempts attempted partial limited incompletely "
        "incomplete inconsistently prompted prompting reminded fair minimal minimally",
    ),
    (
        0.0,
        "not never no none fails failed fail failure unable does did do doesn't didn't cannot "
        "incorrectly inadequately inappropriately poorly omits omitted neglects lacks poor",
    ),
)
_DEGREE: Final = {word: value for value, held in _DEGREES for word in held.split()}
_LITTLE: Final = frozenset(
    "to the a an and or of in on with without for is was are were be been but only any it by".split()
)
_TOKEN: Final = re.compile(r"[a-z0-9']+")


class Level(NamedTuple):
    """An item's group and the share of its weight that the item earns."""

    group: str
    value: float


def levels(items: Sequence[Item]) -> dict[str, Level]:
    """The items (by id) of one competency that are levels, with their groups."""
    runs = [*_labelled(items)]
    taken = {item.id for run, _ in runs for item in run}
    runs += _degrees([item for item in items if item.id not in taken])
    found: dict[str, Level] = {}
    for run, values in runs:
        top = max(values)
        if top > 0 and len(set(values)) > 1:
            name = f"{run[0].competency}-{run[0].id[:6]}"
            found |= {item.id: Level(name, round(v / top, 4)) for item, v in zip(run, values, strict=True)}
    return found


def _labelled(items: Sequence[Item]) -> Iterator[tuple[list[Item], list[float]]]:
    """Runs of neighbours labelled with words or numbers of a scale, no level twice, in one direction."""
    run: list[Item] = []
    values: list[float] = []
    kind = ""
    for item in (*items, None):
        label = _label(item.text) if item else None
        goes_on = label is not None and label[0] == kind and _monotone([*values, label[1]])
        if not goes_on:
            if len(run) > 1:
                yield run, values
            run, values = [], []
        if item is not None and label is not None:
            kind = label[0]
            run, values = [*run, item], [*values, label[1]]


def _label(text: str) -> tuple[str, float] | None:
    low = " ".join(text.lower().split())
    if match := _WORD_LABEL.match(low):
        return "words", list(_SCALE)[next(n for n in range(len(_SCALE)) if match[f"s{n}"])]
    if match := _NUMBER_LABEL.match(low):
        return "numbers", float(match[1] or match[2])
    return None


def _monotone(values: Sequence[float]) -> bool:
    pairs = list(pairwise(values))
    return all(a < b for a, b in pairs) or all(a > b for a, b in pairs)


def _degrees(items: Sequence[Item]) -> Iterator[tuple[list[Item], list[float]]]:
    """Items that are equal except for words of degree, with at least two words left without them."""
    alike: dict[frozenset[str], list[tuple[Item, float]]] = defaultdict(list)
    for item in items:
        tokens = _TOKEN.findall(item.text.lower().replace("’", "'"))
        degrees = [_DEGREE[token] for token in tokens if token in _DEGREE]
        rest = frozenset(words(" ".join(t for t in tokens if t not in _DEGREE and t not in _LITTLE)))
        if len(rest) >= 2:
            alike[rest].append((item, min(degrees, default=1.0)))
    for held in alike.values():
        values = [value for _, value in held]
        if len(held) > 1 and len(set(values)) == len(values):
            yield [item for item, _ in held], values
