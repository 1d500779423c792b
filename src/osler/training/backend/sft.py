"""Supervised fine-tuning with TRL: rows of a data set to adapters, or to all weights of a small base.

The loss is the mean over the target tokens of a whole update, however it is split into micro-batches and
devices, each token by its row's weight: -sum(w log p) / sum(w). TRL owns the update; rows, labels, records
and what may be gone on with are ours.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import fmean, median
from time import monotonic
from typing import Any, Final, NamedTuple

import osler
from osler.errors import BadInput
from osler.training.backend import libraries, models, processes, updates
from osler.training.backend.chats import Chats
from osler.training.backend.rollout import Words
from osler.training.backend.rows import Row, Rows, with_targets_of
from osler.training.backend.validation import BEST, BestCheckpoint, Validation, is_validated
from osler.training.config import SftConfig
from osler.training.folder import ADAPTER, CACHE, CHECKPOINTS, KEPT, LABELS, MERGED, RESULT, Folder, Stamp
from osler.training.reward.controls import moved
from osler.training.splits import TRAIN, VALIDATION

_LOGGED: Final = {
    **{"loss": "loss", "learning_rate": "rate", "grad_norm": "norm"},
    **{"accuracy": "accuracy", "tokens": "tokens"},
}
SHOWN: Final = 4
"""Samples whose decoded labels are kept for the report."""


class Update(NamedTuple):
    """A finished update: its number, the number of updates in all, and the loss."""

    step: int
    steps: int
    loss: float


@dataclass
class Prepared:
    """A training that is set up and has not begun; `kept` are the rows taken, by their place."""

    folder: Folder
    config: SftConfig
    base: models.Base
    rows: Rows
    kept: tuple[int, ...]
    left_out: Mapping[str, int]
    tokens: Mapping[str, float]
    chats: Chats
    trainer: Any
    checkpoint: Path | None
    validation: list[Any]
    answers: Validation | None = None

    @property
    def model(self) -> Any:
        """The model under training, by itself."""
        return self.trainer.accelerator.unwrap_model(self.trainer.model)


def sft(
    data: Path,
    base: str,
    out: Path,
    config: SftConfig,
    made: Callable[[Update], None] = lambda update: None,
) -> dict[str, Any]:
    """Train, or go on with a training that stopped; `made` is told of every update. Returns the result.

    A folder whose training has ended is left as it is. Raises BadInput, and
    InfrastructureFault where it stops.
    """
    ready = prepare(data, base, out, config, made)
    if isinstance(ready, dict):
        return ready
    began, folder, trainer = monotonic(), ready.folder, ready.trainer
    run_updates(ready)
    if not trainer.is_world_process_zero():
        return {}
    whole = config.weights == "all"
    where = folder.path / (MERGED if whole else ADAPTER)
    best = BestCheckpoint(folder, config).take(where)
    if best is None:
        models.save(ready.model, ready.chats.processor, where)
    log = folder.log()
    losses = [line["loss"] for line in log if "loss" in line]
    checked = [line["validation"] for line in log if "validation" in line]
    result = {
        "rows": len(ready.kept),
        "left_out": dict(ready.left_out),
        "tokens": dict(ready.tokens),
        "steps": trainer.state.global_step,
        "loss_first": losses[0] if losses else None,
        "loss_last": fmean(losses[-5:]) if losses else None,
        "validation_first": checked[0] if checked else None,
        "validation_last": checked[-1] if checked else None,
        "kept_step": trainer.state.global_step if best is None else best,
        "weights_hash": models.weights_hash(where),
        "resumed_from": updates.step_of(ready.checkpoint),
        "wall_s": round(monotonic() - began, 1),
    }
    folder.write(RESULT, result)
    for name in (CHECKPOINTS, CACHE, BEST):
        shutil.rmtree(folder.path / name, ignore_errors=True)
    return result


def run_updates(ready: Prepared) -> None:
    """Make the updates of a training that is set up, from its last checkpoint on."""
    folder, begins = ready.folder, updates.step_of(ready.checkpoint)
    if ready.trainer.is_world_process_zero():
        folder.cut_log(begins if ready.checkpoint else -1)
        folder.write(LABELS, _labels(ready))
        if not is_validated(folder, begins):
            _look(ready, begins)
    updates.run(ready.trainer, ready.checkpoint, folder.path)


def prepare(
    data: Path,
    base: str,
    out: Path,
    config: SftConfig,
    made: Callable[[Update], None] = lambda update: None,
) -> Prepared | dict[str, Any]:
    """Set up a training; the result of one that has ended. Raises BadInput."""
    libraries.need()
    from transformers import set_seed

    folder, found = Folder(out), models.base_at(base)
    chosen: dict[str, Any] = {"kind": config.rows, "published": config.row_weights == "published"}
    rows = Rows(data, TRAIN, out / CACHE, **chosen)
    processes.wait_for(out / KEPT)  # the first process chooses the rows
    new = not folder.begin(_stamp(data, base, config, found, rows))
    if not new and (ended := folder.result) is not None:
        return ended
    try:
        chats = Words(models.processor_of(found.folder, config.pixels))
        answers = Validation(data, chats, config, config.max_tokens) if config.answered else None
        kept, left_out, tokens = _kept(folder, rows, chats, config)
        validation = _validation(data, out, chats, config, chosen)
        set_seed(config.seed)
        model = models.load(found.folder, config.precision)
        trainer = _trainer(folder, config, model, rows, kept, chats)
    except BadInput:
        if new:  # nothing was trained: the folder is free for another try
            shutil.rmtree(out, ignore_errors=True)
        raise
    last = updates.last_checkpoint(out / CHECKPOINTS)
    ready = Prepared(
        folder, config, found, rows, kept, left_out, tokens, chats, trainer, last, validation, answers
    )
    trainer.add_callback(_watcher(ready, made))
    return ready


def _stamp(data: Path, base: str, config: SftConfig, found: models.Base, rows: Rows) -> Stamp:
    return Stamp(
        kind="sft",
        data=str(data.resolve()),
        data_hash=rows.hash,
        base=str(found.folder) if Path(base).exists() else base,
        base_hash=found.hash,
        config=config.model_dump(mode="json"),
        config_hash=config.hash,
        osler=osler.__version__,
        libraries=libraries.versions(),
    )


def _kept(
    folder: Folder, rows: Rows, chats: Chats, config: SftConfig
) -> tuple[tuple[int, ...], dict[str, int], dict[str, float]]:
    """The places of the rows that are trained on, and the counts of those left out by reason; found once."""
    path = folder.path / KEPT
    if path.is_file():
        value = json.loads(path.read_text())
        return tuple(value["kept"]), value["left_out"], value["tokens"]
    kept, lengths = list[int](), list[int]()
    left_out = dict.fromkeys(("over_long", "control_tokens", "weightless", "pictures"), 0)
    for n, row in enumerate(rows):
        if row.images and not chats.sees:
            left_out["pictures"] += 1
        elif chats.holds_control(row.messages):
            left_out["control_tokens"] += 1
        elif not any(weight > 0 for _, weight in row.spans):
            left_out["weightless"] += 1
        elif (length := len(chats.row(row)[0])) > config.max_tokens:
            left_out["over_long"] += 1
        else:
            kept.append(n)
            lengths.append(length)
    if not kept:
        text = ", ".join(f"{name} {count}" for name, count in left_out.items() if count) or "it holds none"
        raise BadInput(
            f"no row is left to train on: {text}", where=str(rows.folder), hint="--set max_tokens=N"
        )
    tokens = {"mean": round(fmean(lengths), 1), "median": float(median(lengths)), "most": float(max(lengths))}
    folder.write(KEPT, {"kept": kept, "left_out": left_out, "tokens": tokens})
    return tuple(kept), left_out, tokens


def _trainer(
    folder: Folder,
    config: SftConfig,
    model: Any,
    rows: Rows,
    kept: tuple[int, ...],
    chats: Chats,
) -> Any:
    """TRL's trainer with our batches, loss and settings."""
    from datasets import Dataset
    from transformers import PrinterCallback
    from trl import SFTConfig

    steps = config.updates(len(kept))
    taught = _taught(rows, kept, config)
    args = SFTConfig(
        **updates.arguments(config, folder.path, steps, sees=chats.sees),
        per_device_train_batch_size=config.per_device,
        gradient_accumulation_steps=config.accumulation(processes.count()),
        max_length=None,
        packing=False,
        dataset_kwargs={"skip_prepare_dataset": True},
    )
    trainer = _trainer_class()(
        model=model,
        args=args,
        # The rows themselves stay in their files; what is shuffled and batched are their places.
        train_dataset=Dataset.from_dict({"row": list(kept)}),
        data_collator=lambda places: chats.batch([taught(one["row"]) for one in places]),
        processing_class=chats.processor,
        peft_config=updates.adapters(config),
    )
    trainer.remove_callback(PrinterCallback)
    return trainer


