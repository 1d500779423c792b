"""A run's figures: how its episodes ended, its measures with intervals, and what its models used."""

from __future__ import annotations

from typing import Any

from osler.core.measure import Measure
from osler.errors import BadInput
from osler.models.config import Config as Endpoints
from osler.runs.run import protocol_of
from osler.runs.seating import ModelOptions
from osler.runs.totals import totals
from osler.runs.usage import Used, usage
from osler.stats.intervals import Estimate
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.web.evaluate.run_words import modelled
from osler.web.evaluate.schemas import Figure, RunFigures, SeatUse


def figures_of(run: RunInfo, store: Store, models: ModelOptions) -> RunFigures:
    """A run's figures. Raises BadInput for a run of a protocol that is not installed."""
    protocol = protocol_of(run)
    found = store.as_far_as_readable(lambda: totals(run, store))
    seats = modelled(run)
    used = used_by(run, store, models) if seats else {}
    rows = [_seat(seat, endpoint, one) for seat, each in used.items() for endpoint, one in each.items()]
    costs = [one.cost for one in rows]
    return RunFigures(
        run=run.name,
        episodes=found.episodes,
        exchanges=found.exchanges,
        ended=found.ended,
        because=found.because,
        measures=[
            _figure(one, held, found.headline_bounds if one is protocol.measures[0] else None)
            for one in protocol.measures
            if (held := found.measures.get(one.name))
        ],
        use=rows,
        cost=None if None in costs else sum(one or 0.0 for one in costs),
        label=found.label,
    )


def _figure(measure: Measure, found: Estimate, ends: tuple[float, float] | None) -> Figure:
    """A measure as one figure: its value with the interval, or bounds in their place; neither, if nothing was
    scored."""
    return Figure(
        name=measure.name,
        words=measure.words,
        means=measure.means,
        kind=measure.kind,
        better=measure.better,
        value=None if ends else found.value,
        low=None if ends else found.low,
        high=None if ends else found.high,
        n=found.n,
        unscored=found.unscored,
        bounds=ends if found.n else None,
    )


def used_by(run: RunInfo, store: Store, models: ModelOptions) -> Used:
    """The usage of a run's models, at the prices configured here, if there are any."""
    try:
        endpoints = models.endpoints()
    except BadInput:  # a server that only shows runs needs no osler.toml
        endpoints = Endpoints()
    return usage(store, run.id, endpoints)


def _seat(seat: str, endpoint: str, used: dict[str, Any]) -> SeatUse:
    fields = SeatUse.model_fields.keys() - {"seat", "endpoint"}
    return SeatUse(seat=seat, endpoint=endpoint, **{name: used.get(name) for name in fields})
