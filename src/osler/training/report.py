"""The report of trainings: curves of all that was logged, what was learnt, and what it was made from.

One HTML file without scripts or requests. Whatever a training writes into its log as a number is drawn, so
that no reward, axis or veto is left out; texts of models and files are escaped and clipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from markupsafe import Markup

from osler.errors import BadInput
from osler.reports.curves import MOST_SERIES, Curve, curves
from osler.reports.page import page_template
from osler.reports.plots import mark
from osler.training.folder import Folder, Stamp

WORDS: Final[Mapping[str, str]] = {
    "loss": "Loss of each update",
    "validation": "Loss on the validation split",
    "accuracy": "Share of target tokens that were the likeliest",
    "rate": "Learning rate",
    "norm": "Norm of the gradient",
    "reward": "Mean reward",
    "vetoed": "Share of answers with a veto",
    "unscored": "Share of answers without a score",
    "zero_spread": "Share of groups with equal rewards",
    "length": "Mean length of answers, in tokens",
    "valid": "Share of answers that parse",
}
"""What is logged, in the order in which it is shown; other names come after these, by the alphabet."""
_MOST: Final = 1e12
LABEL: Final = (
    "Figures of training: they say what a model was rewarded for and learnt, and are no evidence about"
    " teaching. For education and research only."
)


class _Training(NamedTuple):
    name: str
    stamp: Stamp
    log: list[dict[str, Any]]
    labels: list[dict[str, Any]]
    result: dict[str, Any] | None


class _Drawn(NamedTuple):
    """A figure: its heading, the picture, and the first and last value of each training."""

    words: str
    picture: Markup
    ends: list[str]


def training_html(folders: Sequence[Folder], title: str = "") -> str:
    """Return the HTML page of trainings side by side. Raises BadInput for more than can be told apart."""
    if not 1 <= len(folders) <= MOST_SERIES:
        raise BadInput(f"{len(folders)} trainings in one report", hint=f"give 1 to {MOST_SERIES}")
    names = [one.path.name for one in folders]
    if len({*names}) < len(names):
        names = [f"{one.path.resolve().parent.name}/{one.path.name}" for one in folders]
    found = [
        _Training(name, one.stamp, one.log(), one.labels(), one.result)
        for name, one in zip(names, folders, strict=True)
    ]
    return page_template("training.html.j2", "osler.training").render(
        title=title or ("Report of a training" if len(found) == 1 else f"Report of {len(found)} trainings"),
        label=LABEL,
        trainings=found,
        marks=[mark(place) for place in range(len(found))],
        figures=[_drawn(name, found) for name in logged(one.log for one in found)],
        made_from=_rows(found, _made_from),
        settings=_rows(found, lambda one: {name: str(value) for name, value in one.stamp.config.items()}),
        results=_rows(found, _result),
    )


def logged(logs: Iterable[Sequence[Mapping[str, Any]]]) -> list[str]:
    """The names of all that was logged as a number, in the order in which they are shown."""
    names = {name for log in logs for line in log for name, value in line.items() if _number(value)}
    names -= {"step"}
    order = list(WORDS)
    return sorted(names, key=lambda name: (order.index(name) if name in WORDS else len(order), name))


def curve(log: Sequence[Mapping[str, Any]], name: str) -> Curve:
    """The points of one name in a log."""
    return [
        (float(line["step"]), float(line[name]))
        for line in log
        if _number(line.get(name)) and _number(line.get("step"))
    ]


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST


def _drawn(name: str, found: Sequence[_Training]) -> _Drawn:
    series = [curve(one.log, name) for one in found]
    words = WORDS.get(name, name)
    ends = [f"{one[0][1]:.4g} to {one[-1][1]:.4g}" if one else "-" for one in series]
    return _Drawn(words, curves(series, words), ends)


def _rows(found: Sequence[_Training], of: Any) -> list[tuple[str, list[str]]]:
    """A row for each name in any training, with one value for each."""
    each = [of(one) for one in found]
    names = dict.fromkeys(name for one in each for name in one)
    return [(name.replace("_", " "), [one.get(name, "-") for one in each]) for name in names]


def _made_from(one: _Training) -> dict[str, str]:
    stamp = one.stamp
    told = {
        "kind": stamp.kind,
        "data set": stamp.data,
        "its hash": stamp.data_hash,
        "base": stamp.base,
        "hash of the base": stamp.base_hash,
        "hash of the settings": stamp.config_hash,
        "reward": stamp.reward,
        "hash of the reward": stamp.reward_hash,
        "Osler": stamp.osler,
        **stamp.libraries,
    }
    return {name: value for name, value in told.items() if value}


def _result(one: _Training) -> dict[str, str]:
    if one.result is None:
        return {"ended": "not yet"}
    found = dict[str, str]()
    for name, value in one.result.items():
        if isinstance(value, dict):
            found |= {f"{name}: {key}": _said(each) for key, each in value.items()}
        elif value is not None:
            found[name] = _said(value)
    return found


def _said(value: object) -> str:
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if _number(value) else str(value)