def _taught(rows: Rows, kept: tuple[int, ...], config: SftConfig) -> Callable[[int], Row]:
    """The row that is learnt at a place: its own, or as a control with another's targets."""
    if config.targets == "own":
        return rows.__getitem__
    dice = Random(config.seed)  # noqa: S311 - a control
    other = {gives: takes for takes, gives in moved(kept, dice).items()}
    return lambda place: with_targets_of(rows[place], rows[other[place]])


def _trainer_class() -> Any:
    """TRL's trainer with the weighted loss."""
    import torch
    from trl import SFTTrainer
    from trl.trainer import utils

    if hasattr(utils, "_use_triton"):
        # On a CPU, too, only labelled positions go through the head: prompts are ten times longer.
        utils._use_triton = lambda device: device.type in ("cuda", "cpu", "xpu")

    class Weighted(SFTTrainer):
        """Divides by the weight of the whole update, not of the micro-batch."""

        loss_is_scaled_for_ga = True

        def get_batch_samples(self, epoch_iterator: Any, num_batches: int, device: Any) -> tuple[Any, Any]:
            batches, _ = super().get_batch_samples(epoch_iterator, num_batches, device)
            total = sum(batch["label_weights"].sum() for batch in batches) if batches else torch.tensor(0.0)
            if self.args.world_size > 1:
                total = self.accelerator.gather(total.to(device).reshape(1)).sum()
            return batches, total.to(device)

        def compute_loss(
            self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
        ) -> Any:
            weights = inputs.pop("label_weights")[:, 1:]
            outputs = model(**inputs, use_cache=False, fused_lm_head=True)
            total = weights.sum() if num_items_in_batch is None else num_items_in_batch
            loss = -(outputs.log_probs * weights.to(outputs.log_probs.device)).sum() / total
            counts = torch.stack([outputs.is_top1.sum(), outputs.label_mask.sum()]).float()
            hit, known = self.accelerator.gather(counts[None]).sum(0).tolist()
            self._metrics["train"]["accuracy"].append(hit / max(known, 1))
            self._metrics["train"]["tokens"].append(float(inputs["attention_mask"].sum()))
            return loss * self.accelerator.num_processes  # the mean over devices follows

        def _send_telemetry(self) -> None:
            """Tell nobody."""

        def create_model_card(self, *args: Any, **kwargs: Any) -> None:
            """Write none: it would name paths and services."""

    return Weighted


