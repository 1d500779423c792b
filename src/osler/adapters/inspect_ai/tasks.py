"""The tasks: a protocol with its configuration, the cases it plays, the solver and the scorer."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final

import click
from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import GenerateConfig
from rich.text import Text

import osler
from osler.adapters.borrowed import Borrowed, BorrowedModels
from osler.adapters.inspect_ai.arranging import Arranged, arranged
from osler.adapters.inspect_ai.playing import CLUSTER, PLACE, Stage, playing
from osler.adapters.inspect_ai.record import SCHEMA, STORED
from osler.adapters.inspect_ai.scoring import measures, metrics_of
from osler.core.role import Seating
from osler.core.source import Source
from osler.errors import BadInput
from osler.knowledge import fingerprint
from osler.players.casting import casting_of, players_of
from osler.runs.batch import chosen
from osler.runs.cached_source import KeptSource, placed
from osler.runs.images import check_images

RETRIES: Final = 6
"""How often Inspect asks again after a failed request, unless --max-retries is given; by itself it would ask
a dead endpoint for ever."""


def task_of(protocol: str) -> Callable[..., Task]:
    """The function that makes a protocol's task, under its name."""

    @task(name=protocol)
    def made(**given: Any) -> Task:
        try:
            return encounters(protocol, given)
        except BadInput as error:
            raise PrerequisiteError(Text(str(error))) from None

    result: Callable[..., Task] = made
    return result


def encounters(protocol: str, given: Mapping[str, Any]) -> Task:
    """The task of a protocol. Raises BadInput, before anything is asked, for what cannot be played."""
    result = arranged(protocol, given)
    source = KeptSource(result.config.opened())
    check_images(source)
    cases = [case for _, case in chosen(placed(source, result.config), result.config)]
    _check(result, source, cases)
    plays, stage = result.config.plays, Stage(result, source)
    _fail_the_command(stage)
    return Task(
        dataset=MemoryDataset(_samples(result, cases), name=f"osler/{plays.name}", location=source.label),
        solver=playing(stage),
        scorer=measures(),
        metrics=metrics_of(plays),
        headline_metric=HeadlineMetric(scorer="measures", score=plays.measures[0].name),
        config=GenerateConfig(max_retries=RETRIES),
        metadata={STORED: _head(result, source)},
        version=osler.__version__,
    )


def _fail_the_command(stage: Stage) -> None:
    """Let the command under way, if there is one, exit 1 unless every encounter begun has a score; `inspect
    eval` by itself exits 0 whatever became of its samples."""

    def close() -> None:
        if lost := sum(not ended for ended in stage.ended.values()):
            print(f"osler: {lost} of {len(stage.ended)} encounters have no score", file=sys.stderr)
            sys.exit(1)

    if (command := click.get_current_context(silent=True)) is not None:
        command.call_on_close(close)


def _check(found: Arranged, source: Source[Any], cases: list[Any]) -> None:
    if not cases:
        raise BadInput("there is nothing to play", where=found.config.cases)
    config, name = found.under("the-model")
    clients = dict.fromkeys((name, *found.roles), Borrowed(_nobody, images=found.options.eyes))
    models = BorrowedModels(clients)
    config.check_seating(models)
    casting_of(config, players_of(Seating(config, models))).cast(config.ready(cases[0]))
    (often, count), *_ = Counter(case.id for case in cases).most_common(1)
    if count > 1:
        raise BadInput(f"{count} cases have the id {often}", where=found.config.cases, hint="rename them")


async def _nobody(*_: Any) -> Any:
    raise AssertionError("nobody is asked while a task is made")


def _samples(found: Arranged, cases: list[Any]) -> list[Sample]:
    """A sample for each case. Neither its id nor anything else of it is sent to a model."""
    plays = found.config.plays
    cluster = {case.content_hash: case.content_hash for case in cases}
    if plays.clusters is not None:
        cluster = dict(plays.clusters({case.content_hash: case for case in cases}))
    return [
        Sample(
            id=case.id,
            input=f"{plays.one.capitalize()}, played by Osler; the prompts of its seats follow.",
            metadata={PLACE: place, CLUSTER: cluster[case.content_hash]},
        )
        for place, case in enumerate(cases)
    ]


def _head(found: Arranged, source: Source[Any]) -> dict[str, Any]:
    config = found.config
    return {
        "schema": SCHEMA,
        "protocol": config.protocol,
        "configuration": config.model_dump(mode="json", exclude={"protocol", "repeats"}),
        "cases_fingerprint": source.fingerprint,
        "eyes": found.options.eyes,
        "schemas": found.options.schemas,
        "osler": osler.__version__,
        "knowledge": fingerprint(),
    }
