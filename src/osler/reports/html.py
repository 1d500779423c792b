"""The report of runs side by side as one self-contained HTML file, without scripts or network requests.

The same reports give the same bytes: the only timestamps in it are those of the runs. All untrusted text is
escaped, and long text is clipped so that it does not swamp the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from markupsafe import Markup

from osler.core.failure import SHARES
from osler.core.measure import Measure
from osler.judging.grader_notes import note_line
from osler.judging.scores import NOT_IN_CASE
from osler.reports import plots
from osler.reports.cells import NO_VALUE, Cell, from_to, gain_cell, number
from osler.reports.html_cases import case_lines, drawn, figure_cell, scale_of
from osler.reports.page import clipped, page_template, short
from osler.reports.run_report import NOT_STATED, Control, Report, RunReport
from osler.reports.sentences import p_value, points, verdict
from osler.stats.cluster_t import FEWEST
from osler.stats.intervals import too_few_scored
from osler.stats.ranks import told_apart

T = TypeVar("T")

_TOKENS: Final = (
    "replies",
    "calls",
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "reasoning_tokens",
    "cost",
)
_LOOKS: Final = {
    "opening": "the opening only",
    "task.options": "the options only",
    "findings": "which tests exist only",
    "facts": "the order of the facts only",
}


def report_html(report: Report) -> str:
    """Return the HTML page, with the runs in their order; at most `plots.MOST_RUNS` of them."""
    runs = report.runs
    return page_template("report.html.j2").render(
        runs=runs,
        seat=report.protocol.under_test,
        headline=report.headline,
        contents=list(_contents(report)),
        title=report.title or default_title(report),
        sections=report.sections,
        number=number,
        fewest=FEWEST,
        clipped=clipped,
        letters=letters_of(runs),
        marks=marks_of(runs),
        label=" ".join(dict.fromkeys((*(run.label for run in runs), note_line(_graders(runs))))),
        human_anchor=report.human_anchor,
        **_result_words(report),
        **_setup_words(report),
        **_control_words(report),
        **_case_words(report),
    )


# The variables of the template, by the parts of the page


def _result_words(report: Report) -> dict[str, object]:
    """The results: the headline, the other measures, and the runs beside each other."""
    runs, headline = report.runs, report.headline
    result = [run.measures[headline.name] for run in runs]
    as_if = [run.as_if(headline) for run in runs]
    beside = [measure for measure in report.protocol.measures if measure.beside]
    return {
        "board": _board(report),
        "sentences": list(_sentences(report)),
        "matrix": _matrix(report),
        "refused_pairs": [pair for pair in report.pairs if pair.refused],
        "compared": report.compared,
        "differences": _differences(report),
        "passes_of": passes_of,
        "headlines": [figure_cell(headline, one) for one in result],
        "as_if": [from_to(ends) if ends and headline.share else None for ends in as_if],
        "withheld": [bool(one.unscored) and too_few_scored(one.n, one.unscored) for one in result],
        "because": rows_of(runs, lambda run: _because(report, run)),
        "beside": [[(one.words, figure_cell(one, run.measures[one.name])) for one in beside] for run in runs],
        "process": rows_of(runs, lambda run: _figures(report.protocol.measures, run)),
        "why_not": {one.words: reasons_of(runs, one) for one in report.protocol.measures},
        "means": {measure.words: measure.means for measure in report.protocol.measures},
    }


def _setup_words(report: Report) -> dict[str, object]:
    """The setup of the runs: models, settings and graders, what they used, and how they ended."""
    runs = report.runs
    return {
        "models": [_models(run) for run in runs],
        "use": [_use(run) for run in runs],
        "settings": rows_of(runs, lambda run: run.configuration),
        "graders": [", ".join(f"{name}: {n:,}" for name, n in run.graders.items()) for run in runs],
        "ended": rows_of(runs, _ended),
        "failed": rows_of(runs, lambda run: {why: f"{n:,}" for why, n in run.failed.items()}),
        "failures": rows_of(runs, _failures),
        "failure_means": {one.words: one.means for one in SHARES},
        "first_failures": [_first_failures(run) for run in runs],
        "refusals": rows_of(runs, lambda run: {why: f"{n:,}" for why, n in run.refusals.items()}),
        "tokens": _TOKENS,
        "used": [
            [(seat, name, row) for seat, each in run.used.items() for name, row in each.items()]
            for run in runs
        ],
    }


def _control_words(report: Report) -> dict[str, object]:
    """The results of the controls on the same cases."""
    runs, headline = report.runs, report.headline
    rows = [row for run in runs for row in _controls(run).items()]
    return {
        "base_rated": any(row.looks_at is None for _, row in rows),
        "control_rights": rows_of(
            runs, lambda run: {name: figure_cell(headline, row.right) for name, row in _controls(run).items()}
        ),
        "control_gains": rows_of(runs, lambda run: _gains(headline, run)),
        "looked_at": {name: row.looks_at for name, row in rows if row.looks_at},
        "looks": lambda at: _LOOKS.get(at, at),
    }


def _case_words(report: Report) -> dict[str, object]:
    """The results by specialty and by case, with the axis that they are drawn on."""
    runs, headline = report.runs, report.headline
    lines, left_out = case_lines(runs, headline)
    scale = scale_of(headline, runs)
    least, most = ("wrong", "right") if headline.name == "correct" else ("0 %", "100 %")
    result = [run.measures[headline.name] for run in runs]
    return {
        "specialties": rows_of(
            runs, lambda run: {name: figure_cell(headline, one) for name, one in run.specialties.items()}
        ),
        "specialty_known": _specialty_known(runs),
        "cases": lines,
        "cases_left_out": left_out,
        "worst_words": report.worst_words,
        "axis": plots.forest_axis(*scale, share=headline.share),
        "headline_plot": plots.forest([drawn(headline, one) for one in result], *scale),
        "least": least,
        "most": most,
    }


def _failures(run: RunReport) -> dict[str, Cell]:
    return {one.words: figure_cell(one, run.failures[one.name]) for one in SHARES if one.name in run.failures}


def _first_failures(run: RunReport) -> dict[str, str]:
    """The first episodes with each tag, as commands name them, with the exchange it rests on."""
    return {
        one.words: ", ".join(f"{run.name}:{at} exchange {n}" for at, n in run.first_failures[one.name])
        for one in SHARES
        if one.name in run.first_failures
    }


def _graders(runs: Sequence[RunReport]) -> Iterator[str]:
    """Yield the names of the graders, without their versions."""
    for run in runs:
        yield from (name.partition(" ")[0] for name in run.graders)


def letters_of(runs: Sequence[RunReport]) -> list[str]:
    """Return the letter that labels each run."""
    return [chr(ord("A") + place) for place in range(len(runs))]


def marks_of(runs: Sequence[RunReport]) -> list[Markup]:
    """Return each run's mark."""
    return [plots.mark(place) for place in range(len(runs))]


