"""Group-relative policy optimization with TRL: the answers of a group compete at one state, or in one world.

TRL owns the update. States, worlds, the reward, records and what may be gone on with are ours.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from statistics import fmean
from time import monotonic
from typing import Any, Final, Literal, NamedTuple

import osler
from osler.core.episode import digest
from osler.errors import BadInput
from osler.runs.seating import ModelOptions
from osler.store.permitted_store import for_reader
from osler.store.store import Store
from osler.training.backend import libraries, models
from osler.training.backend.grpo_trainer import begun_from, step_of, trainer_of
from osler.training.backend.rollout import Rounds, Words
from osler.training.config import GrpoConfig
from osler.training.folder import ADAPTER, CHECKPOINTS, MERGED, RESULT, Folder, Stamp
from osler.training.lineage import JUDGE, JUDGES_MODEL
from osler.training.policy import Said
from osler.training.reading import pictured
from osler.training.rewarding import Batch, Opens, Rewarded, Rewarding
from osler.training.sampled import SAMPLES, Samples
from osler.training.samples import Sample
from osler.training.task import TrainedSeat, trained_seat
from osler.training.world import Played, World, worlds_of
from osler.training.writers.form import data_file, lines_file, sharegpt_file

KEPT: Final = "kept.json"
Rollout = Literal["state", "round"]
ROLLOUTS: Final[tuple[Rollout, ...]] = ("state", "round")
ENDS: Final = 5
"""The steps at each end of a training over which its first and last figures are means."""
TRAIN: Final = "train"
_FORMS: Final = (data_file(TRAIN), lines_file("single", TRAIN), sharegpt_file("single", TRAIN))


class Rewards(NamedTuple):
    """A reward as it is trained on: how it is opened, its name and version, its judge's endpoint and model,
    and the result of its hacking probes by name, where it has any."""

    opens: Opens
    name: str
    version: str
    judge: tuple[str, str] = ("", "")
    shuffle: bool = False

    @property
    def hash(self) -> str:
        """The hash over everything that decides a score."""
        return digest(self.name, self.version, str(self.shuffle))


class Way(NamedTuple):
    """The way answers are sampled: at recorded states, or in whole encounters of the runs in a store."""

    rollout: Rollout = "state"
    store: Store | None = None
    options: ModelOptions = ModelOptions()


class Prompt(NamedTuple):
    """A state that is trained on, with its pictures."""

    state: Sample
    pictures: tuple[bytes, ...] = ()


class Step(NamedTuple):
    """An update that was made: its number, of how many, and the figures of its log."""

    step: int
    steps: int
    figures: Mapping[str, float]


Made = Callable[[Step], None]


@dataclass
class Prepared:
    """A training that is set up and has not begun."""

    folder: Folder
    config: GrpoConfig
    words: Words
    prompts: Sequence[Prompt]
    left_out: Mapping[str, int]
    rewarding: Rewarding
    rounds: Rounds | None
    trainer: Any = None
    checkpoint: Path | None = None
    played: list[Played] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)
    """Those of the batch that was scored last, until its first update is logged."""
    void: bool = False
    """Whether no group of that batch tells one answer from another."""

    def scored(self, update: int, places: Sequence[int], ids: Sequence[Sequence[int]]) -> list[float | None]:
        """The reward function: what TRL is given for a batch of answers."""
        step = update // self.config.updates_per_step + 1
        if self.rounds is not None:
            played, tokens = self.played, [sum(one.spoken.mask) for one in self.played]
            prompts = [self.rounds.worlds[place].episode.world for place in places]
            found: Rewarded = self.rewarding.rounds(Batch(step, prompts, tokens), played)
        else:
            states = [self.prompts[place].state for place in places]
            said = [Said(self.words.said(one), True, bool(one) and one[-1] == self.words.end) for one in ids]
            batch = Batch(step, [state.id for state in states], [len(one) for one in ids])
            found = self.rewarding.states(batch, states, said)
        self.figures, size = found.figures, self.config.group
        groups = [found.given[at : at + size] for at in range(0, len(found.given), size)]
        self.void = all(len(set(group)) == 1 for group in groups)
        return found.given


def grpo(
    data: Path,
    base: str,
    out: Path,
    config: GrpoConfig,
    rewards: Rewards,
    way: Way = Way(),  # noqa: B008 - a tuple
    made: Made = lambda step: None,
    about: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Train, or go on with a training that stopped; `made` is told of every update, `about` is kept with the
    result. A folder whose training has ended is left as it is. Raises BadInput."""
    ready = prepare(data, base, out, config, rewards, way, made)
    if isinstance(ready, dict):
        return ready
    began, folder, trainer = monotonic(), ready.folder, ready.trainer
    resumed = step_of(ready.checkpoint) if ready.checkpoint else 0
    trainer.train(resume_from_checkpoint=str(ready.checkpoint) if ready.checkpoint else None)
    if not trainer.is_world_process_zero():
        return {}
    where = folder.path / (MERGED if config.weights == "all" else ADAPTER)
    models.save(trainer.accelerator.unwrap_model(trainer.model), ready.words.processor, where)
    result = {
        "rows": len(ready.prompts),
        "left_out": dict(ready.left_out),
        **_over_all(folder, ready.rewarding.samples),
        **(about or {}),
        "weights_hash": models.weights_hash(where),
        "resumed_from": resumed,
        "wall_s": round(monotonic() - began, 1),
    }
    folder.write(RESULT, result)
    shutil.rmtree(folder.path / CHECKPOINTS, ignore_errors=True)
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
    libraries.need()
    from transformers import set_seed

    folder, found = Folder(out), models.base_at(base)
    stamp = _stamp(data, base, found, config, rewards, way)
    new = not folder.begin(stamp)
    if not new and (ended := folder.result) is not None:
        return ended
    try:
        words = Words(models.processor_of(found.folder, config.pixels))
        prompts, left_out = _prompts(data, words, config, way)
        seat = _seat(prompts[0].state)
        rounds = _rounds(prompts, seat, way)
        samples = Samples(out / SAMPLES)
        rewarding = Rewarding(
            seat, rewards.opens, config.group, samples, shuffle=rewards.shuffle, seed=config.seed
        )
        ready = Prepared(folder, config, words, prompts, left_out, rewarding, rounds)
        folder.write(KEPT, {"kept": [one.state.id for one in prompts], "left_out": left_out})
        set_seed(config.seed)
        ready.trainer = trainer_of(ready, models.load(found.folder, config.precision), made)
    except BadInput:
        if new:  # nothing was trained: the folder is free for another try
            shutil.rmtree(out, ignore_errors=True)
        raise
    ready.checkpoint = begun_from(out / CHECKPOINTS, config.updates_per_step)
    update = step_of(ready.checkpoint) if ready.checkpoint else 0
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
            with path.open("rb") as file:
                while part := file.read(1 << 22):
                    hashed.update(part)
    return hashed.hexdigest()