def _watcher(ready: Prepared, made: Callable[[Update], None]) -> Any:
    from transformers import TrainerCallback

    class Watcher(TrainerCallback):
        """Keeps the log, and looks at the validation split when a checkpoint is written."""

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if "loss" not in (logs or {}) or not state.is_world_process_zero:
                return
            line = {ours: float(logs[theirs]) for theirs, ours in _LOGGED.items() if theirs in logs}
            if "tokens" in line:  # the trainer's mean over the micro-batches of an update
                line["tokens"] *= args.gradient_accumulation_steps * ready.trainer.accelerator.num_processes
            ready.folder.add({"step": state.global_step, **line})
            made(Update(state.global_step, state.max_steps, line["loss"]))

        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            if state.is_world_process_zero:
                _look(ready, state.global_step)

    return Watcher()


def _validation(
    data: Path, out: Path, chats: Chats, config: SftConfig, chosen: Mapping[str, Any]
) -> list[Any]:
    """The rows of the validation split that are looked at; none where there is no such split."""
    if not config.validated or not any((data / "data").glob(f"{VALIDATION}-*.parquet")):
        return []
    rows = Rows(data, VALIDATION, out / CACHE, **chosen)
    some = [rows[n] for n in range(min(config.validated, len(rows)))]
    return [
        one
        for one in some
        if (chats.sees or not one.images)
        and not chats.holds_control(one.messages)
        and len(chats.row(one)[0]) <= config.max_tokens
    ]


def _look(ready: Prepared, step: int) -> None:
    """Log the figures of the validation split at a step, and keep its weights if they are the best so far."""
    figures = {"validation": _validated(ready)} if ready.validation else {}
    if ready.answers:
        figures |= ready.answers.figures(ready.model, step)
    BestCheckpoint(ready.folder, ready.config).look(step, figures, ready.model, ready.chats.processor)


def _validated(ready: Prepared) -> float:
    """The mean loss over the target tokens of the validation rows, each row's tokens by their weight."""
    import torch

    model = ready.model
    training = model.training
    model.eval()
    lost = weight = 0.0
    with torch.no_grad():
        for row in ready.validation:
            batch = {name: value.to(model.device) for name, value in ready.chats.batch([row]).items()}
            weights = batch.pop("label_weights")[:, 1:]
            out = model(**batch, use_cache=False, fused_lm_head=True)
            lost -= float((out.log_probs * weights).sum())
            weight += float(weights.sum())
    model.train(training)
    return lost / weight if weight else 0.0


def _labels(ready: Prepared) -> list[dict[str, Any]]:
    """The first samples as they are learnt: decoded from the labels of a batch."""
    taught = _taught(ready.rows, ready.kept, ready.config)
    rows = [taught(n) for n in ready.kept[:SHOWN]]
    learnt = [ready.chats.learnt(ready.chats.batch([row]))[0] for row in rows]
    texts = [ready.chats.text(row.messages[: row.spans[0][0]], ask=True) for row in rows]
    return [
        {"id": row.id, "prompt_end": text[-600:], "prompt_letters": len(text), "learnt": runs}
        for row, text, runs in zip(rows, texts, learnt, strict=True)
    ]
