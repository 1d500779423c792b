"""Studies of consultations: being right, process and effort, pair by pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from pydantic_core import from_json

from osler.encounter.trace import Trace
from osler.judging.judge import GRADER, UNSCORED, VERSION
from osler.judging.pairing import Difference, paired
from osler.reports.consulting import Consulted, ConsultingSummary, consulting_summary
from osler.reports.study_figures import MEASURES, OF_CONSULTATIONS
from osler.reports.summary import LABEL, WITH_MODELS
from osler.reports.teaching import NOBODY
from osler.seats.consultation_events import Advised
from osler.store.rows import RunInfo
from osler.store.store import Record, Store
from osler.studies.build import RunConfig
from osler.studies.rejudging import judge_again
from osler.studies.runs import config_as
from osler.studies.study.comparing import Kind
from osler.studies.study.design import Study

_JUDGED: Final = {"accuracy": "correct"}
"""Figures that the judge has another name for; the others it knows go by their own."""
_COUNTED: Final = ("questions", "consults", "calls", "tokens")
_OUTCOME: Final = ("turns", "tests", "minutes", "cost")
_TOKENS: Final = ("prompt_tokens", "completion_tokens")


class Played(NamedTuple):
    """A run of consultations as it is stored: what each came to by its ordinal, how they ended, who judged.
    `differ` says that twins differ in the case itself, so a pair with one case is no pair of twins."""

    ended: Counter[str]
    exchanges: int
    consulted: dict[int, Consulted]
    grader: str
    label: str
    differ: bool


def read(run: RunInfo, store: Store) -> Played:
    """What a condition came to; where an earlier version of the judge has judged it, judged anew."""
    if store.graders(run.id).get((GRADER, VERSION), 0) < run.done:
        judge_again(run, store)
    ended: Counter[str] = Counter()
    exchanges, versions = 0, set[str]()
    consulted: dict[int, Consulted] = {}
    for record in store.records(run.id):
        episode, _, judgements = record
        ended[str(episode.status)] += 1
        exchanges += episode.exchanges
        consulted[episode.ordinal] = consulted_in(record)
        versions |= {f"{one.grader} {one.version}" for one in judgements if one.grader == GRADER}
    config = config_as(run, RunConfig)
    modelled = [seat for seat, name in config.players().items() if name.startswith("model:")]
    label = WITH_MODELS.format(seats=", ".join(modelled)) if modelled else LABEL
    grader = ", ".join(sorted(versions)) or NOBODY
    return Played(ended, exchanges, consulted, grader, label, config.twin.startswith("gender/"))


def consulted_in(record: Record) -> Consulted:
    """The figures of one consultation. One that the simulation spoilt has none."""
    episode, trace, judgements = record
    body = next((from_json(one.body) for one in judgements if one.grader == GRADER), None)
    figures: dict[str, float | None] = dict.fromkeys(OF_CONSULTATIONS)
    if episode.status not in UNSCORED:
        scores = body["scores"] if body else {}
        for name in figures:
            figures[name] = scores.get(_JUDGED.get(name, name), {}).get("value")
        figures |= {name: float(getattr(episode, name)) for name in _OUTCOME}
        figures |= _counted(trace)
    return Consulted(episode.case_id, episode.case_hash, figures)


def _counted(trace: Trace) -> dict[str, float | None]:
    """What is counted in the trace; tokens are `None` where an endpoint did not say how many."""
    asked = sum(move is not None and move["action"] == "ASK" for move in trace.replies("doctor"))
    lines = [*(row.attempts for row in trace.rows), *(row.attempts for row in trace.inner)]
    attempts = [one for line in lines for one in from_json(line)]
    used = [one for one in attempts if one["at"] == "used" and one.get("calls")]
    tokens = [one.get(name) for one in used for name in _TOKENS]
    return {
        "questions": float(asked),
        "consults": float(len(trace.of(Advised))),
        "calls": float(sum(one["calls"] for one in used)),
        "tokens": None if None in tokens else float(sum(tokens)),
    }


def summary(name: str, found: Played) -> ConsultingSummary:
    """The run in numbers."""
    return consulting_summary(
        name,
        found.ended,
        list(found.consulted.values()),
        exchanges=found.exchanges,
        grader=found.grader,
        label=found.label,
    )


def difference(figure: str, against: Played, condition: Played) -> Difference:
    """One comparison, on the worlds both conditions met; twins that are one and the same are unscored."""
    both = sorted(against.consulted.keys() & condition.consulted.keys())
    pairs = [(against.consulted[n], condition.consulted[n]) for n in both]
    if against.differ and condition.differ:
        pairs = [pair if pair[0].case_hash != pair[1].case_hash else _unscored(*pair) for pair in pairs]
    first = np.array([_value(one, figure) for one, _ in pairs])
    second = np.array([_value(other, figure) for _, other in pairs])
    share = MEASURES[figure].kind == "share"
    return paired([one.case for one, _ in pairs], first, second, share=share, marks=not share)


def declared(study: Study, found: Mapping[str, Any]) -> str:
    """The figure of the primary endpoint, as declared."""
    return study.primary.figure


def _value(one: Consulted, figure: str) -> float:
    value = one.figures[figure]
    return float("nan") if value is None else value


def _unscored(*pair: Consulted) -> tuple[Consulted, Consulted]:
    first, second = (one._replace(figures=dict.fromkeys(one.figures)) for one in pair)
    return first, second


CONSULTATIONS: Final = Kind(
    read,
    summary,
    difference,
    declared,
    (
        "accuracy",
        "turns",
        "questions",
        "tests",
        "fact_coverage",
        "finding_coverage",
        "premature_closure",
        "calls",
        "tokens",
    ),
)
