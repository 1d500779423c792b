"""TRL's trainer of groups, with our states, roll-outs, reward and log."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from osler.errors import BadInput
from osler.training.backend import models
from osler.training.backend.chats import opened
from osler.training.backend.rollout import rollout
from osler.training.backend.rows import text_of
from osler.training.config import GrpoConfig
from osler.training.folder import CHECKPOINTS

if TYPE_CHECKING:
    from osler.training.backend.grpo import Made, Prepared

EPSILON: Final = 1e-4
"""Added by TRL to the spread of a group; the published code adds 1e-6."""
_LOGGED: Final = {
    **{"loss": "loss", "learning_rate": "rate", "grad_norm": "norm", "kl": "kl", "entropy": "entropy"},
    **{"clip_ratio/region_mean": "clipped", "completions/clipped_ratio": "cut_off"},
}


class Shares(NamedTuple):
    """The micro-batches of a step on one device: all of them, and those of one update."""

    step: int
    update: int


def shares(config: GrpoConfig, devices: int) -> Shares:
    """Micro-batches on each of `devices`. Raises BadInput where they do not divide, or part a group."""
    at_once = config.per_device * devices
    step, update = config.prompts * config.group, config.mini_batch * config.group
    if step % at_once or update % at_once:
        raise BadInput(
            f"{update} answers of an update cannot be shared by {devices} devices of {config.per_device}",
            where="per_device",
            hint="--set per_device=N with a divisor of mini_batch times group",
        )
    found = Shares(step // at_once, update // at_once)
    if config.per_device * found.step % config.group:
        raise BadInput(
            f"the answers on one device, {config.per_device * found.step}, part a group of {config.group}",
            where="per_device",
            hint="--set prompts=N with a multiple of the devices",
        )
    return found


def trainer_of(ready: Prepared, model: Any, made: Made) -> Any:
    """TRL's trainer with our prompts, reward and log."""
    import torch
    from peft import LoraConfig
    from transformers import PrinterCallback

    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")  # roll-outs are; our versions are pinned
    config = ready.config
    adapters = LoraConfig(
        r=config.rank,
        lora_alpha=config.alpha,
        lora_dropout=config.dropout,
        target_modules="all-linear",
        exclude_modules=models.VISION if config.vision == "frozen" else None,
        task_type="CAUSAL_LM",
    )
    devices = max(1, int(torch.distributed.get_world_size()) if torch.distributed.is_initialized() else 1)

    def reward(completion_ids: Any, place: Any, trainer_state: Any, **_: Any) -> list[float | None]:
        return ready.scored(trainer_state.global_step, place, completion_ids)

    def taken(played: Any) -> None:
        ready.played = played

    limit = model.config.get_text_config().max_position_embeddings
    trainer = _trainer_class()(
        model=model,
        args=_args(ready, shares(config, devices)),
        reward_funcs=reward,
        train_dataset=_data(ready),
        processing_class=ready.words.processor,
        peft_config=adapters if config.weights == "lora" else None,
        rollout_func=rollout(ready.rounds, ready.words, limit - config.max_answer, taken)
        if ready.rounds
        else None,
    )
    trainer.remove_callback(PrinterCallback)
    trainer.add_callback(_watcher(ready, made))
    return trainer


