"""A study of people beside models in words: what was left out, and what its numbers could have shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from osler.reports.cells import number
from osler.reports.sentences import p_value, points
from osler.studies.people.beside import REASONS, Beside, PeopleBeside
from osler.studies.people.differences import ASSUMED, ScoreBeside
from osler.studies.people.instructions import Instructions

COLUMNS: Final = ("score", "people", "player", "difference", "95 %", "p", "n", "unscored", "shows")
DESIGNS: Final = "People who sit each of so many cases, and the smallest difference they show (power 80 %)"
READING: Final = (
    "95 %: clustered by person and by case; none below five of either, or where all are alike. shows: the"
    " smallest difference that these numbers show with a power of 80 %. Differences of shares are in points."
)


def summary(beside: PeopleBeside) -> str:
    """The sittings that may be used, and who judged."""
    return (
        f"{beside.sittings:,} sittings of {beside.people:,} people on {beside.cases:,} cases; judged by"
        f" {beside.judge}, {beside.sign}"
    )


def heading(one: Beside) -> str:
    """The player, and the numbers of pairs, people and cases."""
    called = " ".join((one.player, *(f"({model})" for model in one.models)))
    return f"Beside {called}: {one.pairs:,} pairs of {one.people:,} people and {one.cases:,} cases"


def cells(one: ScoreBeside) -> tuple[str, ...]:
    """A score as a row under `COLUMNS`."""
    gap, share = one.difference, one.kind == "share"
    low, high = gap.bounds or (gap.low, gap.high)
    return (
        one.words,
        number(gap.second, share),
        number(gap.first, share),
        "bounds" if gap.bounds else points(gap.value, share),
        "-" if low is None else f"{points(low, share)} to {points(high, share)}",
        p_value(gap),
        f"{gap.n_pairs:,}",
        f"{gap.unscored:,}",
        smallest_words(one),
    )


def notes(one: Beside) -> Iterator[str]:
    """Yield what stands below the table: how to read it, and the numbers needed for the primary score."""
    yield READING
    yield f"{one.scores[0].words}: {needed_words(one.scores[0])}."
    if any(each.power and each.power.assumed for each in one.scores):
        yield f"* {ASSUMED}"


def designs(how: Instructions) -> list[tuple[str, ...]]:
    """The table of designs, its heading first."""
    return [
        ("people", "cases", "sittings", "shows"),
        *(
            (
                f"{one.people}",
                f"{one.cases}",
                f"{one.people * one.cases:,}",
                f"{100 * one.smallest:.0f} points",
            )
            for one in how.designs
        ),
    ]


def left_words(left_out: Mapping[str, int]) -> Iterator[str]:
    """Yield a line for each reason why something was left out."""
    yield from (f"{count:,} left out: {REASONS[name]}" for name, count in left_out.items())


def smallest_words(one: ScoreBeside) -> str:
    """The smallest difference that so many people and cases show; a star marks one that is assumed."""
    if one.power is None:
        return "-"
    shown = f"{100 * one.power.smallest:.1f}" if one.kind == "share" else number(one.power.smallest, False)
    return shown + ("*" if one.power.assumed else "")


def needed_words(one: ScoreBeside) -> str:
    """The numbers of people and cases that would show the difference that is wanted."""
    power = one.power
    if power is None or power.difference is None:
        return f"so many people and cases show a difference of {smallest_words(one)}"
    text = f"{100 * power.difference:.3g} points"
    if power.smallest <= power.difference:
        return f"so many people and cases show a difference of {text}"
    ways = []
    if power.people is not None:
        ways.append(f"{power.people:,} people on these cases")
    if power.cases is not None:
        ways.append(f"{power.cases:,} cases for these people")
    if power.both is not None:
        ways.append(f"{power.both[0]:,} people and {power.both[1]:,} cases")
    if not ways:
        return f"no number of people and cases that could be had shows a difference of {text}"
    return f"a difference of {text} needs {', or '.join(ways)}"
