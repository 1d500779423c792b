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
from osler.training.reward.probes import PLAIN

GROUPS: Final[Mapping[str, Mapping[str, str]]] = {
    "The update": {
        "loss": "Loss of each update",
        "validation": "Loss on the validation split",
        "tokens": "Tokens of an update",
        "accuracy": "Share of target tokens that were the likeliest",
        "rate": "Learning rate",
        "norm": "Norm of the gradient",
        "kl": "Divergence from the reference",
        "entropy": "Entropy of the policy",
        "clipped": "Share of tokens that were clipped",
    },
    "The reward": {
        "reward": "Mean reward",
        "validation/reward": "Reward of greedy answers at validation states",
        "validation/valid": "Share of greedy answers at validation states that parse",
    },
    "Beside the reward": {
        "control/leak": "Share of answers that give the answer away",
        "control/words": "Mean length of answers, in words",
        "valid": "Share of answers that parse",
        "vetoed": "Share of answers with a veto",
        "veto_groups": "Share of groups with a veto",
        "zero_spread": "Share of groups with equal rewards, from which nothing is learnt",
        "unscored": "Share of answers without a score",
        "masked_groups": "Share of groups left out, for want of a score",
        "cut_off": "Share of answers that were cut off",
        "length": "Mean length of answers, in tokens",
        "control/with_leak": "Correlation of the reward with giving the answer away",
        "control/shuffled_leak": "The same by chance: 95 % of shuffled rewards stay within",
        "control/with_words": "Correlation of the reward with the number of words",
        "control/shuffled_words": "The same by chance: 95 % of shuffled rewards stay within",
    },
}
"""The groups of what is logged, with the words of each name, in the order in which they are shown. Axes stand
with the reward, other names at the end."""
AXIS: Final = "axis/"
OTHERS: Final = "Others"
WORDS: Final[Mapping[str, str]] = {name: words for held in GROUPS.values() for name, words in held.items()}
_MOST: Final = 1e12
REINFORCED: Final = "grpo"
SHUFFLED: Final = "shuffled"
_SHOWN_ELSEWHERE: Final = frozenset({"probes", "beaten_by", "caution"})
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
    reward: dict[str, Any]

    @property
    def shuffled(self) -> bool:
        """Whether it is a control that was given shuffled rewards."""
        return bool(self.stamp.config.get(SHUFFLED))

    @property
    def probes(self) -> list[_Probe]:
        """The hacking probes with the plain turn, as they scored before the training."""
        held = self.reward.get("probes")
        each = [one for one in held if isinstance(one, dict)] if isinstance(held, list) else []
        plain = next((one for one in each if one.get("name") == PLAIN), {})
        return [_probe(one, plain) for one in each]

    def of_same(self) -> tuple[Any, ...]:
        """All that a training shares with its control."""
        settings = {
            name: value for name, value in self.stamp.config.items() if name not in (SHUFFLED, "seed")
        }
        stamp, version = self.stamp, self.reward.get("version")
        return stamp.kind, stamp.data_hash, stamp.base_hash, stamp.reward, version, settings


class _Probe(NamedTuple):
    """A hacking probe: its score beside the plain turn's, and whether it beats that."""

    name: str
    total: str
    plain: str
    above: str
    vetoed: str
    unscored: str
    beats: bool
    verdict: str


class _Figure(NamedTuple):
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
    trainings = [
        _Training(name, one.stamp, one.log(), one.labels(), one.result, one.reward)
        for name, one in zip(names, folders, strict=True)
    ]
    return page_template("training.html.j2", "osler.training").render(
        title=title
        or ("Report of a training" if len(trainings) == 1 else f"Report of {len(trainings)} trainings"),
        label=LABEL,
        trainings=trainings,
        marks=[mark(place) for place in range(len(trainings))],
        groups=[(words, [_drawn(name, trainings) for name in names]) for words, names in _grouped(trainings)],
        reinforced=[
            one for one in trainings if one.stamp.kind == REINFORCED and not _is_control(one, trainings)
        ],
        cautions=dict.fromkeys(str(one.reward["caution"]) for one in trainings if one.reward.get("caution")),
        controls=_controls(trainings),
        ends=_rows(trainings, _ends) if any(one.stamp.kind == REINFORCED for one in trainings) else [],
        made_from=_rows(trainings, _made_from),
        settings=_rows(trainings, lambda one: {name: str(value) for name, value in one.stamp.config.items()}),
        results=_rows(trainings, _result),
    )