def rows_of(
    runs: Sequence[RunReport], of: Callable[[RunReport], dict[str, T]]
) -> list[tuple[str, list[T | None]]]:
    """Return a row for each name in any run's `of(run)`: the name and one value per run, in order."""
    said = [of(run) for run in runs]
    names = dict.fromkeys(name for each in said for name in each)
    return [(name, [each.get(name) for each in said]) for name in names]


def _contents(report: Report) -> Iterator[tuple[str, str]]:
    yield "headline", "Headline"
    if report.compared:
        yield "compared", "Differences"
    yield from (("ended", "How episodes ended"), ("process", "All measures"))
    yield from ((section.anchor, section.heading) for section in report.sections)
    if _specialty_known(report.runs):
        yield "specialty", "By specialty"
    yield from (("case", "By case"), ("controls", "Controls"), ("models", "Models"))
    yield from (("worst", "Worst episodes"), ("run", "What was run"))


def _specialty_known(runs: Sequence[RunReport]) -> bool:
    return any(set(run.specialties) - {NOT_STATED} for run in runs)


def _figures(measures: Sequence[Measure], run: RunReport) -> dict[str, Cell]:
    return {
        measure.words: figure_cell(measure, found)
        for measure in measures
        if (found := run.measures[measure.name]).n or found.unscored
    }


def _because(report: Report, run: RunReport) -> dict[str, str]:
    """Return the reasons for missing scores with their counts, by score."""
    pairs = ((report.protocol.measure(name), held) for name, held in run.because.items())
    return {measure.words: _reasons(measure, held) for measure, held in pairs}


def _reasons(measure: Measure, held: Mapping[str, int]) -> str:
    """Return reasons with their counts, and what a case would need where it is the cases that lack it."""
    text = ", ".join(f"{why.replace('_', ' ')} {count:,}" for why, count in held.items())
    return f"{text}; a case needs {measure.needs.words}" if measure.needs and NOT_IN_CASE in held else text


def reasons_of(runs: Sequence[RunReport], measure: Measure) -> str:
    """Return why episodes are unscored by a measure, over all runs together; empty if none is."""
    counts = Counter[str]()
    for run in runs:
        counts.update(run.because.get(measure.name, {}))
    return _reasons(measure, counts)


def default_title(report: Report) -> str:
    """Return the title of a report without one of its own."""
    if len(report.runs) == 1:
        return "Report of a run"
    return f"Report of {len(report.runs)} runs"


def _models(run: RunReport) -> str:
    """Return the models of a run, with the endpoints that serve them."""
    return ", ".join(f"{model} ({endpoint})" for endpoint, model in sorted(run.models.items()))


