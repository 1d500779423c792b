"""Judges that judged the same stored episodes, compared: how far they agree, what each makes of the headline
and of the difference between runs, which of them are kin to a player, and which like length.

People's labels of some episodes, where there are any, correct the difference between runs under each judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from pydantic_core import from_json

from osler.core.events import Frozen
from osler.core.measure import Kind
from osler.core.protocol import Protocol
from osler.errors import BadInput
from osler.judging.contests import GRADER as CONTESTS
from osler.judging.lines import as_examined, lines_of
from osler.judging.model.kinship import family, kinships
from osler.runs.judged_episodes import Grader, grader_named
from osler.runs.run import config_of
from osler.stats.cluster_t import Floats
from osler.stats.intervals import Estimate
from osler.stats.paired import Difference
from osler.store.permitted_store import for_reader
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.bench.card_players import JUDGE, models_by_seat
from osler.studies.comparable import check_one_protocol
from osler.studies.compare import PlayedRun, World, measures_of, played_run
from osler.studies.judges.between_runs import Between, Labels, ReadScore, between_runs, labels_of
from osler.studies.judges.score_table import (
    JudgeAgreement,
    Jury,
    ScoreTable,
    agreement_of_two,
    jury_of,
    ranks_of,
)
from osler.studies.rating.figures import Figure
from osler.studies.rating.ratings import PREFIX
from osler.studies.rating.scales import Scale, load_scale

NOT_SWAPPED: Final = (
    "Order: not checked. Each judge here reads one encounter at a time and none chooses between two, so there"
    " is no order to swap."
)
_FEWEST: Final = 2


class Headline(Frozen):
    """A run's score under one judge, over all episodes that it scored."""

    run: str
    judge: str
    estimate: Estimate


class Pair(Frozen):
    """Two judges of the same episodes: their agreement, and the paired difference of their scores, second
    minus first."""

    first: str
    second: str
    agreement: JudgeAgreement
    difference: Difference


class Length(Frozen):
    """Spearman's correlation of the transcript's length, in characters, with one judge's score, with its
    score minus the mean of the other judges', and with its score minus people's label where there are any.
    Longer encounters may be better ones, so only the last two show a liking for length."""

    judge: str
    score: Figure
    minus_others: Figure
    minus_people: Figure | None = None


class OfScore(Frozen):
    """The comparison of judges on one score."""

    score: str
    kind: Kind
    judges: tuple[str, ...]
    headlines: tuple[Headline, ...]
    pairs: tuple[Pair, ...]
    jury: Jury | None
    between_runs: tuple[Between, ...]
    length: tuple[Length, ...]
    labelled: int


class JudgeComparison(Frozen):
    """The comparison of several judges. `judges` has the versions of each and `families` those of its models,
    `kinship` says which judges share a model or a family with a seat or with each other, `order` whether the
    order of answers was swapped."""

    runs: tuple[str, ...]
    judges: dict[str, tuple[str, ...]]
    families: dict[str, tuple[str, ...]]
    scores: tuple[OfScore, ...]
    kinship: tuple[str, ...]
    order: str = NOT_SWAPPED


class _ComparisonRequest(NamedTuple):
    """The request: the runs, the judges by name, the scale of people's labels, the width of a label plan."""

    runs: Sequence[RunInfo]
    judges: Mapping[str, Grader]
    scale: Scale | None
    width: float | None


def compare_judges(
    runs: Sequence[RunInfo],
    store: Store,
    judges: Sequence[str] = (),
    scores: Sequence[str] = (),
    *,
    scale: str | None = None,
    width: float | None = None,
) -> JudgeComparison:
    """Compare the judges (NAME or NAME@VERSION, by default all) that judged these runs of one protocol.

    By default the first score is taken that two of them give. `scale` is that of people's labels, by default
    the protocol's; `width` asks how many labels an interval of that width takes. Raises BadInput for fewer
    than two judges, and for a score that fewer than two of them give.
    """
    store = for_reader(store, "comparison")
    runs = list({run.id: run for run in runs}.values())
    protocol = check_one_protocol(*runs)
    named = _judges(runs, store, judges)
    scale_name = scale or protocol.scale
    asked = _ComparisonRequest(runs, named, load_scale(scale_name) if scale_name else None, width)
    lengths = _lengths(runs, store, protocol)
    read = [_read(asked, store, score) for score in scores] or [_first_shared(asked, store, protocol)]
    models = _models(asked, store)
    return JudgeComparison(
        runs=tuple(run.name for run in runs),
        judges={name: _versions(runs, store, grader) for name, grader in named.items()},
        families={
            name: tuple(sorted({family(model) for model in models.get(JUDGE + grader.name, ())}))
            for name, grader in named.items()
        },
        scores=tuple(_of_score(asked, store, one, lengths) for one in read),
        kinship=tuple(
            kin.words for kin in kinships(models) if kin.one.startswith(JUDGE) or kin.other.startswith(JUDGE)
        ),
    )


def _judges(runs: Sequence[RunInfo], store: Store, judges: Sequence[str]) -> dict[str, Grader]:
    for run in runs:
        named = {text: grader_named(text, run, store) for text in judges}
    if not judges:
        each = [{name for name, _ in store.graders(run.id)} for run in runs]
        shared = sorted(set.intersection(*each))
        named = {name: Grader(name) for name in shared if not name.startswith(PREFIX) and name != CONTESTS}
    if len(named) < _FEWEST:
        what = f"{', '.join(named) or 'nobody'} has judged what is compared, and two judges are needed"
        names = ", ".join(run.name for run in runs)
        raise BadInput(what, where=names, hint=f"osler judge run {runs[0].name} --judge model:NAME")
    return named


