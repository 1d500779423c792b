"""The figures of a study in words: what each means, where it can lie, and how its numbers are written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

from osler.judging.statistics import Estimate
from osler.reports.summary import Interval

INF: Final = float("inf")
Kind = Literal["gain", "share", "mark", "count"]


class Measure(NamedTuple):
    """A figure: its name in words, what it is, and the least and the most it can be."""

    words: str
    means: str
    kind: Kind
    least: float
    most: float


OF_ROUNDS: Final[dict[str, Measure]] = {
    "learning_gain": Measure(
        "learning gain",
        "what was learnt of what could be learnt, by sibling questions that nobody had seen; 1 is all of it,"
        " 0 none, below 0 a loss",
        "gain",
        -INF,
        1.0,
    ),
    "step_gain": Measure("step gain", "the same, by the key questions of the steps", "gain", -INF, 1.0),
    "answer_gain": Measure(
        "answer gain",
        "the same, by the question of the case itself; rounds in which guidance gave the answer do not count",
        "gain",
        -INF,
        1.0,
    ),
    "leak_rate": Measure(
        "leaks", "share of rounds in which guidance named the answer before a student did", "share", 0.0, 1.0
    ),
    "ets_proxy": Measure(
        "ETS by proxy",
        "mark from 1 to 10 for the strategy of teaching, counted from words",
        "mark",
        1.0,
        10.0,
    ),
    "msm_proxy": Measure(
        "MSM by proxy",
        "mark from 1 to 10 for leading several students, counted from words",
        "mark",
        1.0,
        10.0,
    ),
    "mps_proxy": Measure(
        "MPS by proxy",
        "mark from 1 to 10 for professionalism and safety, counted from words",
        "mark",
        1.0,
        10.0,
    ),
    "participation": Measure(
        "participation", "how evenly the students spoke; 1 is evenly", "share", 0.0, 1.0
    ),
    "uptake": Measure("uptake", "how evenly the others named each student; 1 is evenly", "share", 0.0, 1.0),
    "steps_per_round": Measure(
        "steps a round", "steps that were newly covered in each round", "count", 0.0, INF
    ),
}
"""Every figure of a teaching summary, in the order of a table."""


def _share(words: str, means: str) -> Measure:
    return Measure(words, means, "share", 0.0, 1.0)


def _count(words: str, means: str) -> Measure:
    return Measure(words, means, "count", 0.0, INF)


OF_CONSULTATIONS: Final[dict[str, Measure]] = {
    "accuracy": _share("right", "share of consultations concluded with the right diagnosis or answer"),
    "turns": _count("turns", "turns that the doctor took"),
    "questions": _count("questions", "questions put to the patient"),
    "tests": _count("tests", "tests ordered"),
    "consults": _count("consultations", "how often the consultant was heard"),
    "fact_coverage": _share("facts elicited", "share of the case's key facts that were told"),
    "finding_coverage": _share("findings obtained", "share of the case's key findings that were obtained"),
    "premature_closure": _share(
        "closed too early", "share of wrong conclusions drawn before the telling finding was sought"
    ),
    "right_but_unsupported": _share("right, unsupported", "share right without the evidence for it"),
    "management_met": _share("management", "share of the key features of management that were planned"),
    "brier": _share("Brier score", "squared error of the confidence stated; 0 is best"),
    "minutes": _count("minutes", "simulated minutes"),
    "cost": _count("cost", "tariff points spent"),
    "calls": _count("model calls", "answers of language models, of all seats"),
    "tokens": _count("tokens", "tokens of language models, of all seats, sent and answered"),
}
"""Every figure of a study of consultations, in the order of a table."""
MEASURES: Final[dict[str, Measure]] = OF_ROUNDS | OF_CONSULTATIONS
_MAIN: Final = (
    ("learning_gain", "step_gain", "leak_rate", "ets_proxy", "msm_proxy", "mps_proxy"),
    ("accuracy", "turns", "questions", "tests", "fact_coverage", "finding_coverage"),
)


def main_figures(figures: Iterable[str]) -> tuple[str, ...]:
    """Those of a summary's figures that stand in its first table."""
    held = set(figures)
    return next((names for names in _MAIN if held.issuperset(names)), ())


def further_figures(figures: Iterable[str]) -> tuple[str, ...]:
    """The others, in the order of a table."""
    held = set(figures)
    return tuple(name for name in MEASURES if name in held and name not in main_figures(held))


def value_of(figure: str, value: float | None) -> str:
    """A value of a figure, in per cent where it is a share; a dash for `None`."""
    kind = MEASURES[figure].kind
    if value is None:
        return "-"
    rounded = _rounded(value, kind)
    return f"{rounded:.1%}" if kind == "share" else f"{rounded:.{_places(kind)}f}"


def difference_of(figure: str, value: float | None) -> str:
    """A difference of two values with its sign; that of two shares is in points of a hundred."""
    kind = MEASURES[figure].kind
    if value is None:
        return "-"
    if kind == "share":
        return f"{round(value * 100, 1) + 0.0:+.1f} points"
    return f"{_rounded(value, kind):+.{_places(kind)}f}"


def within(figure: str, found: Estimate | Interval) -> Interval:
    """A figure with its interval cut to where the figure can lie."""
    measure = MEASURES[figure]

    def cut(end: float | None) -> float | None:
        return None if end is None else min(max(end, measure.least), measure.most)

    return Interval(
        value=found.value, low=cut(found.low), high=cut(found.high), n=found.n, unscored=found.unscored
    )


def p_value(p: float | None) -> str:
    """A p value to three places; a dash where there is none."""
    return "-" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def no_interval(value: float | None, cases: int) -> str:
    """Why there is no interval."""
    if value is None:
        return "nothing scored"
    return "no interval from one case" if cases <= 1 else "no spread"


def _places(kind: Kind) -> int:
    return {"gain": 3, "mark": 2, "share": 3, "count": 2}[kind]


def _rounded(value: float, kind: Kind) -> float:
    """Rounded as it is printed, so that nothing reads as minus zero."""
    return round(value, _places(kind)) + 0.0
