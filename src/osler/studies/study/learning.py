"""A condition whose doctor remembers what an earlier condition of the same study lived through.

`memory: {from: CONDITION}` writes the cards of that condition's consultations, those that were right, into a
snapshot, before this one is played. No card of the case being played, its twins or its near-duplicates is
ever given (`osler.memory.exclusion`), so a doctor learns from other cases only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from osler.errors import BadInput
from osler.memory.collection import Memory
from osler.memory.keeper import SqlKeeper
from osler.memory.sketch import MADE_UP
from osler.store.rows import RunInfo
from osler.store.store import Store
from osler.studies.build import RunConfig
from osler.studies.experience.lived import lived
from osler.studies.experience.use import MemoryUse
from osler.studies.experience.writing import Attempted, card_of
from osler.studies.study.design import Study

FROM: Final = "from"


def memory_from(written: object, before: tuple[str, ...]) -> MemoryUse | None:
    """How a condition uses its memory, as far as it is known before anything is played.

    Raises BadInput where it is to learn from what is not played before it.
    """
    if written is None:
        return None
    if not isinstance(written, dict) or written.get(FROM) not in before:
        mend = f"write memory: {{from: CONDITION}} with one of: {', '.join(before) or 'none yet'}"
        raise BadInput("memory: it learns from no condition that is played before it", mend=mend)
    return MemoryUse.model_validate({key: value for key, value in written.items() if key != FROM})


def learnt(study: Study, name: str, config: Any, played: Mapping[str, str], store: Store) -> Any:
    """The configuration with the snapshot of what it remembers, where it remembers anything."""
    if not isinstance(config, RunConfig) or config.memory is None:
        return config
    source = {**study.base, **study.all_conditions()[name]}["memory"][FROM]
    use = config.memory.model_copy(
        update={
            "snapshot": _snapshot(study, source, store.run(played[source]), store),
            "threshold": MADE_UP if config.cases.startswith("generated:") else config.memory.threshold,
        }
    )
    return config.model_copy(update={"memory": use})


def _snapshot(study: Study, condition: str, run: RunInfo, store: Store) -> str:
    """The cards of a run, frozen; the same run gives the same snapshot."""
    # Not the run's name: that is another in every store.
    origin = f"study {study.name}, {condition}"
    cards = [card_of(Attempted(one, None, origin, one.episode.ordinal)) for one in lived(run, store, "gold")]
    memory = Memory().with_cards(card for card in cards if card is not None)
    return SqlKeeper(store.engine).save(f"study/{run.name}", memory, f"what {origin} lived through")
