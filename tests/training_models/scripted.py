"""The program with a policy whose answers are decided by step, prompt and place in the group alone, whatever
the process: python -m tests.training_models.scripted train grpo ..., by itself or under torchrun."""

from __future__ import annotations

import re
import sys
from collections import Counter
from hashlib import blake2b
from typing import Any

from tests.training.grpo.states import NAMES, sample
from tests.training_models.policies import spoilt


def generate(trainer: Any, prompts: list[list[int]], *_: Any) -> tuple[list[list[int]], None]:
    """In the place of the trainer's own: a turn that parses, or one of three that do not."""
    tokenizer, met, answers = trainer.processing_class, Counter[str](), []
    for ids in prompts:
        prompt = tokenizer.decode(ids)
        dice = blake2b(f"{trainer.state.global_step} {met[prompt]} {prompt}".encode()).digest()[0]
        met[prompt] += 1
        name = next(one for one in NAMES if re.search(rf"\b{one}:", prompt))
        text = spoilt(dice, sample(0, name).target)
        answers.append([*tokenizer(text, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id])
    return answers, None


if __name__ == "__main__":
    from osler.training.backend import libraries

    libraries.need()
    from trl import GRPOTrainer

    from osler.cli.main import app

    GRPOTrainer._generate_single_turn = generate
    app(sys.argv[1:])