def _args(ready: Prepared, shares: Shares) -> Any:
    import torch
    from trl import GRPOConfig

    config = ready.config
    steps = config.steps * config.updates_per_step
    return GRPOConfig(
        output_dir=str(ready.folder.path / CHECKPOINTS),
        max_steps=steps,
        per_device_train_batch_size=config.per_device,
        gradient_accumulation_steps=shares.update,
        steps_per_generation=shares.step,
        num_generations=config.group,
        num_iterations=config.iterations,
        max_completion_length=config.max_answer,
        temperature=config.temperature,
        top_p=config.top_p,
        beta=config.beta,
        use_bias_correction_kl=config.kl == "corrected",
        epsilon=config.epsilon,
        epsilon_high=config.epsilon_high,
        delta=config.dual_clip,
        importance_sampling_level=config.ratio,
        loss_type=config.loss,
        scale_rewards=config.scale,
        disable_dropout=True,
        learning_rate=config.learning_rate,
        lr_scheduler_type="cosine" if config.schedule == "cosine" else "constant_with_warmup",
        warmup_steps=config.warmup_steps(steps),
        weight_decay=config.weight_decay,
        max_grad_norm=config.clip,
        optim="adamw_torch",
        bf16=config.precision == "bf16",
        gradient_checkpointing=config.checkpointing,
        use_cpu=not torch.cuda.is_available(),
        seed=config.seed,
        data_seed=config.seed,
        save_steps=config.save_every,
        save_total_limit=2,
        logging_steps=1,
        use_vllm=config.vllm,
        vllm_mode="colocate",
        chat_template_kwargs=dict(models.TEMPLATE),
        remove_unused_columns=False,
        report_to=[],
        disable_tqdm=True,
    )


def _data(ready: Prepared) -> Any:
    """The prompts by their place; they are rendered when a batch wants them. Fewer than a step has are taken
    in turn until it is full."""
    from datasets import Dataset

    here = len(ready.prompts)
    places = [n % here for n in range(max(here, ready.config.prompts))]

    def rendered(batch: Mapping[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {
            "place": batch["place"],
            "prompt": [_prompt(ready, n) for n in batch["place"]],
        }
        if ready.words.sees and ready.rounds is None:
            found["images"] = [[opened(raw) for raw in ready.prompts[n].pictures] for n in batch["place"]]
        return found

    return Dataset.from_dict({"place": places}).with_transform(rendered)


def _prompt(ready: Prepared, place: int) -> list[dict[str, Any]]:
    if ready.rounds is not None:
        return [{"role": "user", "content": str(place)}]
    messages = ready.prompts[place].state.messages
    if ready.words.sees:
        return [dict(message) for message in messages]
    return [{"role": message["role"], "content": text_of(message)} for message in messages]


def _trainer_class() -> Any:
    from trl import GRPOTrainer

    class Grouped(GRPOTrainer):
        """TRL's trainer, telling nobody."""

        def _send_telemetry(self) -> None:
            """Tell nobody."""

        def create_model_card(self, *args: Any, **kwargs: Any) -> None:
            """Write none: it would name paths and services."""

    return Grouped


def _watcher(ready: Prepared, made: Callable[..., None]) -> Any:
    from transformers import TrainerCallback

    from osler.training.backend.grpo import Step

    class Watcher(TrainerCallback):
        """Keeps the log: a line for each update, the first of a step with the figures of its answers."""

        def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **known: Any) -> None:
            # The optimizer's momentum would move the weights though there is nothing to learn from.
            if ready.void and ready.config.beta == 0:
                ready.trainer.model.zero_grad(set_to_none=True)

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if "loss" not in (logs or {}) or not state.is_world_process_zero:
                return
            line = {ours: float(logs[name]) for name, ours in _LOGGED.items() if logs.get(name) is not None}
            line = {name: value for name, value in line.items() if value == value}
            line |= ready.figures
            ready.figures = {}
            ready.folder.add({"step": state.global_step, **line})
            made(Step(state.global_step, state.max_steps, line))

    return Watcher()


def begun_from(folder: Path, updates_per_step: int) -> Path | None:
    """The last checkpoint that was written whole and lies between two steps; others are removed."""
    best: Path | None = None
    for path in sorted(folder.glob("checkpoint-*"), key=step_of):
        try:
            # The trainer's state is written last.
            step = int(json.loads((path / "trainer_state.json").read_text())["global_step"])
        except (OSError, ValueError, KeyError, TypeError):
            step = -1
        if step != step_of(path) or step % updates_per_step:
            shutil.rmtree(path, ignore_errors=True)
        else:
            best = path
    return best


def step_of(path: Path) -> int:
    """The update after which a checkpoint was written."""
    return int(path.name.rpartition("-")[2])
