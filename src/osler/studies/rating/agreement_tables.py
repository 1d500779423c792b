"""Inter-rater agreement as printed tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from osler.reports.printed import add_row, plain, table_of
from osler.studies.rating.agreement import Agreement
from osler.studies.rating.figures import Figure
from osler.studies.rating.item_agreement import Alike, ByItem
from osler.studies.rating.scales import Scale
from osler.studies.rating.with_judge import WithJudge
from osler.text.hostile import safe

LABEL: Final = (
    "Intervals are 95 %, clustered by case except for the ICC. Corrected rates are valid if the rated"
    " episodes were sampled at random, as `osler rate export` does. The built-in judge tests the instrument"
    " and is no evidence about medicine. For education and research only."
)


def agreement_shown(found: Agreement) -> Iterator[RenderableType]:
    """Ratings per rater, agreement between raters and with judges, and the corrected rates."""
    who = ", ".join(f"{rater} {count}" for rater, count in found.raters.items())
    heading = f"{found.rated} of {found.episodes} episodes rated on {found.version}, {found.shared} by two"
    yield plain(f"{heading} or more ({who})")
    yield _between(found)
    if len(found.raters) > 1:
        yield _kappas(found)
    for judge in sorted({(one.grader, one.version) for one in found.with_judges}):
        mine = [one for one in found.with_judges if (one.grader, one.version) == judge]
        yield Text(safe(" ".join(judge)), "bold")
        yield _rates(mine, "items" if found.by_item else "episodes")
        if any(one.yes_or_no is not None for one in mine):
            yield _yes_or_no(mine)
    if found.by_item:
        yield _by_item(found.by_item)
    yield Text(LABEL, "italic")


def boxes_page(found: Agreement, scale: Scale) -> str:
    """The box plots of the ratings as an HTML page."""
    from osler.reports.rating_boxes import boxes_html  # noqa: PLC0415 - import time

    who = ", ".join(f"{rater} {count}" for rater, count in found.raters.items())
    about = f"{found.rated} of {found.episodes} episodes rated on {found.version} ({who}); runs: "
    asks = {item.id: item.asks for item in scale.items}
    return boxes_html(scale.title, about + ", ".join(found.runs), LABEL, asks, found.boxes)


def _between(found: Agreement) -> RenderableType:
    title = "Inter-rater agreement, on episodes rated by two or more"
    table = table_of(title, "item", "same level", "alpha", "ICC of one", "n")
    for name, one in found.between_raters.items():
        cells = (_share(one.exact), _plain(one.alpha), _plain(one.icc_single))
        add_row(table, _words(name), *cells, str(one.exact.n))
    return table


def _kappas(found: Agreement) -> RenderableType:
    table = table_of("Weighted kappa of each pair of raters", "item", "raters", "kappa", "n")
    for name, one in found.between_raters.items():
        for raters, kappa in one.kappa.items():
            add_row(table, _words(name), raters, _plain(kappa), str(kappa.n))
    return table


def _rates(mine: Sequence[WithJudge], counted: str) -> RenderableType:
    what = "Marks" if any(one.unit == "mark" for one in mine) else "Rates"
    title = f"{what} by people and judge, corrected to all episodes (by people), rank correlation"
    table = table_of(title, "item", "people", "judge", "corrected", "ranks")
    for one in mine:
        told = _plain if one.unit == "mark" else _share
        cells = (told(one.people), told(one.judged), told(one.corrected), _plain(one.correlation))
        add_row(table, _words(one.item), *cells)
    most, rated = max(one.judged.n for one in mine), max(one.people.n for one in mine)
    return Group(table, Text(f"judged: {most} {counted}; rated and judged: {rated} (--json: item by item)"))


def _yes_or_no(mine: Sequence[WithJudge]) -> RenderableType:
    title = "Yes or no, where raters are not split: agreement, sensitivity and specificity of the judge"
    table = table_of(title, "item", "agree", "kappa", "finds yes", "finds no", "n")
    for one in mine:
        if (both := one.yes_or_no) is not None:
            cells = (_share(both.agreement), _plain(both.kappa))
            result = (_share(both.sensitivity), _share(both.specificity))
            add_row(table, _words(one.item), *cells, *result, str(both.agreement.n))
    return table


def _by_item(items: Sequence[ByItem]) -> RenderableType:
    """The items on which anybody differs; the others are counted."""
    table = table_of(
        "Items on which raters, or a judge and the raters, differ", "item", "met", "raters", "judges"
    )
    apart = [one for one in items if any(each.same < each.of for each in (one.raters, *one.judges.values()))]
    for one in apart:
        judges = "\n".join(f"{name} {_of(each)}" for name, each in one.judges.items())
        add_row(table, f"{one.case}: {one.text}", _of(one.met), _of(one.raters), judges)
    alike = f"{len(items) - len(apart)} of {len(items)} items: all alike (--json lists them)"
    return Group(table, Text(alike)) if apart else Text(alike)


def _of(one: Alike) -> str:
    return f"{one.same}/{one.of}" if one.of else "-"


def _words(name: str) -> str:
    return name.replace("_", " ")


def _plain(one: Figure) -> str:
    return figure_cell(one, 1, "")


def _share(one: Figure) -> str:
    return figure_cell(one, 100, "%")


def figure_cell(one: Figure, times: int, unit: str, reach: str = "[{}, {}]") -> str:
    """A figure as it is printed, `times` larger, with its interval in the form of `reach`; or why it has no
    value."""
    if one.value is None:
        return one.reason.replace("_", " ")
    places = 2 if times == 1 else 0
    value = f"{one.value * times:.{places}f}{unit}"
    if one.low is None or one.high is None:
        return value
    ends = (f"{end * times:.{places}f}" for end in (one.low, one.high))
    return f"{value} {reach.format(*ends)}"