def _prompts(data: Path, words: Words, config: GrpoConfig, way: Way) -> tuple[list[Prompt], dict[str, int]]:
    """The states of a data set that are trained on; of whole encounters, the first state of each. Raises
    BadInput where none is left."""
    kept, left_out = list[Prompt](), {"over_long": 0, "control_tokens": 0, "pictures": 0}
    met = set[tuple[str, str]]()
    for sample, pictures in pictured(data, "single", TRAIN):
        sees = words.sees and way.rollout == "state"
        texts = [text for message in sample.messages for text in _texts(message)]
        if way.rollout == "round" and (sample.run, sample.episode) in met:
            continue
        if pictures and not sees:
            left_out["pictures"] += 1
        elif any(control in text for text in texts for control in words.control):
            left_out["control_tokens"] += 1
        elif _length(words, sample, pictures) > config.max_prompt:
            left_out["over_long"] += 1
        else:
            kept.append(Prompt(sample, pictures))
            met.add((sample.run, sample.episode))
    if not kept:
        told = ", ".join(f"{name} {count}" for name, count in left_out.items() if count) or "it holds none"
        raise BadInput(f"no state is left to train on: {told}", where=str(data))
    return kept, left_out


def _texts(message: Mapping[str, Any]) -> list[str]:
    return [block["text"] for block in message["content"] if block["type"] == "text"]


def _length(words: Words, sample: Sample, pictures: Sequence[bytes]) -> int:
    text = words.text(sample.messages, ask=True)
    return int(words.tokens([text], [pictures])["input_ids"].shape[1])


def _seat(state: Sample) -> TrainedSeat:
    seat = trained_seat(state.protocol, state.seat)
    return seat.without_thinking() if state.context.get("thinking") is False else seat


def _rounds(prompts: list[Prompt], seat: TrainedSeat, way: Way) -> Rounds | None:
    """The worlds of the prompts' episodes, one for each prompt, in their order."""
    if way.rollout == "state":
        return None
    if way.store is None:
        raise BadInput("whole encounters are played again from a store", where="--store")
    store = for_reader(way.store, "data set")
    found = dict[tuple[str, str], World]()
    for name in sorted({one.state.run for one in prompts}):
        keys = [one.state.episode for one in prompts if one.state.run == name]
        for key, world in worlds_of(store.run(name), store, keys, seat).items():
            found[name, key] = world
    prompts[:] = [one for one in prompts if (one.state.run, one.state.episode) in found]
    if not prompts:
        raise BadInput("none of the data set's episodes is in this store", where="--store")
    return Rounds([found[one.state.run, one.state.episode] for one in prompts], seat, way.options)


def _over_all(folder: Folder, samples: Samples | None) -> dict[str, Any]:
    """The figures of a whole training, from its log and its samples."""
    lines = [line for line in folder.log() if "vetoed" in line]
    ends = {"first": lines[:ENDS], "last": lines[-ENDS:]}

    def mean(name: str, where: str) -> float | None:
        values = [line[name] for line in ends[where] if name in line]
        return fmean(values) if values else None

    axes = dict.fromkeys(name for line in lines for name in line if name.startswith("axis/"))
    held = list(samples or ())
    return {
        "steps": len(lines),
        "reward_first": mean("reward", "first"),
        "reward_last": mean("reward", "last"),
        "valid_first": mean("valid", "first"),
        "valid_last": mean("valid", "last"),
        "answers": len(held),
        "vetoed": sum(bool(one["vetoed"]) for one in held),
        "unscored": sum(one["total"] is None for one in held),
        "masked": sum(one["given"] is None for one in held),
        "zero_spread": fmean(line["zero_spread"] for line in lines) if lines else None,
        "axes_first": {name.removeprefix("axis/"): mean(name, "first") for name in axes},
        "axes_last": {name.removeprefix("axis/"): mean(name, "last") for name in axes},
    }
