"""The parts of a training by TRL that are the same whatever its loss: arguments, adapters, checkpoints."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from osler.errors import InfrastructureFault
from osler.training.backend import models, processes
from osler.training.config import Settings
from osler.training.folder import CHECKPOINTS


def arguments(config: Settings, out: Path, steps: int, *, sees: bool) -> dict[str, Any]:
    """Arguments of a trainer that makes `steps` updates of a base that `sees`, or does not."""
    import torch

    return {
        # What sees is left out of a step without pictures; all else is in every step.
        "ddp_find_unused_parameters": sees and config.weights == "all" and not config.checkpointing,
        "output_dir": str(out / CHECKPOINTS),
        "max_steps": steps,
        "learning_rate": config.learning_rate,
        "lr_scheduler_type": "cosine" if config.schedule == "cosine" else "constant_with_warmup",
        "warmup_steps": config.warmup_steps(steps),
        "weight_decay": config.weight_decay,
        "max_grad_norm": config.clip,
        "optim": "adamw_torch",
        "bf16": config.precision == "bf16",
        "gradient_checkpointing": config.checkpointing,
        "use_cpu": not torch.cuda.is_available(),
        "seed": config.seed,
        "data_seed": config.seed,
        "save_steps": config.save_every,
        "save_total_limit": 2,
        "logging_steps": 1,
        "remove_unused_columns": False,
        "report_to": [],
        "disable_tqdm": True,
    }


def adapters(config: Settings) -> Any:
    """Adapters on all linear layers, off what sees unless asked for; `None` where all weights are trained."""
    from peft import LoraConfig

    if config.weights == "all":
        return None
    return LoraConfig(
        r=config.rank,
        lora_alpha=config.alpha,
        lora_dropout=config.dropout,
        target_modules="all-linear",
        exclude_modules=models.VISION if config.vision == "frozen" else None,
        task_type="CAUSAL_LM",
    )


def run(trainer: Any, checkpoint: Path | None, out: Path) -> None:
    """Train to the end. Raises InfrastructureFault where it stops: memory, a device, files at odds."""
    try:
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        processes.part()
    except (RuntimeError, IndexError, ValueError) as error:
        said = " ".join(str(error).split())[:300]
        hint = "the same command goes on; --set per_device=1 takes the least memory"
        raise InfrastructureFault(f"the training stopped: {said}", where=str(out), hint=hint) from error


def last_checkpoint(folder: Path, every: int = 1) -> Path | None:
    """The last checkpoint that was written whole, at a multiple of `every` updates; others are removed."""
    best: Path | None = None
    for path in sorted(folder.glob("checkpoint-*"), key=step_of):
        if _whole(path) and step_of(path) % every == 0:
            best = path
        else:
            shutil.rmtree(path, ignore_errors=True)
    return best


def _whole(path: Path) -> bool:
    try:
        # The trainer's state is written last.
        return bool(json.loads((path / "trainer_state.json").read_text())["global_step"] == step_of(path))
    except (OSError, ValueError, KeyError, TypeError):
        return False


def step_of(path: Path | None) -> int:
    """The update after which a checkpoint was written; 0 without one."""
    number = path.name.rpartition("-")[2] if path else ""
    return int(number) if number.isdecimal() else 0