def _use(run: RunReport) -> str:
    """Return a run's use of models in words: tokens and money, empty without any; what an endpoint did not
    report is left out."""
    rows = [row for endpoints in run.used.values() for row in endpoints.values()]
    if not rows:
        return ""
    said = []
    for name, words in (("prompt_tokens", "tokens sent"), ("completion_tokens", "answered")):
        counts = [row[name] for row in rows]
        if None not in counts:
            said.append(f"{sum(count or 0 for count in counts):,} {words}")
    costs = [row.get("cost") for row in rows]
    cost = None if None in costs else sum(one or 0 for one in costs)
    said.append("cost unknown: no prices" if cost is None else f"cost {cost:,.4g}")
    return ", ".join(said)


class _Place(NamedTuple):
    """A line of the leaderboard: the run's index, its rank with its interval, and pass^k in words."""

    run: int
    rank: str
    interval: str
    headline: Cell
    passes: str


def _board(report: Report) -> list[_Place]:
    """Return the leaderboard, best first; empty for a single run, or where runs cannot be ranked."""
    ranked = [(one, n) for n, one in enumerate(report.ranks) if one.rank is not None]
    if len(report.runs) < 2 or len(ranked) < len(report.runs):
        return []
    return [
        _Place(
            n,
            str(one.rank),
            str(one.low) if one.low == one.high else f"{one.low} to {one.high}",
            figure_cell(report.headline, report.runs[n].measures[report.headline.name]),
            passes_of(report.runs[n]),
        )
        for one, n in sorted(ranked, key=lambda found: (found[0].rank or 0, found[1]))
    ]


def passes_of(run: RunReport) -> str:
    """Return pass^k of a run in words, with the interval of the largest k; empty without repeats."""
    lines = [f"pass^{k} {number(found.value, True)}" for k, found in sorted(run.passes.items())]
    last = run.passes[max(run.passes)] if run.passes else None
    if last is not None and last.low is not None and last.high is not None:
        lines[-1] += f" ({from_to((last.low, last.high))})"
    return ", ".join(lines)


def _sentences(report: Report) -> Iterator[str]:
    """Yield whether each two runs differ on the headline, in a sentence."""
    letters = letters_of(report.runs)
    for pair in report.pairs:
        if not pair.refused:
            names = tuple(
                f"{letters[place]} ({short(report.runs[place].called)})"
                for place in (pair.first, pair.second)
            )
            yield verdict(report.headline, names[0], names[1], pair.difference, len(report.pairs))


class _Square(NamedTuple):
    """A cell of the matrix: the difference row minus column, its interval, p, and whether it was shown."""

    value: str
    interval: str
    p: str
    shown: bool


def _matrix(report: Report) -> list[list[_Square | None]]:
    """Return the lower triangle of differences: a row for every run but the first; `None` where two runs
    cannot be compared."""
    rows: list[list[_Square | None]] = [[None] * n for n in range(1, len(report.runs))]
    share = report.headline.share
    for pair in report.pairs:
        gap = pair.difference
        if pair.refused or (gap.value is None and gap.bounds is None):
            continue
        low, high = gap.bounds or (gap.low, gap.high)
        reach = "no interval" if low is None else f"{points(low, share)} to {points(high, share)}"
        value = "bounds" if gap.bounds else points(gap.value, share)
        rows[pair.second - 1][pair.first] = _Square(value, reach, p_value(gap), told_apart(gap))
    return rows


def _controls(run: RunReport) -> dict[str, Control]:
    return {row.name: row for row in run.controls.rows} if run.controls else {}


def _gains(measure: Measure, run: RunReport) -> dict[str, Cell]:
    rows = _controls(run).items()
    return {name: gain_cell(row.gain, measure.share, f"{row.gain.n:,} cases") for name, row in rows}


def _differences(report: Report) -> list[tuple[str, list[Cell | None]]]:
    """Return the differences by measure, with a cell for each later run that could be compared."""
    fair = [one for one in report.compared if not one.refused]
    pairs = []
    for measure in report.protocol.measures:
        if not any(measure.name in one.differences for one in fair):
            continue
        cells = []
        for one in fair:
            gap = one.differences[measure.name]
            p = p_value(gap)
            text = "" if p == NO_VALUE else f", p {p}"
            cells.append(gain_cell(gap, measure.share, f"{gap.n_pairs:,} pairs{text}"))
        pairs.append((measure.words, list(cells)))
    return pairs  # type: ignore[return-value]


def _ended(run: RunReport) -> dict[str, str]:
    """Return how many episodes ended in each way and, below it, for which causes."""
    result = {}
    for status, count in run.ended.items():
        result[status] = _share_of(count, run)
        for cause, times in run.ended_because.get(status, {}).items():
            result[f"{status}: {cause.replace('_', ' ')}"] = _share_of(times, run)
    if run.left_out:
        result["left out: not permitted by the people in it"] = f"{run.left_out:,}"
    return result


def _share_of(count: int, run: RunReport) -> str:
    return f"{count:,} ({number(count / run.episodes, True)})"
