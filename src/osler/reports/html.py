"""Runs as one HTML file, side by side. It needs no script and asks the network for nothing.

The same reports give the same bytes: the only times in it are those of the runs. Everything written by
others is escaped, and a long text is cut where it would drown the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from importlib import resources
from typing import Final, NamedTuple, TypeVar

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from osler.judging.statistics import Estimate, bounds, too_few_scored
from osler.reports import plots
from osler.reports.by_case import CaseFigures
from osler.reports.plots import Point
from osler.reports.run_report import NOT_STATED, RunReport
from osler.reports.safe_text import safe
from osler.reports.summary import LABEL, SHARES, Interval
from osler.reports.tables import interval, number

T = TypeVar("T")

MOST_CASES: Final = 100
"""Cases shown one by one; of more, those with the lowest shares."""
_MOST_DOTS: Final = 300
_LONG, _LABEL = 4000, 60
_TOKENS: Final = (
    "replies",
    "calls",
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "reasoning_tokens",
)


class _Cell(NamedTuple):
    """A figure of one run: the figure, its interval, and how many episodes were scored and not scored."""

    value: str
    interval: str
    counts: str


class _CaseLine(NamedTuple):
    """A case with what each run made of it."""

    label: str
    specialty: str
    plot: Markup
    cells: list[_Cell | None]


def report_html(runs: Sequence[RunReport]) -> str:
    """The page, in the order of the runs; at most `plots.MOST_RUNS` of them."""
    lines, left_out = _case_lines(runs)
    return _template().render(
        runs=runs,
        letters=[chr(ord("A") + place) for place in range(len(runs))],
        marks=[plots.mark(place) for place in range(len(runs))],
        settings=_rows(runs, lambda run: run.configuration),
        graders=[", ".join(f"{name}: {n:,}" for name, n in run.graders.items()) for run in runs],
        ended=_rows(runs, lambda run: {k: _share_of(n, run) for k, n in run.summary.ended.items()}),
        as_if=[run.as_if and _from_to(run.as_if) for run in runs],
        accuracy=[_right(run.summary.accuracy) for run in runs],
        kinds=_rows(runs, lambda run: {k: _right(v) for k, v in run.summary.by_kind.items()}),
        chances=_rows(
            runs,
            lambda run: {k: number(v.chance, True) for k, v in run.summary.by_kind.items() if v.chance},
        ),
        controls=[place for place, run in enumerate(runs) if run.looks_at],
        process=_rows(runs, _figures),
        specialties=_rows(runs, lambda run: {k: _right(v) for k, v in run.specialties.items()}),
        specialty_known=any(set(run.specialties) - {NOT_STATED} for run in runs),
        cases=lines,
        cases_left_out=left_out,
        axis=plots.forest_axis(),
        headline_plot=plots.forest([_sure(run.summary.accuracy) for run in runs]),
        scatter=_scatter(runs),
        tokens=_TOKENS,
        used=[[(seat, name, row) for seat, e in run.used.items() for name, row in e.items()] for run in runs],
        number=number,
        clipped=clipped,
        label=LABEL,
    )


def clipped(text: str, most: int = _LONG) -> str:
    """The beginning of a text that is longer than `most` characters, saying how much there was."""
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def _rows(
    runs: Sequence[RunReport], of: Callable[[RunReport], dict[str, T]]
) -> list[tuple[str, list[T | None]]]:
    """What `of` says of each run, by name: each name that any run has, in order, with a value a run."""
    said = [of(run) for run in runs]
    names = dict.fromkeys(name for each in said for name in each)
    return [(name, [each.get(name) for each in said]) for name in names]


def _cell(found: Estimate | Interval, share: bool) -> _Cell:
    held = found if isinstance(found, Interval) else Interval(**found._asdict())
    counts = f"{held.n:,} scored" + (f", {held.unscored:,} not" if held.unscored else "")
    return _Cell(number(held.value, share), interval(held, share), counts)


def _right(found: Estimate | Interval) -> _Cell:
    """A share answered rightly; where more than 5 % are unscored, its bounds instead."""
    cell = _cell(found, True)
    if found.value is None or (ends := bounds(found.value * found.n, found.n, found.unscored)) is None:
        return cell
    return cell._replace(value="no headline", interval=f"{_from_to(ends)} (bounds)")


def _from_to(ends: tuple[float, float]) -> str:
    return f"{number(ends[0], True)} to {number(ends[1], True)}"


def _sure(found: Estimate | Interval) -> Estimate | Interval | None:
    """What may be drawn: nothing where more than 5 % are unscored."""
    return None if too_few_scored(found.n, found.unscored) else found


def _figures(run: RunReport) -> dict[str, _Cell]:
    found = {**run.summary.process, "cost_per_correct": run.summary.cost_per_correct}
    return {name.replace("_", " "): _cell(figure, name in SHARES) for name, figure in found.items()}


def _share_of(count: int, run: RunReport) -> str:
    return f"{count:,} ({number(count / run.summary.episodes, True)})"


def _case_lines(runs: Sequence[RunReport]) -> tuple[list[_CaseLine], int]:
    """The cases with the lowest shares first, each as every run met it, and how many were left out."""
    by_hash: dict[str, list[CaseFigures | None]] = {}
    for place, run in enumerate(runs):
        for figures in run.cases:
            by_hash.setdefault(figures.hash, [None] * len(runs))[place] = figures
    ordered = sorted(by_hash.items(), key=lambda entry: _lowest_first(entry[1]))
    shown = ordered[:MOST_CASES]
    doubled = Counter(_id_of(found) for _, found in shown)
    lines = []
    for key, found in shown:
        case_id = _id_of(found)
        label = clipped(case_id, _LABEL) + (f" [{key[:6]}]" if doubled[case_id] > 1 else "")
        specialty = next(run.specialty_of[key] for run in runs if key in run.specialty_of)
        rights = [figures and figures.right for figures in found]
        cells = [right and _right(right) for right in rights]
        lines.append(
            _CaseLine(
                label,
                clipped(specialty, _LABEL),
                plots.forest([right and _sure(right) for right in rights]),
                cells,
            )
        )
    return lines, len(ordered) - len(shown)


def _lowest_first(found: Sequence[CaseFigures | None]) -> tuple[float, str, str]:
    shares = [each.right.value for each in found if each and each.right.value is not None]
    first = next(each for each in found if each)
    return (sum(shares) / len(shares) if shares else 2.0, first.id, first.hash)


def _id_of(found: Sequence[CaseFigures | None]) -> str:
    return next(each.id for each in found if each)


def _scatter(runs: Sequence[RunReport]) -> Markup:
    whole = [_point(run.summary.process["cost"], run.summary.accuracy) for run in runs]
    cases = [
        [
            Point(each.cost, each.right.value)
            for each in run.cases[:_MOST_DOTS]
            if each.cost is not None and each.right.value is not None
        ]
        for run in runs
    ]
    return plots.scatter(whole, cases, "mean cost in tariff points", "answered rightly")


def _point(cost: Interval, right: Interval) -> Point | None:
    if cost.value is None or right.value is None or _sure(right) is None:
        return None
    return Point(cost.value, right.value, _range(cost), _range(right))


def _range(found: Interval) -> tuple[float, float] | None:
    return None if found.low is None or found.high is None else (found.low, found.high)


def _shown(value: object) -> object:
    """What is about to be printed, without what hides, reorders or cannot be encoded; markup stays."""
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return safe(value).encode("utf-8", "replace").decode()


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, finalize=_shown, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["clipped"] = clipped
    text = resources.files(__package__).joinpath("report.html.j2").read_text(encoding="utf-8")
    return environment.from_string(text)