def _versions(runs: Sequence[RunInfo], store: Store, grader: Grader) -> tuple[str, ...]:
    versions = {version for run in runs for name, version in store.graders(run.id) if name == grader.name}
    return tuple(sorted(version for version in versions if grader.version in ("", version)))


def _models(asked: _ComparisonRequest, store: Store) -> dict[str, list[str]]:
    """The models behind each seat of the runs, and behind each of the judges."""
    result: dict[str, list[str]] = {}
    mine = {JUDGE + grader.name for grader in asked.judges.values()}
    for run in asked.runs:
        for seat, models in models_by_seat(run, config_of(run), store).items():
            if not seat.startswith(JUDGE) or seat in mine:
                held = result.setdefault(seat, [])
                held.extend(model for model in models if model not in held)
    return result


def _lengths(runs: Sequence[RunInfo], store: Store, protocol: Protocol) -> dict[tuple[int, int], float]:
    """The length of each ended episode's transcript, in characters, by run id and ordinal."""
    return {
        (run.id, row.ordinal): float(sum(len(line.text) for line in lines_of(trace, protocol, as_examined)))
        for run in runs
        for row, trace, _ in store.records(run.id)
    }


def _first_shared(asked: _ComparisonRequest, store: Store, protocol: Protocol) -> ReadScore:
    """The first judged score of the protocol that two judges or more give, else the first of any name."""
    own = {one.name for one in protocol.measures if one.judged}
    given: dict[str, set[str]] = {}
    for name, grader in asked.judges.items():
        mine = given.setdefault(name, set(own) if grader.name in protocol.graders else set())
        for run in asked.runs:
            for judgement in store.judgements(run.id):
                if judgement.grader == grader.name:
                    mine.update(from_json(judgement.body).get("scores", {}))
    shared = [score for score in sorted(set.union(*given.values())) if _count(given, score) >= _FEWEST]
    ordered = [one.name for one in protocol.measures if one.name in shared]
    for score in dict.fromkeys([*ordered, *shared]):
        try:
            return _read(asked, store, score)
        except BadInput:
            continue
    raise BadInput(
        "no score is given by two of these judges", where=", ".join(asked.judges), hint="--score NAME"
    )


def _count(given: Mapping[str, set[str]], score: str) -> int:
    return sum(score in mine for mine in given.values())


def _read(asked: _ComparisonRequest, store: Store, score: str) -> ReadScore:
    """Read one score of all runs by all judges that give it. Raises BadInput if fewer than two do."""
    sides: dict[str, dict[int, PlayedRun]] = {}
    measure = None
    for name, grader in asked.judges.items():
        try:
            (mine,) = measures_of(asked.runs, store, [score], grader.name)
        except BadInput:
            continue
        played = {run.id: played_run(run, store, [mine], grader) for run in asked.runs}
        if mine.judged and any(
            not np.isnan(value[0]) for one in played.values() for value in one.values.values()
        ):
            sides[name], measure = played, measure or mine
    if measure is None or len(sides) < _FEWEST:
        what = (
            f"{', '.join(sides) or 'none'} of {', '.join(asked.judges)} gives {score!r}, and two are needed"
        )
        raise BadInput(what, where="--score", hint="osler judge run RUN --judge NAME")
    first = next(iter(sides.values()))
    places = [(run.id, world) for run in asked.runs for world in first[run.id].values]
    parts = np.array([[side[run].values[world] for side in sides.values()] for run, world in places])
    rows: dict[int, dict[World, int]] = {run.id: {} for run in asked.runs}
    for at, (run, world) in enumerate(places):
        rows[run][world] = at
    table = ScoreTable(
        measure=measure,
        judges=tuple(sides),
        keys=tuple((run, first[run].ordinals[world]) for run, world in places),
        cases=tuple(first[run].clusters[world[0]] for run, world in places),
        parts=parts.reshape(len(places), len(sides), 2),
    )
    return ReadScore(table, rows, first)


def _of_score(
    asked: _ComparisonRequest, store: Store, read_score: ReadScore, lengths: Mapping[tuple[int, int], float]
) -> OfScore:
    table = read_score.table
    labels = {
        name: labels_of(asked.runs, store, asked.scale, table, (at, asked.judges[name].name))
        for at, name in enumerate(table.judges)
    }
    long = np.array([lengths.get(key, np.nan) for key in table.keys])
    return OfScore(
        score=table.measure.name,
        kind=table.measure.kind,
        judges=table.judges,
        headlines=tuple(
            Headline(run=run.name, judge=name, estimate=table.of_run(run.id).headline(at))
            for run in asked.runs
            for at, name in enumerate(table.judges)
        ),
        pairs=tuple(
            Pair(
                first=table.judges[i],
                second=table.judges[j],
                agreement=agreement_of_two(table, i, j),
                difference=table.difference(i, j),
            )
            for i, j in combinations(range(len(table.judges)), 2)
        ),
        jury=jury_of(table, [(run.id, run.name) for run in asked.runs]),
        between_runs=tuple(between_runs(asked.runs, read_score, labels, asked.width)),
        length=tuple(_length(table, at, long, labels[name]) for at, name in enumerate(table.judges)),
        labelled=max(int((~np.isnan(one.sides.rated)).sum()) if one else 0 for one in labels.values()),
    )


def _length(table: ScoreTable, judge: int, long: Floats, labels: Labels | None) -> Length:
    plain = table.plain
    others = np.delete(plain, judge, axis=1).mean(axis=1)
    people = None
    if labels is not None:
        people = ranks_of(table.cases, long, labels.sides.judged - labels.sides.rated)
    return Length(
        judge=table.judges[judge],
        score=ranks_of(table.cases, long, plain[:, judge]),
        minus_others=ranks_of(table.cases, long, plain[:, judge] - others),
        minus_people=people,
    )
