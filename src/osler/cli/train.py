"""`osler train`: tiny bases, fine-tuning, merging, serving and reports.

Each command is imported when it is called; what needs torch says so where the extra `train` is missing.
"""

from __future__ import annotations

from typing import Final

from osler.cli.lazy_commands import group_of

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "demo": ("osler.cli.train_demo:demo", "Show one moment of a ward round and its reward, in seconds."),
    "tiny": ("osler.cli.train_models:tiny", "Make a tiny base of random weights, to try things on a laptop."),
    "base": ("osler.cli.train_models:base", "Write a pretrained base for training, from GGUF or a folder."),
    "plan": ("osler.cli.train_plan:plan", "Measure three updates, and say what a training would take."),
    "sft": ("osler.cli.train_models:sft", "Fine-tune a base on a data set."),
    "reward": (
        "osler.cli.train_reward:reward",
        "Score stored turns by a reward, and run its hacking probes.",
    ),
    "grpo": ("osler.cli.train_grpo:grpo", "Train a policy on a reward, from what it says itself."),
    "merge": ("osler.cli.train_models:merge", "Merge a training's adapters into their base."),
    "serve": ("osler.cli.train_models:serve", "Serve a trained model as an endpoint on this machine."),
    "report": ("osler.cli.train_report:report", "Curves, labels and settings of trainings as one HTML file."),
}

app = group_of(COMMANDS, "Train a model for a seat, and bring it back to the bedside.")
