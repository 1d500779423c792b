"""What a run's episodes can be filtered by: statuses, cases, and bands of scores."""

from __future__ import annotations

from itertools import islice
from typing import Final

from sqlalchemy.engine import Connection

from osler.core.measure import Measure
from osler.core.protocol import Protocol
from osler.store.listing import ScoreName, bands, counts
from osler.store.records import RunInfo
from osler.store.scores import has, names
from osler.store.store import Store
from osler.web.evaluate.run_words import known_protocol
from osler.web.evaluate.schemas import Band, Count, Facets, MeasureKind, ScoreFacet

MOST_CASES: Final = 500
MOST_SCORES: Final = 12


def facets_of(run: RunInfo, store: Store, among: frozenset[int] | None = None) -> Facets:
    """The facets of a run, or of some of its episodes: at most so many cases, and of the scores those its
    protocol puts first."""
    protocol = known_protocol(run)
    with store.connected() as connection:
        statuses, cases = (counts(connection, run.id, by, among) for by in ("status", "case"))
        every = scores_of_run(connection, run, protocol)
        each = (_facet(connection, run, protocol, one, among) for one in every)
        # One that only others of the run have is left out.
        result = list(islice((one for one in each if one.count), MOST_SCORES))
    most_first = sorted(cases.items(), key=lambda one: -one[1])[:MOST_CASES]
    return Facets(
        statuses=[Count(value=name, count=count) for name, count in statuses.items()],
        cases=[Count(value=name, count=count) for name, count in sorted(most_first)],
        scores=result,
    )


def scores_of_run(connection: Connection, run: RunInfo, protocol: Protocol | None) -> list[ScoreName]:
    """The scores that a run's episodes have: the headline first, then what the protocol shows first, then the
    rest by name."""
    scores = [ScoreName(*one) for one in names(connection, run.id)]
    if protocol is None:
        return scores
    measures = [one.name for one in protocol.measures]
    order = {name: at for at, name in enumerate(dict.fromkeys((measures[0], *protocol.main, *measures)))}
    own = {name: at for at, name in enumerate(protocol.graders)}
    return sorted(
        scores,
        key=lambda one: (order.get(one.name, len(order)), own.get(one.grader, len(own)), one),
    )


def first_score(connection: Connection, run: RunInfo, protocol: Protocol | None) -> ScoreName | None:
    """The score that stands for an episode where none is named: nearly always the headline, which costs one
    look."""
    if protocol is not None:
        headline = protocol.measures[0].name
        for grader in protocol.graders:
            if has(connection, run.id, grader, headline):
                return ScoreName(grader, headline)
    scores = scores_of_run(connection, run, protocol)
    return scores[0] if scores else None


def words_of(protocol: Protocol | None, name: str) -> str:
    """The label of a score."""
    measure = _measure(protocol, name)
    return measure.words if measure else name.replace("_", " ")


def kind_of_score(protocol: Protocol | None, name: str) -> MeasureKind:
    """The kind of a score: its measure's, or that of the measures made of it (`completion_macro` of
    `completion`); a plain number without any."""
    measures = (one for one in protocol.measures if one.name.startswith(f"{name}_")) if protocol else iter(())
    measure = _measure(protocol, name) or next(measures, None)
    return measure.kind if measure else "count"


def _measure(protocol: Protocol | None, name: str) -> Measure | None:
    return next((one for one in protocol.measures if one.name == name), None) if protocol else None


def _facet(
    connection: Connection,
    run: RunInfo,
    protocol: Protocol | None,
    score: ScoreName,
    among: frozenset[int] | None,
) -> ScoreFacet:
    result = bands(connection, run.id, score, among)
    return ScoreFacet(
        grader=score.grader,
        name=score.name,
        words=words_of(protocol, score.name),
        kind=kind_of_score(protocol, score.name),
        count=sum(one.episodes for one in result),
        bands=[Band(low=one.low, high=one.high, count=one.episodes) for one in result],
    )
