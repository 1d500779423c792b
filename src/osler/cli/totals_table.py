"""Terminal tables of the totals of runs of any protocol: one run in rows, or several runs side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.core.measure import Measure
from osler.core.names import player_name
from osler.core.protocol import Protocol
from osler.reports.cells import NO_VALUE, from_to, interval, number, without_interval
from osler.runs.totals import Totals
from osler.stats.intervals import Estimate
from osler.text.hostile import safe

_COLUMNS = ("figure", "value", "95 % interval", "scored", "unscored")


def totals_table(protocol: Protocol, run: str, totals: Totals, wall_s: float) -> RenderableType:
    """Return the totals of a run as a table, under a header and over the protocol's notes.

    The measures that the protocol shows first are followed by the headline over each group of episodes, then
    by the others. `wall_s` is the wall-clock time of the session in seconds.
    """
    return Group(
        *map(_text, _header(protocol, run, totals, wall_s)),
        Text(safe(f"Judged by {_graders(totals.graders)}"), end="\n\n"),
        _measures(protocol, totals),
        *map(_text, without_interval(totals.measures.values())),
        *map(_text, _left_out(protocol, totals)),
        *map(_text, totals.notes.lines),
        Text(safe(totals.label), "italic"),
    )


def _header(protocol: Protocol, run: str, totals: Totals, wall_s: float) -> Iterator[str]:
    ended = ", ".join(f"{count:,} {status}" for status, count in totals.ended.items())
    cases = f"{totals.clusters:,} case{'s' if totals.clusters != 1 else ''}"
    yield f"Run {run}: {totals.episodes:,} {protocol.many} of {cases} ({ended})"
    yield f"{totals.exchanges:,} exchanges; this session took {wall_s:,.1f} s"


def _graders(counts: Mapping[str, int]) -> str:
    """The graders with their first versions, and the number of others: a version may depend on the case."""
    versions: dict[str, dict[str, int]] = {}
    for grader, count in counts.items():
        name, _, version = grader.partition(" ")
        versions.setdefault(name, {})[version] = count
    lines = []
    for name, each in versions.items():
        more = f" and {len(each) - 1:,} other versions" if len(each) > 1 else ""
        lines.append(f"{name} {next(iter(each))}{more} ({sum(each.values()):,})")
    return ", ".join(lines) or "nobody"


def _measures(protocol: Protocol, totals: Totals) -> Table:
    headline, first = protocol.measures[0], protocol.shown_first
    groups = [(part, group) for parts in totals.groups.values() for part, group in parts.items()]
    chances = any(group.chance is not None for _, group in groups)
    table = _table(*_COLUMNS, *(("chance",) if chances else ()))
    for measure in first:
        _row(table, measure, totals)
    table.add_section()
    for part, group in groups:
        if group.clusters > 1:
            chance = (number(group.chance, True),) if chances else ()
            _add(table, f"{headline.words}: {part}", headline, group.headline, None, *chance)
    table.add_section()
    for measure in protocol.measures:
        if measure not in first:
            _row(table, measure, totals)
    return table


def _row(table: Table, measure: Measure, totals: Totals) -> None:
    if estimate := _estimate(measure, totals):
        _add(table, measure.words, measure, estimate, _ends(measure, totals))


def _add(
    table: Table,
    words: str,
    measure: Measure,
    estimate: Estimate,
    ends: tuple[float, float] | None,
    *more: str,
) -> None:
    counts = (f"{estimate.n:,}", f"{estimate.unscored:,}")
    cells = (words, *_value(measure, estimate, ends), *counts, *more)
    table.add_row(*map(_text, cells))


def _left_out(protocol: Protocol, totals: Totals) -> Iterator[str]:
    """The groups that the table leaves out, and the reasons of episodes without a headline."""
    alone = sum(group.clusters == 1 for parts in totals.groups.values() for group in parts.values())
    if alone and totals.clusters > 1:
        yield f"{protocol.measures[0].words} by groups: {alone:,} of a single case left out; --json has them"
    because = totals.unscored_because.get(protocol.measures[0].name, {})
    if because:
        yield f"Unscored: {', '.join(f'{count:,} {why}' for why, count in because.items())}"


def side_by_side(protocol: Protocol, runs: Mapping[str, Totals]) -> RenderableType:
    """Return a table of several players on the same worlds, one column each."""
    table = _table("figure", *runs)
    for measure in protocol.measures:
        estimates = [_estimate(measure, totals) for totals in runs.values()]
        if any(estimates):
            cells = [
                "\n".join(_value(measure, one, _ends(measure, totals))) if one else NO_VALUE
                for one, totals in zip(estimates, runs.values(), strict=True)
            ]
            table.add_row(*map(_text, (measure.words, *cells)))
    headline = protocol.measures[0].name
    counts = {
        "episodes": [totals.episodes for totals in runs.values()],
        "unscored": [totals.measures[headline].unscored for totals in runs.values()],
    }
    for name, each in counts.items():
        table.add_row(name, *(f"{count:,}" for count in each))
    role = protocol.role(protocol.under_test)
    privileged = sorted({player for name in runs for player in player_name(role, name).privileged})
    return Group(
        table,
        *(
            _text(f"{one} is privileged: it is given the answer, so it is not compared.")
            for one in privileged
        ),
        *(Text(safe(label), "italic") for label in dict.fromkeys(one.label for one in runs.values())),
    )


def _estimate(measure: Measure, totals: Totals) -> Estimate | None:
    """The estimate of a measure; `None` if no episode has anything to score by it."""
    estimate = totals.measures.get(measure.name)
    return estimate if estimate and (estimate.n or estimate.unscored) else None


def _ends(measure: Measure, totals: Totals) -> tuple[float, float] | None:
    """The bounds that replace a measure: those of the headline, if it has any."""
    return totals.headline_bounds if measure.name == next(iter(totals.measures)) else None


def _value(measure: Measure, estimate: Estimate, ends: tuple[float, float] | None) -> tuple[str, str]:
    if ends:
        return "no headline", f"{from_to(ends)} (bounds)"
    reach = interval(estimate, measure.share) if estimate.low is not None else "no interval"
    return number(estimate.value, measure.share), reach


def _table(*columns: str) -> Table:
    table = Table()
    for place, column in enumerate(columns):
        table.add_column(_text(column), justify="right" if place else "left")
    return table


def _text(words: str) -> Text:
    return Text(safe(words))
