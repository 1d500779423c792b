"""Conditions whose doctor has a memory written from an earlier condition of the same study.

`memory: {from: CONDITION}`: that condition's doctor retries the cases it got wrong, after the declared
`feedback`; then the cards of both attempts are frozen in a snapshot, from which this condition's doctor
retrieves. No card of the case being played, its twins or its near-duplicates is ever given
(`osler.memory.exclusion`), so a doctor learns from other cases only; with `progress: true` from earlier ones
only. The other fields are those of `MemoryUse`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from osler.core.config import Config
from osler.core.role import MEMORY
from osler.memory.collection import Memory
from osler.memory.settings import MADE_UP, Policy
from osler.memory.sql_memory import SqlKeeper
from osler.protocols.consultation.config import RunConfig
from osler.protocols.consultation.memory.episodes_to_lessons import Experience, lived
from osler.protocols.consultation.memory.memory_config import FROM, Again, MemoryUse, anew_for, feedback_for
from osler.protocols.consultation.memory.summaries import ModelSummaries, kept_whole
from osler.protocols.consultation.memory.write_back import Attempted, card_of
from osler.runs.run import config_as
from osler.store.records import RunInfo
from osler.store.store import Store
from osler.studies.study.preparing import Before

_TOLD: Final[dict[Policy, str]] = {"gold": "", "judge": ", told only right or wrong", "none": ""}
Runs = tuple[RunInfo, RunInfo | None]


def prepared(condition: Before) -> Config:
    """Return a condition's configuration as it is played: one with a memory gets its snapshot, for which the
    mistakes of its source condition are retried. Raises Unfinished if that was stopped."""
    source, config = _remembered(condition), condition.config
    if source is None or not isinstance(config, RunConfig) or config.memory is None:
        return config
    first, again = condition.runs[source], None
    learner = config_as(first, RunConfig)
    feedback = config.memory.feedback or feedback_for(learner.insides()["doctor"])
    if (second := second_attempts(first, condition.store, feedback)) is not None:
        again = condition.sit(f"{source}, again{_TOLD[feedback]}", second)
    return learnt(condition, source, config, (first, again), feedback)


def _remembered(condition: Before) -> str | None:
    """Return the condition that a condition learns from, if any."""
    study = condition.study
    written = {**study.base, **study.all_conditions()[condition.name]}.get("memory")
    return written[FROM] if written else None


def second_attempts(run: RunInfo, store: Store, feedback: Policy) -> RunConfig | None:
    """Return the configuration for retrying the cases a run's doctor got wrong, told what the feedback lets
    through; `None` if there are none. A model thinks over the record, a built-in doctor consults anew."""
    first = config_as(run, RunConfig)
    wrong = [one.episode.ordinal for one in lived(run, store, feedback) if one.told.correct is False]
    if not wrong:
        return None
    places = tuple(sorted({ordinal // first.repeats for ordinal in wrong}))
    changes = {
        "doctor": f"{first.doctor}{MEMORY}",
        "memory": MemoryUse(),
        "again": Again(run=run.name, feedback=feedback, anew=anew_for(first.insides()["doctor"])),
        "places": places,
        "limit": None,
        "repeats": 1,
        "models": {},
    }
    return first.model_copy(update=changes)


def learnt(
    condition: Before, source: str, config: RunConfig, lived_through: Runs, feedback: Policy
) -> RunConfig:
    """Return the configuration with a snapshot of the condition `source`: its run, and its second attempts if
    there were any."""
    assert config.memory is not None
    use = config.memory.model_copy(
        update={
            "snapshot": _snapshot(condition, source, lived_through, feedback),
            "threshold": MADE_UP if config.cases.startswith("generated:") else config.memory.threshold,
            "feedback": feedback,
        }
    )
    return config.model_copy(update={"memory": use})


def _snapshot(before: Before, condition: str, lived_through: Runs, feedback: Policy) -> str:
    """Freeze the cards of a run; the same run gives the same snapshot. Raises InfrastructureFault if its
    doctor is a model that cannot be asked to summarize."""
    study, store, (run, again) = before.study, before.store, lived_through
    repeats = config_as(run, RunConfig).repeats
    second = {one.case.content_hash: one for one in lived(again, store, feedback)} if again else {}
    # Not the run's name, which differs between stores.
    origin = f"study {study.name}, {condition}"
    first = list(lived(run, store, feedback))
    summaries = _summaries(before, run, [one for one in first if kept_whole(one)])
    cards = [
        card_of(
            Attempted(
                one,
                second.get(one.case.content_hash),
                origin,
                one.episode.ordinal // repeats,
                summaries.get(one.episode.ordinal, ""),
            )
        )
        for one in first
    ]
    memory = Memory().with_cards(card for card in cards if card is not None)
    return SqlKeeper(store.engine).save(f"study/{run.name}", memory, f"what {origin} lived through")


def _summaries(before: Before, run: RunInfo, experiences: Sequence[Experience]) -> dict[int, str]:
    """Return the summaries by the doctor itself, if it is a model, by ordinal."""
    doctor = config_as(run, RunConfig).insides()["doctor"]
    if before.modelling is None or not doctor.startswith("model:") or not experiences:
        return {}
    said = ModelSummaries(doctor.removeprefix("model:"), before.modelling, before.store)(experiences)
    return dict(zip((one.episode.ordinal for one in experiences), said, strict=True))
