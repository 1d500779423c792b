"""Conditions whose doctor has a memory written from an earlier condition of the same study.

`memory: {from: CONDITION}`: that condition's doctor retries the cases it got wrong, told the right answer;
then the cards of both attempts are frozen in a snapshot, from which this condition's doctor retrieves. No
card of the case being played, its twins or its near-duplicates is ever given (`osler.memory.exclusion`), so a
doctor learns from other cases only.
"""

from __future__ import annotations

from typing import Final

from osler.core.config import Config
from osler.core.role import MEMORY
from osler.memory.card import Policy
from osler.memory.collection import Memory
from osler.memory.near_duplicates import MADE_UP
from osler.memory.sql_memory import SqlKeeper
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.memory.episodes_to_lessons import lived
from osler.protocols.consultation.memory.memory_config import FROM, Again, MemoryUse
from osler.protocols.consultation.memory.write_back import Attempted, card_of
from osler.runs.run import config_as
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.study.design import Study
from osler.studies.study.preparing import Before

FEEDBACK: Final[Policy] = "gold"
Runs = tuple[RunInfo, RunInfo | None]


def prepared(condition: Before) -> Config:
    """Return a condition's configuration as it is played: one with a memory gets its snapshot, for which the
    mistakes of its source condition are retried. Raises Unfinished if that was stopped."""
    source, config = _remembered(condition), condition.config
    if source is None or not isinstance(config, RunConfig):
        return config
    first, again = condition.runs[source], None
    if (second := second_attempts(first, condition.store)) is not None:
        again = condition.sit(f"{source}, again", second)
    return learnt(condition.study, source, config, (first, again), condition.store)


def _remembered(condition: Before) -> str | None:
    """Return the condition that a condition learns from, if any."""
    study = condition.study
    written = {**study.base, **study.all_conditions()[condition.name]}.get("memory")
    return written[FROM] if written else None


def second_attempts(run: RunInfo, store: Store) -> RunConfig | None:
    """Return the configuration for retrying the cases a run's doctor got wrong, told the right answer; `None`
    if there are none."""
    first = config_as(run, RunConfig)
    wrong = [one.episode.ordinal for one in lived(run, store, FEEDBACK) if one.told.correct is False]
    if not wrong:
        return None
    places = tuple(sorted({ordinal // first.repeats for ordinal in wrong}))
    changes = {
        "doctor": f"{first.doctor}{MEMORY}",
        "memory": MemoryUse(),
        "again": Again(run=run.name, feedback=FEEDBACK),
        "places": places,
        "limit": None,
        "repeats": 1,
        "models": {},
    }
    return first.model_copy(update=changes)


def learnt(study: Study, source: str, config: RunConfig, lived_through: Runs, store: Store) -> RunConfig:
    """Return the configuration with a snapshot of the condition `source`: its run, and its second attempts if
    there were any."""
    assert config.memory is not None
    use = config.memory.model_copy(
        update={
            "snapshot": _snapshot(study, source, lived_through, store),
            "threshold": MADE_UP if config.cases.startswith("generated:") else config.memory.threshold,
        }
    )
    return config.model_copy(update={"memory": use})


def _snapshot(study: Study, condition: str, lived_through: Runs, store: Store) -> str:
    """Freeze the cards of a run; the same run gives the same snapshot."""
    run, again = lived_through
    second = {one.case.content_hash: one for one in lived(again, store, FEEDBACK)} if again else {}
    # Not the run's name, which differs between stores.
    origin = f"study {study.name}, {condition}"
    cards = [
        card_of(Attempted(one, second.get(one.case.content_hash), origin, one.episode.ordinal))
        for one in lived(run, store, FEEDBACK)
    ]
    memory = Memory().with_cards(card for card in cards if card is not None)
    return SqlKeeper(store.engine).save(f"study/{run.name}", memory, f"what {origin} lived through")
