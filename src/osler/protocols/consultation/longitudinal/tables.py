"""Terminal tables of a longitudinal study."""

from __future__ import annotations

from collections.abc import Iterator

from rich.box import SIMPLE
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from osler.protocols.consultation.longitudinal.findings import (
    COST_NOTE,
    COSTS,
    FIGURES,
    SHARES,
    Condition,
    LongitudinalReport,
    costs,
    difference_words,
    pairs_words,
    share_words,
)
from osler.text.hostile import safe


def longitudinal_tables(report: LongitudinalReport) -> Iterator[RenderableType]:
    """Yield the study's tables, after a line that says what was played."""
    plan = report.plan
    yield Text(
        f"{safe(str(report.design['doctor']))} on {safe(report.cases)}: {plan.done} of {plan.streams} "
        f"streams, {plan.taught} cases taught in {len(plan.blocks)} blocks, {plan.held_out} held out "
        f"({plan.reserved} of diagnoses taught nowhere), written back "
        f"{'after each case' if report.design['write'] == 'online' else 'block by block'}"
    )
    yield Text(safe(report.headline))
    if not report.conditions:
        return
    yield _metrics(report)
    yield _transfer(report)
    yield _stages(report)
    for name in ("memory", "small"):
        yield _matrix(name, report.conditions[name])
    yield _costs(report)
    audit = report.audit
    verdict = "clean" if audit.clean else f"{len(audit.violations)} or more VIOLATIONS"
    yield Text(f"Leak audit: {verdict}, over {audit.cards} cards given in {audit.retrievals} retrievals")
    yield Text(report.curve, "italic")
    yield Text(report.resampling, "italic")
    if report.label:
        yield Text(report.label, "italic")


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, box=SIMPLE, padding=(0, 1, 0, 0), title_justify="left")
    for place, name in enumerate(columns):
        table.add_column(name, justify="left" if not place else "right", no_wrap=place == 0)
    return table


def _metrics(report: LongitudinalReport) -> Table:
    table = _table("Over time, with 95 % intervals", "", *report.conditions)
    for key, (words, _) in FIGURES.items():
        write = share_words if key in SHARES else difference_words
        table.add_row(words, *(write(one.intervals[key]) for one in report.conditions.values()))
    precision = [
        "-" if one.memory_precision is None else f"{one.memory_precision:.3f}"
        for one in report.conditions.values()
    ]
    table.add_row(
        "negative transfer",
        *(share_words(one.intervals["negative_transfer"]) for one in report.conditions.values()),
    )
    table.add_row("memory precision", *precision)
    table.add_row("unscored", *(f"{one.unscored:,}" for one in report.conditions.values()))
    return table


def _transfer(report: LongitudinalReport) -> Table:
    table = _table("Held-out cases after the last stage", "condition minus", "diagnosis taught", "not taught")
    by_pair: dict[str, list[str]] = {}
    for one in report.compared:
        by_pair.setdefault(f"{one.condition} - {one.against}", []).append(pairs_words(one.difference))
    for pair, cells in by_pair.items():
        table.add_row(pair, *cells)
    return table


def _stages(report: LongitudinalReport) -> Table:
    table = _table(
        "Stage by stage (memory)", "stage", "as taught", "all probes", "update response", "retention", "kept"
    )
    for number, stage in enumerate(report.stages, 1):
        kept = report.fates[number - 1]
        table.add_row(
            str(number),
            share_words(stage.stream),
            share_words(stage.probes["memory"]),
            difference_words(stage.response),
            difference_words(stage.retention) if stage.retention else "-",
            ", ".join(f"{many} {fate}" for fate, many in kept.items() if many),
        )
    return table


def _matrix(name: str, condition: Condition) -> Table:
    size = len(condition.R)
    table = _table(
        f"R of {name}: score on a block (across) after a stage (down)", "", *map(str, range(1, size + 1))
    )
    for number, row in enumerate(condition.R, 1):
        table.add_row(str(number), *("-" if cell is None else f"{cell:.3f}" for cell in row))
    return table


def _costs(report: LongitudinalReport) -> Table:
    table = _table("Cost", "", *COSTS.values(), "points per correct")
    table.caption, table.caption_justify = COST_NOTE, "left"
    for row in costs(report):
        table.add_row(*row)
    return table
