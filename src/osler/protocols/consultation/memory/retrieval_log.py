"""The retrieval log of a run, and its leak audit.

The episode's own record is authoritative: each exchange says which cards were given. They are copied from
there to memory's table after every session, so that an interrupted run has the same log as one that was not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from osler.cases.sources import CaseSource
from osler.core.summary import Notes
from osler.errors import BadInput
from osler.memory.card import Card
from osler.memory.exclusion import Audit, Excluded, Retrieval, audit
from osler.memory.sql_memory import SqlKeeper
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.memory.episodes_to_lessons import given_in
from osler.protocols.consultation.memory.memory_config import MemoryUse
from osler.protocols.consultation.memory.retrieval import excluded_for, source_for
from osler.runs.run import config_as, reopen
from osler.runs.stored_case import stored_cases
from osler.store.records import RunInfo
from osler.store.store import Store


def after_play(run: RunInfo, store: Store, source: CaseSource | None = None) -> Notes:
    """Record and audit the retrievals of a doctor with a memory, to detect leaks; without one do nothing."""
    if (memory := config_as(run, RunConfig).memory) is None:
        return Notes()
    record_retrievals(run, store)
    audited = audit_run(run, store, source)
    value = {"memory": memory.headline, "audit": audit_value(audited)}
    return Notes(value, (memory.headline, audit_words(audited)))


def record_retrievals(run: RunInfo, store: Store) -> None:
    """Log the cards that the ended episodes of a run were given; existing entries stay as they are."""
    use = _use_of(config_as(run, RunConfig), run)
    keeper = SqlKeeper(store.engine)
    if sum(1 for _ in keeper.retrieved(run.name)) < run.done:
        keeper.record(run.name, _retrievals(run, store, use))


def audit_run(run: RunInfo, store: Store, source: CaseSource | None = None) -> Audit:
    """Audit every card that the episodes of a run were given, by its own origin and text.

    Raises BadInput if the run has no memory, or its cases, and so the held-out set, are gone.
    """
    use, (_, source) = _use_of(config_as(run, RunConfig), run), reopen(run, store, source)
    keeper, case_of = SqlKeeper(store.engine), stored_cases(store)
    held_out = tuple(source_for(source.get(place)) for place in use.held_out)
    exclusions: dict[str, Excluded] = {
        episode.key: excluded_for(case_of(episode.case_hash), held_out, use.threshold)
        for episode in store.episodes(run.id)
    }
    cards: dict[str, Card] = dict(keeper.load(use.snapshot).cards) if use.snapshot else {}
    return audit(_retrievals(run, store, use), exclusions, cards)


def _retrievals(run: RunInfo, store: Store, use: MemoryUse) -> Iterator[Retrieval]:
    repeats = config_as(run, RunConfig).repeats
    for episode, trace, _ in store.records(run.id):
        position = episode.ordinal // repeats if use.progress else use.position
        yield Retrieval(episode.key, use.snapshot, position, given_in(trace))


def _use_of(config: RunConfig, run: RunInfo) -> MemoryUse:
    if config.memory is None:
        raise BadInput("the doctor of this run has no memory", where=run.name, hint="see: osler memory list")
    return config.memory


def audit_value(audited: Audit) -> dict[str, Any]:
    """Return an audit as JSON."""
    return {
        "clean": audited.clean,
        "retrievals": audited.retrievals,
        "cards": audited.cards,
        "violations": [one._asdict() for one in audited.violations],
    }


def audit_words(audited: Audit) -> str:
    """Return an audit as a line of text."""
    verdict = "clean" if audited.clean else f"{len(audited.violations)} VIOLATIONS"
    return f"Leak audit: {verdict}, over {audited.cards:,} cards given in {audited.retrievals:,} episodes"
