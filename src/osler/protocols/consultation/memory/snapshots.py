"""Memory snapshots outside of studies: resolve one by name or hash, and make one from a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from osler.core.config import Config
from osler.core.role import MEMORY
from osler.errors import BadInput
from osler.memory.collection import Memory
from osler.memory.settings import Policy
from osler.memory.sql_memory import SqlKeeper
from osler.protocols.consultation.memory.episodes_to_lessons import lived
from osler.protocols.consultation.memory.memory_config import feedback_for, memory_use, threshold_of
from osler.protocols.consultation.memory.summaries import Summarize, kept_whole
from osler.protocols.consultation.memory.write_back import Attempted, card_of, write_back
from osler.store.permitted_store import for_reader
from osler.store.records import RunInfo
from osler.store.store import Store


def snapshot_of(given: str, store: Store) -> tuple[str, Memory]:
    """Resolve `given`, a memory's name, which means its newest snapshot, or a prefix of a snapshot's hash.
    Raises BadInput if there is no such snapshot, or more than one."""
    keeper = SqlKeeper(store.engine)
    steps = keeper.steps(given)
    result = [steps[-1].snapshot] if steps else keeper.snapshots(given)
    if len(result) != 1:
        what = f"more than one snapshot begins with {given!r}" if result else f"there is no memory {given!r}"
        raise BadInput(what, where="--memory", hint="see: osler memory list")
    return result[0], keeper.load(result[0])


def remembering(config: Config, how: Mapping[str, Any]) -> Config:
    """Return the configuration of a run whose player under test retrieves from a memory, as `how` says by
    field of `MemoryUse`; `with_memory` names the memory.

    Raises BadInput if the protocol has no memory, or no player in it is named `...+memory`.
    """
    seat = config.plays.under_test
    if MEMORY not in config.plays.role(seat).given:
        why, _, hint = config.plays.role(seat).refused[MEMORY].partition("; ")
        raise BadInput(f"{MEMORY} {why}", where="--memory", hint=f"leave it out; {hint}")
    name = config.players()[seat]
    if not any(wrapping.suffix == MEMORY for wrapping in config.names()[seat].around):
        raise BadInput(f"{name} does not use a memory", where="--memory", hint=f"name {name}{MEMORY}")
    use = memory_use({**how, "threshold": threshold_of(config.cases)}, "--retrieve, --embedder, --looks")
    return config.model_copy(update={"memory": use})


def with_memory(config: Config, given: str, store: Store) -> Config:
    """Return the configuration of a `remembering` run with the snapshot that `given` means; see
    `snapshot_of`."""
    snapshot, memory = snapshot_of(given, store)
    policies = {card.feedback for card in memory.cards.values()}
    result = {"snapshot": snapshot, "feedback": policies.pop() if len(policies) == 1 else None}
    return config.model_copy(update={"memory": config.memory.model_copy(update=result)})  # type: ignore[attr-defined]


def learn(
    name: str,
    run: RunInfo,
    store: Store,
    feedback: Policy | None = None,
    summarize: Summarize | None = None,
) -> Memory:
    """Write a run's consultations back into the memory `name`, creating it if needed, and freeze it. Wrong
    answers leave nothing, since there was no second attempt. `feedback` defaults to that of `feedback_for`;
    `summarize` asks a model for the summaries, which reads what people said only with their permission.

    Raises BadInput for a run that is not done, or that was already written back into this memory.
    """
    if run.status != "done":
        raise BadInput("the run is not done", where=run.name, hint=f"osler resume {run.name}")
    keeper = SqlKeeper(store.engine)
    steps = keeper.steps(name)
    memory = keeper.load(steps[-1].snapshot, steps[-1].capacity) if steps else Memory()
    origins = [card.origin for card in memory.cards.values()]
    why = f"what run {run.name} left"
    if any(step.why == why for step in steps) or any(origin.run == run.name for origin in origins):
        raise BadInput(f"the memory {name!r} has already learnt from this run", where=run.name)
    told = feedback or feedback_for(str(run.manifest["configuration"].get("doctor", "")))
    begun = max((origin.position + 1 for origin in origins), default=0)
    first = list(lived(run, for_reader(store, "model judge") if summarize else store, told))
    experiences = [one for one in first if kept_whole(one)]
    said = summarize(experiences) if summarize and experiences else [""] * len(experiences)
    summaries = {one.episode.ordinal: text for one, text in zip(experiences, said, strict=True)}
    attempted = [
        Attempted(one, None, run.name, begun + one.episode.ordinal, summaries.get(one.episode.ordinal, ""))
        for one in first
    ]
    cards = (card_of(one) for one in attempted)
    memory = write_back(memory, attempted, [card for card in cards if card is not None])
    keeper.save(name, memory, why)
    return memory
