"""The figures of `osler vqa` as JSON and as tables; every figure with its interval, counts and chance."""

from __future__ import annotations

from typing import Any, Final

from rich.box import SIMPLE
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from osler.reports.cells import from_to, interval, number
from osler.stats.intervals import Estimate
from osler.text.hostile import safe
from osler.vqa.scoring import Accuracy, Figures, Paired

NOTICE: Final = (
    "Baselines read no question: they are levels to compare with, not language models. For education and"
    " research only."
)


def accuracy_json(found: Accuracy) -> dict[str, Any]:
    """An accuracy as plain JSON."""
    return {
        **_estimate(found.found),
        "unanswered": found.unanswered,
        "faults": found.found.unscored,
        "chance": found.chance,
        "bounds": None if found.bounds is None else list(found.bounds),
    }


def figures_json(found: Figures) -> dict[str, Any]:
    """The figures of one player as plain JSON."""
    given = sum(found.letters.values())
    blind: dict[str, Any] = {}
    if found.blind is not None:
        blind = {
            **accuracy_json(found.blind.blind),
            "seeing": accuracy_json(found.blind.seeing),
            "difference": paired_json(found.blind.paired, "only_blind", "only_seeing"),
        }
    return {
        "accuracy": accuracy_json(found.accuracy),
        "chance": found.accuracy.chance,
        "items_scored": found.items,
        "by_subject": {
            kind: {name: accuracy_json(one) for name, one in named.items()}
            for kind, named in found.subjects.items()
        },
        "by_position": {letter: accuracy_json(one) for letter, one in found.positions.items()},
        "letters": {letter: round(count / given, 6) for letter, count in found.letters.items()},
        "unanswered": found.unanswered,
        "faults": found.faults,
        "blind": blind,
        "consistency": None
        if found.consistency is None
        else {"same": _estimate(found.consistency.same), "right": _estimate(found.consistency.right)},
    }


def paired_json(found: Paired, first: str, second: str) -> dict[str, Any]:
    """A paired difference as plain JSON; `first` and `second` name the counts of pairs right on one side."""
    gap = found.difference
    return {
        "value": gap.value,
        "low": gap.low,
        "high": gap.high,
        "p": found.p,
        "n": gap.n_pairs,
        "unscored": gap.unscored,
        "bounds": None if gap.bounds is None else list(gap.bounds),
        first: found.only_first,
        second: found.only_second,
    }


def tables(name: str, found: Figures) -> list[RenderableType]:
    """The figures of one player for a terminal."""
    table = _table(safe(name), "accuracy", "95 % interval", "n", "unanswered", "faults", "chance")
    _row(table, "all items", found.accuracy)
    if found.blind is not None:
        _row(table, "with pictures", found.blind.seeing)
        _row(table, "the same, blind", found.blind.blind)
    for kind, named in found.subjects.items():
        table.add_section()
        table.add_row(Text(safe(kind.replace("_", " ")), "italic"))
        for subject, one in named.items():
            _row(table, f"  {safe(subject.replace('_', ' '))}", one)
    shown: list[RenderableType] = [table]
    if found.blind is not None:
        shown.append(Text(f"With pictures minus blind: {paired_words(found.blind.paired)}"))
    given = sum(found.letters.values())
    place = _table("right option shown as", "accuracy", "95 % interval", "n", "share of letters given")
    for letter, one in found.positions.items():
        share = f"{found.letters.get(letter, 0) / given:.1%}" if given else "-"
        place.add_row(
            letter, number(one.found.value, True), interval(one.found, True), f"{one.found.n:,}", share
        )
    shown.append(place)
    bounded = [found.accuracy, *(one for named in found.subjects.values() for one in named.values())]
    if any(one.bounds is not None for one in bounded):
        shown.append(Text("Bounds: more than 5 % are faults; as if all of those were wrong, and all right."))
    if (turned := found.consistency) is not None:
        same, right = (f"{number(one.value, True)} ({interval(one, True)})" for one in turned)
        shown.append(Text(f"Over all orders of {turned.same.n:,} items: same option {same}, right {right}"))
    for what, counts in (("Unanswered", found.unanswered), ("Faults, unscored", found.faults)):
        if counts:
            shown.append(Text(safe(f"{what}: {', '.join(f'{n:,} {why}' for why, n in counts.items())}")))
    return shown


def paired_words(found: Paired) -> str:
    """A paired difference in words, in percentage points."""
    gap = found.difference
    if gap.value is None:
        return "no pair is scored on both sides"
    p = "p < 0.001" if found.p < 0.001 else f"p = {found.p:.3f}"
    reach = (
        ""
        if gap.low is None or gap.high is None
        else f"95 % interval {100 * gap.low:+.1f} to {100 * gap.high:+.1f}, "
    )
    differ = f"{found.only_second:,} to {found.only_first:,} of {gap.n_pairs:,} pairs"
    if gap.bounds is not None:
        low, high = (f"{100 * end:+.1f}" for end in gap.bounds)
        return f"no headline, {gap.unscored:,} pairs are unscored; it lies between {low} and {high} points"
    return f"{100 * gap.value:+.1f} points ({reach}McNemar's exact {p}; {differ})"


def _row(table: Table, name: str, found: Accuracy) -> None:
    value, reach = number(found.found.value, True), interval(found.found, True)
    if found.bounds is not None:
        value, reach = "bounds", from_to(found.bounds)
    counts = (f"{found.found.n:,}", f"{found.unanswered:,}", f"{found.found.unscored:,}")
    table.add_row(Text(name), value, reach, *counts, number(found.chance, True))


def _table(*columns: str) -> Table:
    table = Table(box=SIMPLE, padding=(0, 1, 0, 0))
    for place, column in enumerate(columns):
        table.add_column(Text(column), justify="right" if place else "left", no_wrap=bool(place))
    return table


def _estimate(found: Estimate) -> dict[str, Any]:
    return {"value": found.value, "low": found.low, "high": found.high, "n": found.n}
