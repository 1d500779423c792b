"""The report of a longitudinal study as one HTML file: no script, no network, the same bytes every time."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from osler.protocols.consultation.longitudinal.findings import (
    COST_NOTE,
    COSTS,
    FIGURES,
    SHARES,
    LongitudinalReport,
    costs,
    difference_words,
    pairs_words,
    share_words,
)
from osler.reports import plots
from osler.reports.page import page_template
from osler.reports.study_plots import Dot, axis_over, lines
from osler.stats.intervals import Estimate


def longitudinal_html(report: LongitudinalReport) -> str:
    """Return the HTML page of a longitudinal study."""
    arms = list(report.conditions)
    kept_arms = [name for name in arms if name != "none"]
    return page_template("longitudinal.html.j2", __package__).render(
        report=report,
        mark=plots.mark,
        arms=arms,
        kept_arms=kept_arms,
        compared=list(_compared(report)),
        curves=_curves(report),
        retention=_retention(report, kept_arms),
        heat=[(name, one.R) for name, one in report.conditions.items()],
        figures=list(_figures(report)),
        stages=list(_stages(report)),
        cost_columns=["", *COSTS.values(), "points per correct conclusion"],
        costs=list(costs(report)) if report.conditions else [],
        cost_note=COST_NOTE,
        meanings=list(FIGURES.values()),
    )


def _compared(report: LongitudinalReport) -> Iterator[tuple[str, ...]]:
    by_pair: dict[str, list[str]] = {}
    for one in report.compared:
        by_pair.setdefault(f"{one.condition} minus {one.against}", []).append(pairs_words(one.difference))
    return ((pair, *cells) for pair, cells in by_pair.items())


def _curves(report: LongitudinalReport) -> Markup:
    series = []
    for name in report.conditions:
        begun = [report.stages[0].probes["none"]] if report.stages else []
        series.append([*begun, *(stage.probes[name] for stage in report.stages)])
    return _lines(series, "Learning curves", "stages learnt")


def _retention(report: LongitudinalReport, arms: list[str]) -> Markup:
    return _lines(
        [report.conditions[name].retained for name in arms], "Retention", "stages since it was learnt"
    )


def _lines(series: list[list[Estimate]], label: str, x_name: str) -> Markup:
    dots = [[Dot(one.value, one.low, one.high, float(x)) for x, one in enumerate(each)] for each in series]
    values = [end for each in dots for dot in each for end in (dot.value, dot.low, dot.high)]
    return lines(dots, axis_over(values, lambda value: f"{value:.2g}"), label, x_name)


def _figures(report: LongitudinalReport) -> Iterator[tuple[str, ...]]:
    conditions = report.conditions.values()
    for key, (words, _) in FIGURES.items():
        write = share_words if key in SHARES else difference_words
        yield (words, *(write(one.intervals[key]) for one in conditions))
    yield ("negative transfer", *(share_words(one.intervals["negative_transfer"]) for one in conditions))
    yield ("memory precision", *(_number(one.memory_precision) for one in conditions))
    yield ("unscored", *(str(one.unscored) for one in conditions))


def _stages(report: LongitudinalReport) -> Iterator[tuple[str, ...]]:
    memory = report.conditions.get("memory")
    for number, stage in enumerate(report.stages):
        yield (
            str(number + 1),
            share_words(stage.stream),
            difference_words(stage.response),
            difference_words(stage.retention) if stage.retention else "-",
            ", ".join(f"{many} {fate}" for fate, many in report.fates[number].items() if many),
            f"{memory.memory_size[number]:.0f} cards" if memory else "-",
        )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
