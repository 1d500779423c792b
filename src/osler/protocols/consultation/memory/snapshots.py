"""Memory snapshots outside of studies: resolve one by name or hash, and make one from a run."""

from __future__ import annotations

from osler.core.config import Config
from osler.core.names import taken_apart
from osler.core.role import MEMORY
from osler.errors import BadInput
from osler.memory.card import Policy
from osler.memory.collection import Memory
from osler.memory.sql_memory import SqlKeeper
from osler.protocols.consultation.memory.episodes_to_lessons import lived
from osler.protocols.consultation.memory.memory_config import MemoryUse, threshold_of
from osler.protocols.consultation.memory.write_back import Attempted, card_of, write_back
from osler.store.records import RunInfo
from osler.store.store import Store


def use_of(given: str, cases: str, store: Store) -> MemoryUse:
    """Resolve `given` for a run over `cases`: a memory's name means its newest snapshot; otherwise it is a
    prefix of a snapshot's hash. Raises BadInput if there is no such snapshot, or more than one."""
    keeper = SqlKeeper(store.engine)
    steps = keeper.steps(given)
    found = [steps[-1].snapshot] if steps else keeper.snapshots(given)
    if len(found) != 1:
        what = f"more than one snapshot begins with {given!r}" if found else f"there is no memory {given!r}"
        raise BadInput(what, where="--memory", hint="see: osler memory list")
    return MemoryUse(snapshot=found[0], threshold=threshold_of(cases))


def with_memory(config: Config, given: str, store: Store) -> Config:
    """Return the configuration of a run whose player under test retrieves from `given`; see `use_of`.

    Raises BadInput if the protocol has no memory, or no player in it is named `...+memory`.
    """
    seat = config.plays.under_test
    if MEMORY not in config.plays.role(seat).given:
        why, _, hint = config.plays.role(seat).refused[MEMORY].partition("; ")
        raise BadInput(f"{MEMORY} {why}", where="--memory", hint=f"leave it out; {hint}")
    name = config.players()[seat]
    if not any(ending == MEMORY for ending, _ in taken_apart(config.plays.role(seat), name).around):
        raise BadInput(f"{name} does not use a memory", where="--memory", hint=f"name {name}{MEMORY}")
    return config.model_copy(update={"memory": use_of(given, config.cases, store)})


def learn(name: str, run: RunInfo, store: Store, feedback: Policy) -> Memory:
    """Write a run's consultations back into the memory `name`, creating it if needed, and freeze it. Wrong
    answers leave nothing, since there was no second attempt.

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
    begun = max((origin.position + 1 for origin in origins), default=0)
    attempted = [
        Attempted(one, None, run.name, begun + one.episode.ordinal) for one in lived(run, store, feedback)
    ]
    cards = (card_of(one) for one in attempted)
    memory = write_back(memory, attempted, [card for card in cards if card is not None])
    keeper.save(name, memory, why)
    return memory
