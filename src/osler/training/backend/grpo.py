"""Group-relative policy optimization with TRL: the answers of a group compete at one state, or in one world.

TRL owns the update. States, worlds, the reward, records and what may be gone on with are ours.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from statistics import fmean
from time import monotonic
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

import osler
from osler.core.episode import digest
from osler.errors import BadInput
from osler.files import feed
from osler.runs.seating import ModelOptions
from osler.store.permitted_store import for_reader
from osler.store.store import Store
from osler.training.backend import libraries, models, processes, updates
from osler.training.backend.choice import Choice, Stored, none_left, stored_worlds
from osler.training.backend.grpo_trainer import Made, Prepared, trainer_of
from osler.training.backend.rollout import Rounds, Words
from osler.training.backend.validation import BEST, BestCheckpoint, Validation, is_validated
from osler.training.config import GrpoConfig
from osler.training.folder import ADAPTER, CACHE, CHECKPOINTS, KEPT, MERGED, RESULT, REWARD, Folder, Stamp
from osler.training.lineage import JUDGE, JUDGES_MODEL
from osler.training.prompts import Prompts
from osler.training.reading import rows
from osler.training.reward.batch import AT_ONCE
from osler.training.rewarding import Opens, Rewarding, Together
from osler.training.sampled import SAMPLES, Samples
from osler.training.splits import TRAIN
from osler.training.task import TrainedSeat, seat_of
from osler.training.world import World
from osler.training.writers.form import data_file, lines_file, sharegpt_file

Rollout = Literal["state", "round"]
ROLLOUTS: Final[tuple[Rollout, ...]] = ("state", "round")
ENDS: Final = 5
"""The steps at each end of a training over which its first and last figures are means."""
_FORMS: Final = (data_file(TRAIN), lines_file("single", TRAIN), sharegpt_file("single", TRAIN))


class Rewards(NamedTuple):
    """A reward as it is trained on: how it is opened, its name and version, its judge's endpoint and model,
    whether each answer is given another's, as a control, and what is kept of it beside the training: its
    hacking probes, and the words that stand wherever its figures do."""

    opens: Opens
    name: str
    version: str
    judge: tuple[str, str] = ("", "")
    shuffle: bool = False
    about: Mapping[str, Any] = MappingProxyType({})

    @property
    def hash(self) -> str:
        """The hash over everything that decides a score."""
        return digest(self.name, self.version, str(self.shuffle))


class Way(NamedTuple):
    """The way answers are sampled: at recorded states, or in whole encounters of the runs in a store, whose
    other players are opened with `options`; and how many answers are scored at once."""

    rollout: Rollout = "state"
    store: Store | None = None
    options: ModelOptions = ModelOptions()
    at_once: int = AT_ONCE


def grpo(
    data: Path,
    base: str,
    out: Path,
    config: GrpoConfig,
    rewards: Rewards,
    way: Way = Way(),  # noqa: B008 - a tuple
    made: Made = lambda step: None,
) -> dict[str, Any]:
    """Train, or go on with a training that stopped; `made` is told of every update. A folder whose training
    has ended is left as it is. Raises BadInput, and InfrastructureFault where it stops."""
    ready = prepare(data, base, out, config, rewards, way, made)
    if isinstance(ready, dict):
        return ready
    began, folder, trainer = monotonic(), ready.folder, ready.trainer
    begins = updates.step_of(ready.checkpoint)
    if trainer.is_world_process_zero() and not is_validated(folder, begins):
        ready.look(begins)
    updates.run(trainer, ready.checkpoint, out)
    if not trainer.is_world_process_zero():
        return {}
    where = folder.path / (MERGED if config.weights == "all" else ADAPTER)
    best = BestCheckpoint(folder, config).take(where)
    if best is None:
        models.save(ready.model, ready.words.processor, where)
    result = {
        "rows": len(ready.prompts),
        "left_out": dict(ready.left_out),
        **_over_all(folder, ready.rewarding.samples),
        "reward": rewards.name,
        "caution": rewards.about.get("caution", ""),
        "probes": {one["name"]: one["total"] for one in rewards.about.get("probes", ())},
        "beaten_by": list(rewards.about.get("beaten_by", ())),
        "kept_step": config.steps if best is None else best // config.updates_per_step,
        "weights_hash": models.weights_hash(where),
        "resumed_from": updates.step_of(ready.checkpoint),
        "wall_s": round(monotonic() - began, 1),
    }
    folder.write(RESULT, result)
    ready.prompts.close()
    for name in (CHECKPOINTS, CACHE, BEST):
        shutil.rmtree(folder.path / name, ignore_errors=True)
    return result


def prepare(
    data: Path,
    base: str,
    out: Path,
    config: GrpoConfig,
    rewards: Rewards,
    way: Way,
    made: Made = lambda step: None,
) -> Prepared | dict[str, Any]:
    """Set up a training; the result of one that has ended. Raises BadInput."""
    libraries.need(*libraries.NEEDED, *(["vllm"] if config.vllm else []))
    from transformers import set_seed

    processes.wait_for(out / KEPT)  # the first process chooses the prompts
    folder, found = Folder(out), models.base_at(base)
    new = not folder.begin(_stamp(data, base, found, config, rewards, way))
    if not new and (ended := folder.result) is not None:
        return ended
    try:
        words = Words(models.processor_of(found.folder, config.pixels))
        seat = _seat(data)
        stored = _stored(seat, way)
        prompts, left_out = _prompts(folder, Choice(data, words, config.max_prompt), stored)
        if new and rewards.about:
            folder.write(REWARD, dict(rewards.about))
        samples = Samples(out / SAMPLES)
        together = Together(processes.number(), processes.of_all)
        rewarding = Rewarding(
            seat,
            rewards.opens,
            config.group,
            samples,
            rewards.shuffle,
            config.seed,
            way.at_once,
            together,
        )
        ready = Prepared(
            folder, config, words, prompts, left_out, rewarding, _rounds(prompts, seat, stored, way)
        )
        if config.answered:
            of_turns = rewards.opens if way.rollout == "state" else None
            ready.answers = Validation(data, words, config, config.max_prompt, of_turns)
        set_seed(config.seed)
        ready.trainer = trainer_of(ready, models.load(found.folder, config.precision), made)
    except BadInput:
        if new:  # nothing was trained: the folder is free for another try
            shutil.rmtree(out, ignore_errors=True)
        raise
    with ready.trainer.accelerator.main_process_first():
        ready.checkpoint = updates.last_checkpoint(out / CHECKPOINTS, config.updates_per_step)
        if processes.is_first():
            update = updates.step_of(ready.checkpoint)
            folder.cut_log(update)
            samples.cut(update // config.updates_per_step)
    return ready


def _stamp(
    data: Path, base: str, found: models.Base, config: GrpoConfig, rewards: Rewards, way: Way
) -> Stamp:
    endpoint, model = rewards.judge
    settings = {**config.model_dump(mode="json"), "rollout": way.rollout, "shuffled": rewards.shuffle}
    judge = {JUDGE: endpoint, JUDGES_MODEL: model} if endpoint else {}
    return Stamp(
        kind="grpo",
        data=str(data.resolve()),
        data_hash=_data_hash(data),
        base=str(found.folder) if Path(base).exists() else base,
        base_hash=found.hash,
        config={**settings, **judge},
        config_hash=digest(json.dumps(settings, sort_keys=True)),
        reward=rewards.name,
        reward_hash=rewards.hash,
        osler=osler.__version__,
        libraries=libraries.versions(),
    )


def _data_hash(folder: Path) -> str:
    """The hash over the rows that are trained on, in whatever form they are."""
    hashed = blake2b(digest_size=16)
    for name in _FORMS:
        path = folder / name
        if path.is_file():
            hashed.update(f"{name}\0".encode())
            feed(hashed, path)
    return hashed.hexdigest()


def _prompts(folder: Folder, choice: Choice, stored: Stored | None) -> tuple[Prompts, dict[str, int]]:
    """The prompts that are trained on, chosen once and kept; and how many are left out by reason. Raises
    BadInput where none is left."""
    path, cache = folder.path / KEPT, folder.path / CACHE
    if path.is_file() and cache.is_dir():
        return Prompts(cache), json.loads(path.read_text())["left_out"]
    prompts = Prompts.keep(cache, choice.states() if stored is None else choice.encounters(stored))
    left_out = dict(sorted(choice.left_out.items()))
    if not len(prompts):
        raise none_left(choice.data, left_out, "state" if stored is None else "encounter")
    folder.write(KEPT, {"kept": [one.state.id for one in prompts], "left_out": left_out})
    return prompts, left_out


def _seat(data: Path) -> TrainedSeat:
    """The seat of a data set, in the form of its rows. Raises BadInput without a row."""
    state = next(iter(rows(data, "single", TRAIN)), None)
    if state is None:
        raise none_left(data, {}, "state")
    return seat_of(state)


def _stored(seat: TrainedSeat, way: Way) -> Stored | None:
    """The worlds that encounters are played in; `None` where recorded states are trained on."""
    if way.rollout == "state":
        return None
    if way.store is None:
        raise BadInput("whole encounters are played again from a store", where="--store")
    return stored_worlds(for_reader(way.store, "data set"), seat)


def _rounds(prompts: Prompts, seat: TrainedSeat, stored: Stored | None, way: Way) -> Rounds | None:
    if stored is None:
        return None

    def at(place: int) -> World:
        state = prompts[place].state
        return stored(state.run)[state.episode]

    return Rounds(at, seat, way.options)


def _over_all(folder: Folder, samples: Samples | None) -> dict[str, Any]:
    """The figures of a whole training, from its log and its samples."""
    lines = [line for line in folder.log() if "vetoed" in line]
    ends = {"first": lines[:ENDS], "last": lines[-ENDS:]}

    def mean(name: str, where: str) -> float | None:
        values = [line[name] for line in ends[where] if name in line]
        return fmean(values) if values else None

    axes = dict.fromkeys(name for line in lines for name in line if name.startswith("axis/"))
    counts = Counter[str]()
    for one in samples or ():
        counts["answers"] += 1
        counts["vetoed"] += bool(one["vetoed"])
        counts["unscored"] += one["total"] is None
        counts["masked"] += one["given"] is None
    return {
        "steps": len(lines),
        "reward_first": mean("reward", "first"),
        "reward_last": mean("reward", "last"),
        "valid_first": mean("valid", "first"),
        "valid_last": mean("valid", "last"),
        **{name: counts[name] for name in ("answers", "vetoed", "unscored", "masked")},
        "zero_spread": fmean(line["zero_spread"] for line in lines) if lines else None,
        "axes_first": {name.removeprefix("axis/"): mean(name, "first") for name in axes},
        "axes_last": {name.removeprefix("axis/"): mean(name, "last") for name in axes},
    }