def logged(logs: Iterable[Sequence[Mapping[str, Any]]]) -> list[str]:
    """The names of all that was logged as a number, in the order in which they are shown."""
    names = {name for log in logs for line in log for name, value in line.items() if _number(value)}
    names -= {"step"}
    order = list(WORDS)
    return sorted(names, key=lambda name: (order.index(name) if name in WORDS else len(order), name))


def _grouped(trainings: Sequence[_Training]) -> list[tuple[str, list[str]]]:
    """Group the logged figures; in reinforcement learning the reward comes first."""
    names = logged(one.log for one in trainings)
    held = {
        words: [name for name in names if name in known or (words == "The reward" and name.startswith(AXIS))]
        for words, known in GROUPS.items()
    }
    told = {name for some in held.values() for name in some}
    held[OTHERS] = [name for name in names if name not in told]
    order = [*list(held)[1:3], *list(held)[:1], OTHERS]
    return [(words, held[words]) for words in order if held[words]]


def curve(log: Sequence[Mapping[str, Any]], name: str) -> Curve:
    """The points of one name in a log."""
    return [
        (float(line["step"]), float(line[name]))
        for line in log
        if _number(line.get(name)) and _number(line.get("step"))
    ]


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _MOST


def _drawn(name: str, trainings: Sequence[_Training]) -> _Figure:
    series = [curve(one.log, name) for one in trainings]
    words = f"Axis: {name.removeprefix(AXIS)}" if name.startswith(AXIS) else WORDS.get(name, name)
    ends = [f"{one[0][1]:.4g} to {one[-1][1]:.4g}" if one else "-" for one in series]
    return _Figure(words, curves(series, words), ends)


def _rows(trainings: Sequence[_Training], of: Any) -> list[tuple[str, list[str]]]:
    """A row for each name in any training, with one value for each."""
    each = [of(one) for one in trainings]
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
        if name in _SHOWN_ELSEWHERE or (name.endswith(("_first", "_last")) and "reward_first" in one.result):
            continue
        if isinstance(value, dict):
            found |= {f"{name}: {key}": _said(each) for key, each in value.items()}
        elif value not in (None, []):
            found[name] = _said(value)
    return found


def _ends(one: _Training) -> dict[str, str]:
    """The first and last figures of a reinforcement: of the same answers, the reward and every axis of it."""
    result = one.result or {}
    first, last = result.get("axes_first"), result.get("axes_last")
    found = {"mean reward": (result.get("reward_first"), result.get("reward_last"))}
    if isinstance(first, dict) and isinstance(last, dict):
        found |= {str(name): (value, last.get(name)) for name, value in first.items()}
    found["share that parses"] = (result.get("valid_first"), result.get("valid_last"))
    return {
        name: f"{_said(a)} to {_said(b)}" for name, (a, b) in found.items() if a is not None and b is not None
    }


def _probe(one: Mapping[str, Any], plain: Mapping[str, Any]) -> _Probe:
    beats, n = one.get("beats") is True, one.get("n")
    is_plain = one.get("name") == PLAIN
    meant = str(one.get("conceded") or "")
    verdict = (
        "" if is_plain else f"beats the plain turn{f'; {meant}' if meant else ''}" if beats else "does not"
    )
    return _Probe(
        str(one.get("name", "")),
        _score(one.get("total")),
        _score(plain.get("total")),
        "" if is_plain else f"{one.get('above')} of {n}",
        f"{one.get('vetoed')} of {n}",
        f"{one.get('unscored')} of {n}",
        beats,
        verdict,
    )


def _is_control(one: _Training, trainings: Sequence[_Training]) -> bool:
    """Whether a training is the control of another one here: its probes are those of that one."""
    return one.shuffled and any(
        not other.shuffled and other.of_same() == one.of_same() for other in trainings
    )


def _controls(trainings: Sequence[_Training]) -> list[tuple[int, str, str, str]]:
    """For each training with a reward its control: its place and name, that of the one with shuffled rewards,
    "" if there is none beside it, and the command of it."""
    return [
        (
            place,
            one.name,
            next(
                (other.name for other in trainings if other.shuffled and other.of_same() == one.of_same()), ""
            ),
            str(one.reward.get("control") or "the same command with --shuffled and another --out"),
        )
        for place, one in enumerate(trainings)
        if one.stamp.kind == REINFORCED and not one.shuffled
    ]


def _score(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, int | float) and _number(value) else "unscored"


def _said(value: object) -> str:
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}" if _number(value) else str(value)
