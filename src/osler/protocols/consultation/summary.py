"""Summaries of runs of consultations, and the debriefing of a person who has played one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from pydantic import Field
from pydantic_core import from_json
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from osler.core import summary as core
from osler.core.events import Frozen
from osler.core.summary import LABEL, WITH_MODELS
from osler.errors import BadInput, Status
from osler.judging.diagnosis.measured import standing
from osler.judging.scores import NAMES, UNSCORED, Judgement
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.measures import MEASURES
from osler.protocols.consultation.memory.retrieval_log import (
    audit_run,
    audit_value,
    audit_words,
    record_retrievals,
)
from osler.protocols.consultation.story import TOLD
from osler.reports.cells import interval, number, without_interval
from osler.runs.judged_episodes import Body, Grader, judged_episodes
from osler.runs.run import config_as
from osler.stats.intervals import (
    Bounded,
    ClusterSums,
    Estimate,
    Floats,
    bounds,
    per_success,
    ratio_interval,
    ratio_intervals,
)
from osler.store.records import EpisodeRow, RunInfo
from osler.store.store import Store
from osler.text.hostile import safe

BUILT_IN: Final = Grader()


def summarize(run: RunInfo, store: Store, wall_s: float, grader: Grader = BUILT_IN) -> RunSummary:
    """Summarize a run from the store: the same figures after any number of sessions."""
    config = config_as(run, RunConfig)
    summary = Summary(run.name, [seat for seat in config.names() if config.models_in(seat)])
    judged_by = Counter[str]()
    for episode, judgements in judged_episodes(run, store, earlier=bool(grader.version)):
        found = grader.among(judgements)
        add_to(summary, episode, from_json(found.body) if found else None)
        if found:
            judged_by[f"{found.grader} {found.version}"] += 1
    return summary.result(wall_s=wall_s).model_copy(update={"judged_by": dict(sorted(judged_by.items()))})


def summary_of(run: RunInfo, store: Store, wall_s: float, grader: Grader | None = None) -> core.Summary:
    """Return the summary of a run by the built-in judge.

    Raises BadInput for any other grader.
    """
    chosen = grader or BUILT_IN
    if chosen.name != BUILT_IN.name:
        raise BadInput(
            f"a summary is of the built-in judge's scores, not of {chosen.name}'s",
            where="--grader",
            hint="osler show shows a judgement of any grader, osler judge run sums a model judge up",
        )
    found = summarize(run, store, wall_s, chosen)
    return core.Summary(found.model_dump(mode="json"), lambda: results_table(found), found.label)


def after_play(run: RunInfo, store: Store, source: object = None) -> core.Debrief:
    """Record and audit the retrievals of a doctor with a memory, to detect leaks; without one do nothing."""
    if (memory := config_as(run, RunConfig).memory) is None:
        return core.Debrief({}, ())
    record_retrievals(run, store)
    audited = audit_run(run, store, source)  # type: ignore[arg-type]  # the run's own cases
    value = {"memory": memory.headline, "audit": audit_value(audited)}
    return core.Debrief(value, (Text(memory.headline), Text(audit_words(audited))))


ANSWERED: Final = {
    "broader": "answered_broader",
    "unsupported": "answered_unsupported",
    "list": "answered_list",
}
"""Answers that were wrong without naming another diagnosis: the word of each, and its score."""
EVIDENCE: Final = {one.name: one.words for one in MEASURES if one.beside}
"""The scores that stand beside the accuracy, and their words."""

WITHIN_ONE: Final = frozenset(one.name for one in MEASURES if one.share)
"""Figures that lie between 0 and 1."""

SHARES: Final = WITHIN_ONE - {"brier"}
"""Those that are shown in per cent."""

_COUNTED: Final = ("turns", "tests", "minutes", "cost")
_PLACES: Final = tuple(NAMES.index(name) for name in _COUNTED)
_CORRECT: Final = NAMES.index("correct")
_COST: Final = NAMES.index("cost")
_NOT_JUDGED: Final = {"value": None, "reason": "not_judged"}


class Figures(NamedTuple):
    """The resources an episode used, from its outcome: turns, tests, simulated minutes, cost in tariff
    points, exchanges."""

    turns: int
    tests: int
    minutes: int
    cost: int
    exchanges: int


@dataclass(frozen=True, slots=True)
class KindAccuracy(Estimate):
    """Accuracy on one kind of task; `chance` is what guessing would score, `None` for open-ended tasks."""

    chance: float | None = None


class RunSummary(Frozen):
    """The results of a run. `wall_s` is wall-clock seconds; every other time is simulated.

    `accuracy_corrected` is `accuracy` corrected for the judge's measured errors, and `judge` says what is
    known of those; `answered` counts the answers broader than the reference, not borne out, or lists.
    `unscored_because` counts, by score, the reasons for unscored episodes; `judged_by` counts the episodes
    that each grader and version has judged.
    """

    run: str
    episodes: int
    ended: dict[str, int]
    accuracy: Bounded
    accuracy_counting_unsupported: Estimate
    accuracy_corrected: Estimate
    answered: dict[str, int]
    judge: dict[str, Any]
    by_kind: dict[str, KindAccuracy]
    turns_mean: float | None
    tests_mean: float | None
    cost_mean: float | None
    exchanges: int
    wall_s: float
    process: dict[str, Estimate]
    cost_per_correct: Estimate
    unscored_because: dict[str, dict[str, int]]
    judged_by: dict[str, int] = Field(default_factory=dict)
    label: str = LABEL


class Summary:
    """An accumulator of episodes, added in any order, that gives the summary of their run."""

    def __init__(self, run: str, modelled: Sequence[str] = ()) -> None:
        """Start an empty summary; `modelled` are the seats played by language models."""
        self._run = run
        self._label = WITH_MODELS.format(seats=", ".join(modelled)) if modelled else LABEL
        self._ended: Counter[str] = Counter()
        self._exchanges = 0
        self._chances: dict[str, list[float]] = {}
        self._sums = ClusterSums(len(NAMES) + 1)
        self._because: Counter[tuple[str, str]] = Counter()
        self.declined = 0
        """The episodes in which the model declined to answer, or a filter took its answer."""

    def add(
        self,
        status: Status,
        case: str,
        kind: str,
        chance: float | None,
        figures: Figures,
        judgement: Judgement | dict[str, Any] | str | None,
    ) -> None:
        """Add an ended episode. `judgement` may be its JSON text; `case` is the case's content hash.

        The resources it used count unless the episode ended in a status that is never scored (`UNSCORED`).
        """
        self._ended[status] += 1
        self._exchanges += figures.exchanges
        row, because = _values(judgement)
        if status not in UNSCORED:
            for name, place, figure in zip(_COUNTED, _PLACES, figures, strict=False):
                if because.get(name) != TOLD:
                    row[place] = figure
                    because.pop(name, None)
        self._because.update(because.items())
        row.append(None if row[_CORRECT] is None else row[_COST])
        self._sums.add(f"{kind}\x1f{case}", row)
        if chance is not None:
            held = self._chances.setdefault(kind, [0.0, 0.0])
            held[0] += chance
            held[1] += 1

    def result(self, wall_s: float) -> RunSummary:
        """Return the summary of the run so far."""
        sums, counts = self._sums.arrays()
        episodes = self._sums.episodes
        scored = counts.sum(axis=0)
        unscored = [round(episodes - count) for count in scored[: len(NAMES)]]
        found = dict(
            zip(
                NAMES,
                ratio_intervals(
                    sums[:, :-1],
                    counts[:, :-1],
                    unscored,
                    [name in WITHIN_ONE for name in NAMES],
                ),
                strict=True,
            )
        )
        correct = found["correct"]
        judged = found["answered_broader"].n > 0
        rights = float(sums[:, _CORRECT].sum())
        ends = bounds(rights, correct.n, correct.unscored, self.declined)
        per_correct = per_success(sums[:, -1], sums[:, _CORRECT], correct.unscored)
        if rights and not counts[:, -1].any():  # told the case, so nothing was spent
            per_correct = Estimate(None, None, None, 0, episodes)
        return RunSummary(
            run=self._run,
            episodes=episodes,
            ended={str(status): count for status, count in sorted(self._ended.items())},
            accuracy=Bounded(**asdict(correct), bounds=ends),
            accuracy_counting_unsupported=found["correct_or_unsupported"],
            accuracy_corrected=standing().measured.corrected(correct)
            if judged
            else Estimate(None, None, None, 0),
            answered={
                word: round(float(sums[:, NAMES.index(name)].sum())) for word, name in ANSWERED.items()
            },
            judge=standing().plain() if judged else {},
            by_kind=self._by_kind(sums, counts),
            turns_mean=found["turns"].value,
            tests_mean=found["tests"].value,
            cost_mean=found["cost"].value,
            exchanges=self._exchanges,
            wall_s=round(wall_s, 3),
            process={name: _within(found[name], name) for name in NAMES if name != "correct"},
            cost_per_correct=_within(per_correct, "cost_per_correct"),
            unscored_because=self._reasons(),
            label=self._label,
        )

    def _reasons(self) -> dict[str, dict[str, int]]:
        """Return, for each score missing somewhere, the number of episodes by reason."""
        found: dict[str, dict[str, int]] = {}
        for (name, reason), count in sorted(self._because.items()):
            found.setdefault(name, {})[reason] = count
        return found

    def _by_kind(self, sums: Floats, counts: Floats) -> dict[str, KindAccuracy]:
        kinds = np.array([key.split("\x1f", 1)[0] for key in self._sums.clusters()], dtype=object)
        episodes = self._sums.episodes_by_cluster()
        found = {}
        for kind in sorted(set(kinds)):
            mine = kinds == kind
            right, scored = sums[mine, _CORRECT], counts[mine, _CORRECT]
            left = round(float(episodes[mine].sum() - scored.sum()))
            total, number = self._chances.get(kind, (0.0, 0.0))
            found[str(kind)] = KindAccuracy(
                **asdict(ratio_interval(right, scored, left, proportion=True)),
                chance=round(total / number, 6) if number else None,
            )
        return found


def _within(estimate: Estimate, name: str) -> Estimate:
    """Clip a figure to its range: nothing below 0, no share or Brier score above 1."""
    return estimate.within(0.0, 1.0 if name in WITHIN_ONE else float("inf"))


def _values(
    judgement: Judgement | dict[str, Any] | str | None,
) -> tuple[list[float | None], dict[str, str]]:
    """Return each score's value in the order of `NAMES`, and the reasons for those that are `None`, as one is
    that the grader does not give."""
    values: list[float | None] = []
    because: dict[str, str] = {}
    if isinstance(judgement, Judgement):
        for name in NAMES:
            score = judgement.scores[name]
            values.append(score.value)
            if score.value is None:
                because[name] = score.reason
        return values, because
    body = from_json(judgement, cache_strings="keys") if isinstance(judgement, str) else judgement
    scores: Mapping[str, Any] = body["scores"] if body else {}
    for name in NAMES:
        found = scores.get(name, _NOT_JUDGED)
        values.append(found["value"])
        if found["value"] is None:
            because[name] = found.get("reason", "")
    return values, because


def results_table(summary: RunSummary) -> RenderableType:
    """Return the results of a run: how its episodes ended, its accuracy, and its process figures."""
    ended = ", ".join(f"{count:,} {status}" for status, count in summary.ended.items())
    by = ", ".join(f"{name} ({count:,})" for name, count in summary.judged_by.items()) or "nobody"
    return Group(
        Text(f"Run {safe(summary.run)}: {summary.episodes:,} episodes ({safe(ended)})"),
        Text(f"{summary.exchanges:,} exchanges; this session took {summary.wall_s:,.1f} s"),
        Text(f"Judged by {safe(by)}", end="\n\n"),
        Text("Answered correctly", "bold"),
        _accuracy(summary),
        *(
            (Text(safe(standing().words)), Text(_wrongly(summary.answered), end="\n\n"))
            if summary.judge
            else ()
        ),
        Text("How the work was done", "bold"),
        _process(summary),
        *map(Text, without_interval([*summary.process.values(), summary.cost_per_correct])),
        *map(Text, unmoved({**summary.process, "correct": summary.accuracy})),
        Text(safe(summary.label), "italic"),
    )


def beside(found: Mapping[str, Estimate]) -> tuple[str, ...]:
    """The sentences beside the headline, from the measures of a run; none if no diagnosis was judged."""
    if not found["answered_broader"].n:
        return ()
    corrected = standing().measured.corrected(found["correct"])
    counts = {word: round((found[name].value or 0.0) * found[name].n) for word, name in ANSWERED.items()}
    told = [standing().words, _wrongly(counts)]
    if counts["unsupported"]:
        told.append(f"Counting those not borne out too: {_shown(found['correct_or_unsupported'])}.")
    if corrected.value is not None:
        told.append(f"If the judge errs here as often as on those answers: {_shown(corrected)}.")
    return tuple(told)


def unmoved(found: Mapping[str, Estimate]) -> tuple[str, ...]:
    """The sentence for a run whose cases mark no result, so that what was ordered cannot be scored; none for
    other runs, and for one that was not judged."""
    if not found["correct"].n or found["finding_coverage"].n or found["premature_closure"].n:
        return ()
    ordered = number(found["tests"].value, False)
    return (
        "On these cases the figures of measuring do not move: no case marks a result as key or has a work-up,"
        " so examinations, evidence and premature closure are unscored, and an oracle, which orders what a"
        f" case marks, orders nothing. Tests ordered per consultation: {ordered}.",
    )


def _shown(found: Estimate) -> str:
    reach = interval(found, True)
    return f"{number(found.value, True)} [{reach}]" if reach else number(found.value, True)


def _wrongly(counts: Mapping[str, int]) -> str:
    told = ", ".join(f"{count:,} {_WORDS[word]}" for word, count in counts.items())
    return f"Among the wrong answers: {told}."


_WORDS: Final = {
    "broader": "broader than the reference",
    "unsupported": "narrower than the case bears out",
    "list": "lists",
}


def _table(*columns: str) -> Table:
    table = Table()
    for place, column in enumerate(columns):
        table.add_column(Text(column), justify="right" if place else "left")
    return table


def _row(table: Table, *cells: str) -> None:
    table.add_row(*(Text(safe(cell)) for cell in cells))


def _accuracy(summary: RunSummary) -> Table:
    table = _table("task", "share", "95 % interval", "chance", "scored", "unscored")
    _accuracy_row(table, "all", summary.accuracy, None)
    if summary.accuracy.bounds:
        low, high = summary.accuracy.bounds
        as_if = f"{number(low, True)} to {number(high, True)}"
        _row(table, "  if all unscored or declined were wrong, right", "", as_if, "", "", "")
    for name, words in EVIDENCE.items():
        _accuracy_row(table, f"  {words}", summary.process[name])
    if summary.answered["unsupported"]:
        _accuracy_row(
            table, "  counting what the case does not bear out", summary.accuracy_counting_unsupported
        )
    if summary.accuracy_corrected.value is not None:
        _accuracy_row(table, "  corrected for the judge's errors", summary.accuracy_corrected)
    for kind, estimate in summary.by_kind.items():
        _accuracy_row(table, f"  {kind}", estimate, estimate.chance)
    return table


def _accuracy_row(table: Table, name: str, found: Estimate, chance: float | None = None) -> None:
    """Add a row; with more than 5 % unscored or declined, the bounds are shown instead of a headline."""
    headline = "see bounds" if isinstance(found, Bounded) and found.bounds else number(found.value, True)
    cells = (interval(found, True), number(chance, True), f"{found.n:,}", f"{found.unscored:,}")
    _row(table, name, headline, *cells)


def _process(summary: RunSummary) -> Table:
    table = _table("figure", "mean", "95 % interval", "scored", "unscored")
    for name, found in {**summary.process, "cost_per_correct": summary.cost_per_correct}.items():
        if name in EVIDENCE:
            continue
        share = name in SHARES
        cells = (number(found.value, share), interval(found, share), f"{found.n:,}", f"{found.unscored:,}")
        _row(table, name.replace("_", " "), *cells)
    return table


def add_to(summary: Summary, episode: EpisodeRow, body: Body | None) -> None:
    """Add an episode, with the built-in judge's judgement, to a summary."""
    kind, chance = (body["kind"], body.get("chance")) if body else ("unjudged", None)
    used = (episode.turns, episode.tests, episode.minutes, episode.cost, episode.exchanges)
    summary.declined += episode.declined
    summary.add(episode.status, episode.case_hash, kind, chance, Figures(*used), body)
