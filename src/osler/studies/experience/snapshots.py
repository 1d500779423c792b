"""Snapshots outside of studies: which one is meant, and one made of a run's consultations."""

from __future__ import annotations

from osler.core.config import Config
from osler.core.names import taken_apart
from osler.core.role import MEMORY
from osler.errors import BadInput
from osler.memory.card import Policy
from osler.memory.collection import Memory
from osler.memory.keeper import SqlKeeper
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.experience.lived import lived
from osler.studies.experience.use import MemoryUse, threshold_of
from osler.studies.experience.writing import Attempted, card_of, write_back


def use_of(given: str, cases: str, store: Store) -> MemoryUse:
    """How a run over `cases` uses the memory `given`: its newest snapshot by the memory's name, or a snapshot
    by the beginning of its hash. Raises BadInput where there is none, or more than one."""
    keeper = SqlKeeper(store.engine)
    steps = keeper.steps(given)
    found = [steps[-1].snapshot] if steps else keeper.snapshots(given)
    if len(found) != 1:
        what = f"more than one snapshot begins with {given!r}" if found else f"there is no memory {given!r}"
        raise BadInput(what, where="--memory", mend="see: osler memory list")
    return MemoryUse(snapshot=found[0], threshold=threshold_of(cases))


def with_memory(config: Config, given: str, store: Store) -> Config:
    """A run whose player under test looks into the memory `given`; see `use_of`.

    Raises BadInput where the protocol has no memory, or nobody in it is called `...+memory`.
    """
    seat = config.plays.under_test
    if MEMORY not in config.plays.role(seat).given:
        why, _, mend = config.plays.role(seat).refused[MEMORY].partition("; ")
        raise BadInput(f"{MEMORY} {why}", where="--memory", mend=f"leave it out; {mend}")
    name = config.players()[seat]
    if not any(ending == MEMORY for ending, _ in taken_apart(config.plays.role(seat), name).around):
        raise BadInput(f"{name} looks into no memory", where="--memory", mend=f"name {name}{MEMORY}")
    return config.model_copy(update={"memory": use_of(given, config.cases, store)})


def learn(name: str, run: RunInfo, store: Store, feedback: Policy) -> Memory:
    """Write back what a run's consultations leave into the memory `name`, which is begun where there is none,
    and freeze it. What was wrong leaves nothing, since nobody attempted it again.

    Raises BadInput for a run that is not done, or that this memory has lived through already.
    """
    if run.status != "done":
        raise BadInput("the run is not done", where=run.name, mend=f"osler resume {run.name}")
    keeper = SqlKeeper(store.engine)
    steps = keeper.steps(name)
    memory = keeper.load(steps[-1].snapshot, steps[-1].capacity) if steps else Memory()
    origins = [card.origin for card in memory.cards.values()]
    why = f"what run {run.name} left"
    if any(step.why == why for step in steps) or any(origin.run == run.name for origin in origins):
        raise BadInput(f"the memory {name!r} has lived through this run already", where=run.name)
    begun = max((origin.position + 1 for origin in origins), default=0)
    attempted = [
        Attempted(one, None, run.name, begun + one.episode.ordinal) for one in lived(run, store, feedback)
    ]
    cards = (card_of(one) for one in attempted)
    memory = write_back(memory, attempted, [card for card in cards if card is not None])
    keeper.save(name, memory, why)
    return memory
